internal import UsherText

/// The steps of tmux in words: what `explain` and dry runs print.
enum TmuxPlan {
    static func text(_ step: WindowStep) -> String {
        switch step {
        case .launch(let launch):
            let place = launch.group.map { " in session \(ShellText.command([$0]))" } ?? ""
            let command = ShellText.command([launch.program] + launch.arguments, limit: ShellText.planLimit)
            return "tmux new-window\(place): \(command), read it back"
        case .focus(.group(let name)):
            return "tmux switch-client to session \(ShellText.command([name])), read it back"
        case .focus(.handle(let handle, _)):
            guard let handle = TmuxHandle(handle) else { return "nothing: \(Printable.text(handle)) is no tmux window" }
            switch handle {
            case .window: return "tmux select-window \(handle.text), read it back"
            case .pane: return "tmux select-pane \(handle.text), read it back"
            }
        case .navigate: return "nothing: windows of tmux have no tabs"
        case .type(let keys, let window):
            let words = keys.strokes.map { stroke in
                switch stroke {
                case .key(let name): "<\(name)>"
                case .text(let text): ShellText.command([text])
                }
            }
            return "tmux send-keys to \(Printable.text(window.text)): \(words.joined(separator: " "))"
        }
    }
}
