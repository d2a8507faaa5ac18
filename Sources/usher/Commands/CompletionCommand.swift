/// `usher completion`: what a shell needs to complete command lines.
enum CompletionCommand {
    static let description = CommandDescription(
        "completion", "a script that completes usher's command lines in a shell",
        operands: [.init("bash|zsh|fish")],
        discussion: [
            "bash: usher completion bash > ~/.local/share/bash-completion/completions/usher",
            "zsh: usher completion zsh > a folder of $fpath, as _usher",
            "fish: usher completion fish > ~/.config/fish/completions/usher.fish",
        ],
        examples: [.init("usher completion bash", "the script for bash")],
        run: { (arguments, context) throws(CommandFailure) in
            let shells = ["bash", "zsh", "fish"]
            switch arguments.operands.first ?? "" {
            case "bash": context.output.write(CompletionScript.bash())
            case "zsh": context.output.write(CompletionScript.zsh())
            case "fish": context.output.write(CompletionScript.fish())
            case let other: throw .unknown("completion for", other, among: shells)
            }
            return .handled
        })
}
