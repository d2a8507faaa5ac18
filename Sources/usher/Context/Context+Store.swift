internal import UsherConfiguration
internal import UsherControl
internal import UsherDispatch
internal import UsherOperation
internal import UsherStore
internal import UsherSystem

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

    /// Edits the store: here, under its lock, while no engine runs; else through the engine.
    func edit<Result>(
        _ body: (Store) throws(CommandFailure) -> Result, orAsk ask: (Daemon) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        let folder = FilePath.absolute(try stateFolder())
        // An engine may start or end between a look and the next.
        for _ in 0..<20 {
            if let daemon = try daemon() { return try ask(daemon) }
            let lock: EditLock?
            do throws(ControlError) {
                lock = try EditLock.take(state: folder)
            } catch {
                throw CommandFailure(error)
            }
            guard let lock else { continue }
            let store = try openStore(.readWrite)
            do throws(CommandFailure) {
                let result = try body(store)
                store.close()
                lock.release()
                return result
            } catch {
                store.close()
                throw error
            }
        }
        throw CommandFailure(
            ControlError(.controlUnreachable, "engines for \(folder) end as soon as they are there"))
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
