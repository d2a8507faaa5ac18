public import UsherScene

extension Activator {
    /// Brings the session's window forward: by its handle, else by the handler. With neither there is nothing that could
    /// be done or confirmed: `unverified`, no failure.
    public func focus(_ task: ActivationTask, _ handler: FocusHandler?) -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        let policy = handler?.policy ?? FocusPolicy()
        if let window = window(of: task) { return focus(window, task, policy, insteadOf: handler?.method) }
        switch handler?.method {
        case .exec(let command): return runToEnd(task, command, verb: "focus")
        case .tmux(let session, _): return focus(.group(session), task, policy)
        case .window(let rule):
            do throws(ActivationFailure) {
                let found = try window(like: rule, for: task)
                return focus(.handle(found.handle, server: found.server), task, policy)
            } catch {
                return ActivationReport(error)
            }
        case .dbus(let name, _): return activate(name, task)
        case nil: return ActivationReport(outcome: .unverified)
        }
    }

    /// The window that the task's handle names; nil where it is none of this window system's.
    func window(of task: ActivationTask) -> WindowReference? {
        guard let handle = task.handle, windowSystem.recognizes(handle: handle) else { return nil }
        return .handle(handle, server: task.handleServer)
    }

    /// The only window that a rule means and no other session has.
    func window(like rule: WindowRule, for task: ActivationTask) throws(ActivationFailure) -> WindowList.Window {
        let found = try windowSystem.windows().windows.filter { window in
            rule.matches(window) && task.otherWindows.holder(of: window) == nil
        }
        guard let window = found.first else { throw .noWindow(like: rule) }
        if found.count > 1 { throw .ambiguousWindow(found, like: rule) }
        return window
    }

    /// The task with the window that its session will get, where it has none yet: for plans. Throws what a focus would.
    public func settled(_ task: ActivationTask, _ handler: FocusHandler?) throws(ActivationFailure) -> ActivationTask {
        guard window(of: task) == nil, case .window(let rule) = handler?.method,
            !rule.isOfBrowsers || windowSystem.browsers != nil
        else { return task }
        var task = task
        let found = try window(like: rule, for: task)
        (task.handle, task.handleServer) = (found.handle, found.server)
        return task
    }

    /// Why a scene that cannot launch has nothing to bring forward: which window nearly is as its `focus` says, or whose it
    /// is.
    ///
    public func absence(of scene: String, _ rule: WindowRule, held: HeldWindows) -> ActivationFailure {
        let windows = (try? windowSystem.windows().windows) ?? []
        return .nothingToShow(scene, rule, windows, held)
    }

    func focus(_ window: WindowReference, _ task: ActivationTask, _ policy: FocusPolicy) -> ActivationReport {
        do throws(ActivationFailure) {
            return ActivationReport(try windowSystem.focus(request(window, task, policy)))
        } catch {
            return ActivationReport(error)
        }
    }

    /// Where the window does not come forward by itself, the handler's own way is tried, once.
    private func focus(
        _ window: WindowReference, _ task: ActivationTask, _ policy: FocusPolicy,
        insteadOf method: FocusHandler.Method?
    ) -> ActivationReport {
        let first = focus(window, task, policy)
        guard first.outcome == .unverified, first.seen != nil, policy.prominence == .focus else { return first }
        var second: ActivationReport
        switch method {
        case .exec(let command): second = runToEnd(task, command, verb: "focus")
        case .dbus(let name, _): second = activate(name, task)
        case .tmux, .window, nil: return first
        }
        // What the handler says about itself proves nothing: the window is looked at again.
        let look = focus(window, task, policy)
        second.outcome = look.outcome
        second.seen = look.seen
        second.failure = look.failure
        second.windowGone = look.windowGone
        (second.handle, second.handleServer, second.title) = (look.handle, look.handleServer, look.title)
        return second
    }

    private func activate(_ name: String, _ task: ActivationTask) -> ActivationReport {
        call(ApplicationCall(name: name, verb: .activate, token: task.token), task, verb: "focus").report
    }

    private func request(_ window: WindowReference, _ task: ActivationTask, _ policy: FocusPolicy) -> FocusRequest {
        FocusRequest(window, policy: policy, target: task.resolved ?? task.target, token: task.token)
    }
}
