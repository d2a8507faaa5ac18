internal import Synchronization
internal import UsherResolution
public import UsherScene
public import UsherStore

// Sessions that change through a running dispatcher: store and memory together, without reading all sessions again.

extension Dispatcher {
    /// See `Store.connect`.
    public func connect(_ new: [Store.NewSession]) throws(StoreError) -> [SceneSession] {
        try changing { (store, changes) throws(StoreError) in
            let made = try store.connect(new)
            changes.changed = made
            return made
        }
    }

    /// See `Store.change(session:_:)`.
    public func change(session id: String, _ change: Store.SessionChange) throws(StoreError) -> SceneSession? {
        try changing { (store, changes) throws(StoreError) in
            let session = try store.change(session: id, change)
            if let session { changes.changed = [session] }
            return session
        }
    }

    /// See `Store.end(session:)`.
    @discardableResult
    public func end(session id: String) throws(StoreError) -> Bool {
        try changing { (store, changes) throws(StoreError) in
            guard let session = try store.session(id: id) else { return false }
            changes.ended = [(id, session.app)]
            return try store.end(session: id)
        }
    }

    /// The sessions of this moment, without a look at the disk where nobody else changed them.
    public func sessions() throws(StoreError) -> [SceneSession] {
        if try store.generation() == world.withLock({ $0.generation }) {
            return world.withLock { $0.resolver.snapshot.sessions.all }
        }
        return try store.sessions().sessions
    }

    private func changing<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreState, inout TrackedChanges) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try store.write { [self] (store) throws(StoreError) in
            try world.withLock { (world) throws(StoreError) in try world.follow(&store, body) }
        }
    }
}
