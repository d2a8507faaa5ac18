public import UsherScene
internal import UsherSystem
internal import UsherText

extension Activator {
    /// Tells the window what to show. Typed keys cannot be read back: `done`.
    ///
    /// - Parameter verb: `show`, or the name of a continuation's handler.
    public func show(_ task: ActivationTask, _ handler: ShowHandler, verb: String = "show") -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        switch handler {
        case .exec(let command): return runToEnd(task, command, verb: verb)
        case .tmuxKeys(let command): return type(task, command, verb: verb)
        case .tab(let command): return navigate(task, command, verb: verb)
        case .dbus(let command, let action):
            do throws(ActivationFailure) {
                return call(try applicationCall(task, command, action: action), task, verb: verb).report
            } catch {
                return notStarted(error, command, verb: verb)
            }
        }
    }

    private func type(_ task: ActivationTask, _ command: Command, verb: String) -> ActivationReport {
        let begin = MonotonicClock.now
        do throws(ActivationFailure) {
            guard let window = window(of: task) else { throw .noWindowToType }
            try windowSystem.type(try keys(task, command, payloadFile: savedPayload), into: window)
        } catch {
            return notStarted(error, command, verb: verb)
        }
        let report = HandlerReport(
            verb: verb, command: "tmux send-keys \(ShellText.command(command.arguments))", status: .exited(0),
            milliseconds: Int((MonotonicClock.now - begin).milliseconds))
        return ActivationReport(outcome: .done, handlers: [report])
    }

    private func navigate(_ task: ActivationTask, _ command: Command, verb: String) -> ActivationReport {
        let begin = MonotonicClock.now
        do throws(ActivationFailure) {
            guard let window = window(of: task) else { throw .noWindowToType }
            let address = try address(task, command)
            let sighting = try windowSystem.navigate(window, to: address)
            let handler = HandlerReport(
                verb: verb, command: "tab \(ShellText.command([address]))", status: .exited(0),
                milliseconds: Int((MonotonicClock.now - begin).milliseconds))
            return ActivationReport(sighting, handlers: [handler])
        } catch {
            return notStarted(error, command, verb: verb)
        }
    }

    /// The address that a tab is to show.
    func address(_ task: ActivationTask, _ command: Command) throws(ActivationFailure) -> String {
        guard let text = command.arguments.first else { throw .emptyCommand }
        return try TextTemplate(text).expand(task, payloadFile: "")
    }

    func keys(
        _ task: ActivationTask, _ command: Command, payloadFile: (ActivationTask) throws(ActivationFailure) -> String
    ) throws(ActivationFailure) -> WindowKeys {
        let sequence = try KeySequence(command)
        let file = sequence.usesPayloadFile ? try payloadFile(task) : ""
        return WindowKeys(
            strokes: try sequence.expand(task, payloadFile: file), holdsPayloadText: sequence.hasPlaceholders,
            session: task.session)
    }
}
