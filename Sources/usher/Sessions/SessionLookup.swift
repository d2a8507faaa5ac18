internal import UsherScene
internal import UsherStore

extension Context {
    /// The session of that id, or an error that names the closest.
    func session(_ id: String, in store: Store) throws(CommandFailure) -> SceneSession {
        if let session = try storing({ () throws(StoreError) in try store.session(id: id) }) { return session }
        let known = try storing { () throws(StoreError) in try store.sessions().sessions }.map(\.id)
        throw .unknown("session", id, among: known, otherwise: "usher scene list shows them")
    }
}
