public import UsherScene
public import UsherStore

/// Where sessions are kept and changed: the store by itself, or a dispatcher, which knows at once what it changed.
public protocol SessionChanges: Sendable {
    /// The folder of the store.
    var stateFolder: String { get }

    /// All or none, in the same order.
    func connect(_ new: [Store.NewSession]) throws(StoreError) -> [SceneSession]

    /// nil when there is no such session.
    func change(session id: String, _ change: Store.SessionChange) throws(StoreError) -> SceneSession?

    /// False when there is no such session.
    func end(session id: String) throws(StoreError) -> Bool

    func session(id: String) throws(StoreError) -> SceneSession?

    /// All, or those of one app.
    func sessions(app: String?) throws(StoreError) -> Store.Sessions
}

extension Store: SessionChanges {}
