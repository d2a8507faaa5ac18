internal import UsherConfiguration
internal import UsherControl
internal import UsherDispatch
internal import UsherStore

extension Context {
    /// The folder of the store: `--state`, else by the environment.
    func stateFolder() throws(CommandFailure) -> String {
        if let path = stateOption ?? ConfigurationPaths.state(environment: environment) { return path }
        throw .usage("there is no folder for the state", help: "set $HOME, $USHER_STATE or --state")
    }

    func openStore(_ access: Store.Access) throws(CommandFailure) -> Store {
        let folder = try stateFolder()
        return try storing { () throws(StoreError) in try Store(directory: folder, access: access) }
    }

    /// Does something with the store; its errors end the command.
    func storing<Result>(_ body: () throws(StoreError) -> Result) throws(CommandFailure) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .store(error)
        }
    }

    /// A delivery by its own id or its sender's.
    func delivery(_ id: String, in store: Store) throws(CommandFailure) -> Store.StoredDelivery {
        if let delivery = try storing({ () throws(StoreError) in try store.delivery(id) }) { return delivery }
        throw CommandFailure(.noDelivery(id))
    }

    /// All sessions, or those of one app; conditions that this version cannot read are warned about.
    func sessions(in store: Store, app: String? = nil) throws(CommandFailure) -> Store.Sessions {
        let sessions = try storing { () throws(StoreError) in
            var sessions = try store.sessions(app: app)
            try sessions.noteEnded(in: store)
            return sessions
        }
        for condition in sessions.unreadable {
            errors.warning(
                "session \(condition.session) has a condition that this version cannot read, which counts as"
                    + " FALSEPREDICATE: \(condition.text)",
                help: "usher scene update \(condition.session) --can TEXT --prefers TEXT gives it new ones")
        }
        return sessions
    }
}
