public import UsherScene

extension Activator {
    /// Brings the session's window forward: by its handle, else by the handler. With neither there is nothing that could
    /// be done or confirmed: `unverified`, no failure.
    public func focus(_ task: ActivationTask, _ handler: FocusHandler?) -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        if let window = window(of: task) { return focus(window) }
        switch handler {
        case .exec(let command): return runToEnd(task, command, verb: "focus")
        case .tmux(let session, _): return focus(.group(session))
        case nil: return ActivationReport(outcome: .unverified)
        }
    }

    /// The window that the task's handle names; nil where it is none of this window system's.
    func window(of task: ActivationTask) -> WindowReference? {
        guard let handle = task.handle, windowSystem.recognizes(handle: handle) else { return nil }
        return .handle(handle, server: task.handleServer)
    }

    private func focus(_ window: WindowReference) -> ActivationReport {
        do throws(ActivationFailure) {
            return ActivationReport(try windowSystem.focus(window))
        } catch {
            return ActivationReport(error)
        }
    }
}
