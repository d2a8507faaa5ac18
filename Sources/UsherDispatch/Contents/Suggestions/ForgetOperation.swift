internal import UsherActivation
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `forget`, for every interface (socket, HTTP, command line).
struct ForgetOperation {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// `{"events","interactions","contacts","reminders"}`, and `warnings` where something stays.
    func perform(_ call: Forget) throws(ControlError) -> JSONValue {
        guard call.all || call.app != nil || call.source != nil || call.since != nil else {
            throw ControlError(
                .forgetWhat, "it is not said what is to be forgotten",
                help: "give --app ID, --source APP|HOST, --since TIME|DURATION or --all")
        }
        let since = try call.since.map { text throws(ControlError) in
            try TimeArgument.instant(orBefore: Instant.now, text, at: "/since")
        }
        let what = Store.Forgetting(app: call.app, source: call.source, since: since?.microseconds)
        let forgotten = try service.storing { () throws(StoreError) in
            if !call.dryRun {
                // What a window shows stays. Without a daemon it is not known yet that one is gone.
                for (session, process) in try service.store.sessionProcesses() where !process.isRunning {
                    _ = try SessionLoss.lose(session, of: process, in: service.sessions)
                }
            }
            var found = try service.store.forget(what, isRehearsal: true)
            guard !call.dryRun else { return found }
            try end(found)
            let identifiers = found.identifiers
            found = try service.store.forget(what)
            removeFiles(of: what, found, identifiers)
            return found
        }
        if !call.dryRun { service.remindersChanged?() }
        func number(_ number: Int) -> JSONValue { .number(String(number)) }
        var members: [JSONValue.Member] = [
            .init("events", number(forgotten.events)), .init("interactions", number(forgotten.interactions)),
            .init("contacts", number(forgotten.contacts)), .init("reminders", number(forgotten.reminders)),
        ]
        let warnings = Self.warnings(of: forgotten, isRehearsal: call.dryRun)
        if !warnings.isEmpty { members.append(.init("warnings", .array(warnings.map { .string($0) }))) }
        return .object(members)
    }

    /// Ends what would carry it out or restore it later.
    private func end(_ found: Store.Forgotten) throws(StoreError) {
        for id in found.unfinished { _ = try service.sessions.discard(delivery: id) }
        for id in found.sessions {
            guard let session = try service.sessions.session(id: id), session.state == .disconnected else { continue }
            _ = try service.sessions.end(session: id, ifStill: session)
        }
    }

    /// What stays, and how it goes.
    private static func warnings(of forgotten: Store.Forgotten, isRehearsal: Bool) -> [String] {
        var warnings: [String] = []
        func add(_ count: Int, _ one: String, _ many: String, _ remedy: String) {
            if count > 0 { warnings.append((count == 1 ? "1 \(one)" : "\(count) \(many)") + remedy) }
        }
        if !isRehearsal {
            add(
                forgotten.unfinished.count, "delivery is being carried out and stays",
                "deliveries are being carried out and stay", ": forget again after that")
        }
        add(
            forgotten.openSessions, "window keeps its target and title", "windows keep their targets and titles",
            ": close them, and forget again")
        add(
            forgotten.otherDeliveries, "other request stays in the journal", "other requests stay in the journal",
            ": usher deliveries drop removes them")
        return warnings
    }

    /// Removes the files that handlers got of it.
    private func removeFiles(of what: Store.Forgetting, _ forgotten: Store.Forgotten, _ identifiers: Set<String>) {
        service.activator.payloadFiles?.remove(except: forgotten.openNonces) { path, changed in
            if what.isGeneral { return Int64(changed) >= (what.since ?? 0) / 1_000_000 }
            guard let bytes = FileSystem.contents(of: path, limit: 16 << 20),
                let document = try? JSONValue(parsing: bytes)
            else { return false }
            return document.contains { what.isNamed($0) || identifiers.contains($0) }
        }
    }
}

extension JSONValue {
    /// Whether one of its texts, at any depth, is meant.
    fileprivate func contains(_ isMeant: (String) -> Bool) -> Bool {
        if let string { return isMeant(string) }
        if let elements { return elements.contains { $0.contains(isMeant) } }
        return members?.contains { $0.value.contains(isMeant) } ?? false
    }
}
