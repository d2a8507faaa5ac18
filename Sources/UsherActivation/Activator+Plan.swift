public import UsherScene
internal import UsherText

/// What could be done for a task.
public enum ActivationStep: Sendable {
    case launch(LaunchHandler)
    case focus(FocusHandler?)
    /// `show`, and the handlers of a continuation.
    case show(ShowHandler)
    /// `background`, `content-deleted`, `open-web`.
    case run(Command, verb: String)
}

extension Activator {
    /// What a step would do, a line each, for `explain` and dry runs: `tmux select-window @3, read it back`. Runs nothing and
    /// writes nothing; where the step would be refused, the line says so.
    public func plan(_ task: ActivationTask, _ step: ActivationStep) -> [String] {
        do throws(ActivationFailure) {
            return try lines(task, step)
        } catch {
            return ["refused: \(error.message)"]
        }
    }

    private func lines(_ task: ActivationTask, _ step: ActivationStep) throws(ActivationFailure) -> [String] {
        switch step {
        case .launch(let handler):
            var lines: [String]
            switch handler.place {
            case .exec: lines = ["run \(try summary(task, handler.command, payloadFile: "/dev/stdin"))"]
            case .tmux(let group):
                let template = try CommandTemplate(handler.command)
                let arguments = try template.expandArguments(task, payloadFile: planFile(task))
                lines = [
                    windowSystem.plan(
                        .launch(WindowLaunch(group: group, program: template.program, arguments: arguments)))
                ]
            case .desktop(let action):
                let (entry, uris) = try uris(task, handler.command)
                lines = ["start \(ShellText.command([entry] + (action.map { ["action", $0] } ?? []) + uris))"]
            case .dbus(let action): lines = [try applicationCall(task, handler.command, action: action).summary]
            }
            switch handler.ready {
            case .exec(let ready):
                lines.append("wait until \(try summary(task, ready, payloadFile: "/dev/stdin")) ends with status 0")
            case .window: lines.append("wait until its window is there")
            case .dbus(let name, _): lines.append("wait until \(ShellText.command([name])) is on the session bus")
            case nil: break
            }
            return lines
        case .focus(let handler):
            if let window = window(of: task) { return [windowSystem.plan(.focus(window))] }
            switch handler?.method {
            case .exec(let command): return ["run \(try summary(task, command, payloadFile: "/dev/stdin"))"]
            case .tmux(let session, _): return [windowSystem.plan(.focus(.group(session)))]
            case .window(let rule):
                let found = try window(like: rule, for: task)
                return [windowSystem.plan(.focus(.handle(found.handle, server: found.server)))]
            case .dbus(let name, _): return [ApplicationCall(name: name, verb: .activate).summary]
            case nil: return []
            }
        case .show(.exec(let command)), .run(let command, _):
            return ["run \(try summary(task, command, payloadFile: "/dev/stdin"))"]
        case .show(.tmuxKeys(let command)):
            guard let window = window(of: task) else { throw .noWindowToType }
            let file = planFile(task)
            return [windowSystem.plan(.type(try keys(task, command, payloadFile: { _ in file }), window))]
        case .show(.tab(let command)):
            guard let window = window(of: task) else { throw .noWindowToType }
            return [windowSystem.plan(.navigate(window, try address(task, command)))]
        case .show(.dbus(let command, let action)): return [try applicationCall(task, command, action: action).summary]
        }
    }

    private func summary(
        _ task: ActivationTask, _ command: Command, payloadFile: String
    ) throws(ActivationFailure) -> String {
        let template = try CommandTemplate(command)
        return ShellText.command(
            [template.program] + (try template.expandArguments(task, payloadFile: payloadFile)),
            limit: ShellText.planLimit)
    }

    private func planFile(_ task: ActivationTask) -> String {
        payloadFiles?.path(nonce: task.nonce) ?? "{payload-file}"
    }
}
