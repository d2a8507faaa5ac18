public import UsherScene
public import UsherStore

/// Where sessions are kept and changed: the store by itself, or a dispatcher, which knows at once what it changed.
public protocol SessionChanges: Sendable {
    /// The folder of the store.
    var stateFolder: String { get }

    /// All or none, in the same order.
    func connect(_ new: [Store.NewSession]) throws(StoreError) -> [SceneSession]

    /// nil when there is no such session, or it is not as the change expects it.
    func change(session id: String, _ change: Store.SessionChange) throws(StoreError) -> SceneSession?

    /// False when there is no such session, or it has another state or window than when it was seen.
    func end(session id: String, ifStill seen: SceneSession?) throws(StoreError) -> Bool

    func session(id: String) throws(StoreError) -> SceneSession?

    /// All, or those of one app.
    func sessions(app: String?) throws(StoreError) -> Store.Sessions
}

extension Store: SessionChanges {}
