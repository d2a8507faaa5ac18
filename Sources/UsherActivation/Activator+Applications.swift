internal import UsherScene
internal import UsherSystem
internal import UsherText

// Applications of the desktop session: desktop entries, and programs that speak org.freedesktop.Application.

extension Activator {
    /// A call by bus name, as a handler of the record; the process that has the name.
    func call(
        _ call: ApplicationCall, _ task: ActivationTask, verb: String
    ) -> (report: ActivationReport, process: Int32?) {
        let begin = MonotonicClock.now
        var handler = HandlerReport(verb: verb, command: call.summary, status: .failedToStart)
        do throws(ActivationFailure) {
            guard let applications else { throw .noDesktop }
            let start = try applications.call(call)
            handler.command = start.summary
            handler.status = .exited(0)
            handler.milliseconds = Int((MonotonicClock.now - begin).milliseconds)
            var result = ActivationReport(outcome: .done, handlers: [handler])
            result.warnings += start.warnings
            return (result, start.process)
        } catch {
            handler.milliseconds = Int((MonotonicClock.now - begin).milliseconds)
            return (ActivationReport(error, handlers: [handler]), nil)
        }
    }

    /// The arguments of a handler that names an entry or a bus name first, and then URIs.
    func uris(_ task: ActivationTask, _ command: Command) throws(ActivationFailure) -> (name: String, uris: [String]) {
        let template = try CommandTemplate(command)
        let file = template.usesPayloadFile ? try savedPayload(task) : ""
        return (template.program, try template.expandArguments(task, payloadFile: file))
    }

    /// What an application is asked: a named action with the first URI, to open URIs, or just to come forward.
    func applicationCall(
        _ task: ActivationTask, _ command: Command, action: String?
    ) throws(ActivationFailure) -> ApplicationCall {
        let (name, uris) = try uris(task, command)
        let verb: ApplicationCall.Verb =
            if let action { .action(action, parameter: uris.first) } else if uris.isEmpty { .activate } else {
                .open(uris)
            }
        return ApplicationCall(name: name, verb: verb, token: task.token, timeLimit: command.timeLimit)
    }

    /// Starts an application by its entry or its bus name; its process, where that is known.
    func startApplication(
        _ task: ActivationTask, _ handler: LaunchHandler
    ) -> (report: ActivationReport, process: Int32?) {
        let command = handler.command
        do throws(ActivationFailure) {
            switch handler.place {
            case .dbus(let action):
                return call(try applicationCall(task, command, action: action), task, verb: "launch")
            case .desktop(let action):
                let begin = MonotonicClock.now
                guard let applications else { throw .noDesktop }
                let (entry, uris) = try uris(task, command)
                let template = try CommandTemplate(command)
                let start = try applications.launch(
                    EntryLaunch(
                        entry: entry, action: action, uris: uris,
                        environment: try environment.additions(command, template, task, payloadFile: ""),
                        workingDirectory: command.workingDirectory, token: task.token))
                let report = HandlerReport(
                    verb: "launch", command: start.summary, status: .running,
                    milliseconds: Int((MonotonicClock.now - begin).milliseconds))
                var result = ActivationReport(outcome: .done, handlers: [report])
                result.warnings += start.warnings
                return (result, start.process)
            case .exec, .tmux: throw .noDesktop
            }
        } catch {
            return (notStarted(error, command, verb: "launch"), nil)
        }
    }
}

extension ApplicationCall {
    /// For people.
    public var summary: String {
        switch verb {
        case .activate: "dbus \(ShellText.command([name])) Activate"
        case .open(let uris): "dbus \(ShellText.command([name])) Open \(ShellText.command(uris))"
        case .action(let action, let parameter):
            "dbus \(ShellText.command([name])) ActivateAction \(ShellText.command([action] + (parameter.map { [$0] } ?? [])))"
        }
    }
}
