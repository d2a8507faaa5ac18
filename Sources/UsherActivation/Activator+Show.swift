public import UsherScene

extension Activator {
    /// Tells the window what to show. Typed keys cannot be read back: `done`.
    public func show(_ task: ActivationTask, _ handler: ShowHandler) -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        switch handler {
        case .exec(let command): return runToEnd(task, command, verb: "show")
        case .tmuxKeys(let command): return type(task, command)
        }
    }

    private func type(_ task: ActivationTask, _ command: Command) -> ActivationReport {
        let begin = Deadline.now
        do throws(ActivationFailure) {
            guard let window = window(of: task) else { throw .noWindowToType }
            try windowSystem.type(try keys(task, command, payloadFile: savedPayload), into: window)
        } catch {
            return notStarted(error, command, verb: "show")
        }
        let report = HandlerReport(
            verb: "show", command: "tmux send-keys \(ShellText.command(command.arguments))", status: .exited(0),
            milliseconds: Int((Deadline.now - begin) / 1_000_000))
        return ActivationReport(outcome: .done, handlers: [report])
    }

    func keys(
        _ task: ActivationTask, _ command: Command, payloadFile: (ActivationTask) throws(ActivationFailure) -> String
    ) throws(ActivationFailure) -> WindowKeys {
        let sequence = try KeySequence(command)
        let file = sequence.uses(.payloadFile) ? try payloadFile(task) : ""
        return WindowKeys(
            strokes: try sequence.expand(task, payloadFile: file), holdsPayloadText: sequence.hasPlaceholders,
            session: task.session)
    }
}
