internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherStore
internal import UsherSuggestions
internal import UsherSystem
internal import UsherText

/// What suggestions need of the desktop, as the daemon sees it, or this process.
struct SuggestionServices: DoctorPart {
    /// nil where a daemon of another version does not know the question.
    private let answer: DesktopServicesAnswer?

    init(_ context: Context) throws(CommandFailure) {
        if let daemon = try context.daemon() {
            answer = try? daemon.answer(DesktopServices()).get()
        } else {
            answer = DesktopServicesAnswer(context.windowSystems(context.environment).1, daemon: nil)
        }
    }

    var findings: [StoreFinding] {
        guard let process = answer?.searchProcess else { return [] }
        return [
            StoreFinding(
                .warning, .searchNameTaken,
                "process \(process) has the name org.usher.Usher on the session bus: it answers the searches of"
                    + " the desktop, and usherd does not", help: "End it; usherd then has the name at once.")
        ]
    }

    /// Reminders are notifications, which need the bus of the session.
    static func findings(in store: Store, _ context: Context) -> [StoreFinding] {
        let waiting = ((try? store.reminders()) ?? []).count { $0.state == .waiting }
        let folder = context.environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }
        let hasBus =
            context.environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false
            || folder.map(FileSystem.exists) ?? false
        guard waiting > 0, !hasBus else { return [] }
        return [
            StoreFinding(
                .warning, .reminderNoBus,
                "\(waiting == 1 ? "a reminder waits" : "\(waiting) reminders wait"), and there is no session bus",
                help: "Run usherd in the session of the desktop, so that DBUS_SESSION_BUS_ADDRESS is set.")
        ]
    }

    /// What is missing, with the reason, once where it is the same.
    func report(to context: Context) {
        let services = answer?.services ?? []
        var told: Set<String> = []
        for (_, service) in services {
            guard let reason = service.lack, told.insert(reason).inserted else { continue }
            let alike = services.filter { $0.service.lack == reason }
                .map { $0.name == "session_bus" ? "session bus" : $0.name }
            context.output.write("   suggestions, \(alike.joined(separator: ", ")): \(Printable.escaped(reason))\n")
        }
    }

    func write(to json: inout JSONWriter) {
        json.beginObject("suggestions")
        for (name, _) in DesktopServicesAnswer().services {
            json.key(name)
            let service = answer?.services.first { $0.name == name }?.service
            service.write(to: &json)
        }
        json.endObject()
    }
}
