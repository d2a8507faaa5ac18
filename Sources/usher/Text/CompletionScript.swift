/// Scripts that complete command lines, made from the command table.
enum CompletionScript {
    /// What can follow some words: `scene` → its commands; a command → its options.
    private typealias Prefix = (words: [String], commands: [String], options: [Option])

    private static func prefixes() -> [Prefix] {
        [([], CommandTable.words(after: []), Option.global + [.version])]
            + CommandTable.groups.map { ([$0.name], CommandTable.words(after: [$0.name]), Option.global) }
            + CommandTable.commands.map { ($0.path, [], $0.options + Option.global) }
    }

    /// The options with a fixed set of values, by `command --option`; and those with files.
    private static func choices() -> [(words: String, values: [String])] {
        prefixes().flatMap { prefix in
            prefix.options.compactMap { option in
                guard case .choice(let values) = option.kind else { return nil }
                return ((prefix.words + ["--\(option.name)"]).joined(separator: " "), values)
            }
        }
    }

    private static var valued: [String] {
        let options = Option.global + CommandTable.commands.flatMap(\.options)
        return Set(options.filter(\.takesValue).map { "--\($0.name)" }).sorted()
    }

    // MARK: bash

    static func bash() -> String {
        var text = """
            # bash completion for usher; written by `usher completion bash`.
            _usher() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path= index
                COMPREPLY=()
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case ${COMP_WORDS[index]} in
                        \(valued.joined(separator: "|"))) ((index++)) ;;
                        -*) ;;
                        *) case "$path${path:+ }${COMP_WORDS[index]}" in
                            \(prefixes().dropFirst().map { quoted($0.words) }.joined(separator: "|"))) path+="${path:+ }${COMP_WORDS[index]}" ;;
                        esac ;;
                    esac
                done
                case "$path${path:+ }$before" in

            """
        for choice in choices() {
            text += "        '\(choice.words)') COMPREPLY=($(compgen -W '\(choice.values.joined(separator: " "))'"
            text += " -- \"$word\")); return ;;\n"
        }
        text +=
            "    esac\n    case $before in\n        \(valued.joined(separator: "|"))) COMPREPLY=($(compgen -f -- \"$word\"));"
        text += " return ;;\n    esac\n    case $path in\n"
        for prefix in prefixes() {
            let options = prefix.options.map { "--\($0.name)" }.joined(separator: " ")
            let commands = prefix.commands.joined(separator: " ")
            text += "        \(quoted(prefix.words)))\n"
            text += "            if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '\(options)' -- \"$word\"))\n"
            let what = prefix.commands.isEmpty ? "-f" : "-W '\(commands)'"
            text += "            else COMPREPLY=($(compgen \(what) -- \"$word\")); fi ;;\n"
        }
        text += "    esac\n}\ncomplete -o filenames -F _usher usher\n"
        return text
    }

    // MARK: zsh

    /// zsh runs the bash function: one table, one behaviour.
    static func zsh() -> String {
        "#compdef usher\n# zsh completion for usher; written by `usher completion zsh`.\n"
            + "autoload -U +X bashcompinit && bashcompinit\n" + bash()
    }

    // MARK: fish

    static func fish() -> String {
        var text = "# fish completion for usher; written by `usher completion fish`.\n"
        for prefix in prefixes() {
            let condition = condition(prefix)
            for command in prefix.commands {
                let path = prefix.words + [command]
                let summary =
                    CommandTable.command(path)?.summary ?? CommandTable.groups.first { $0.name == command }?.summary
                    ?? ""
                text += "complete -c usher -f -n '\(condition)' -a '\(command)' -d '\(escaped(summary))'\n"
            }
            for option in prefix.options {
                text += "complete -c usher -n '\(condition)' -l '\(option.name)' -d '\(escaped(option.summary))'"
                switch option.kind {
                case .flag, .optionalValue: break
                case .value: text += " -r"
                case .choice(let values): text += " -x -a '\(values.joined(separator: " "))'"
                }
                text += "\n"
            }
        }
        return text
    }

    private static func condition(_ prefix: Prefix) -> String {
        guard !prefix.words.isEmpty else { return "__fish_use_subcommand" }
        var condition = prefix.words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
        if !prefix.commands.isEmpty {
            condition += "; and not __fish_seen_subcommand_from \(prefix.commands.joined(separator: " "))"
        }
        return condition
    }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
    }

    private static func quoted(_ words: [String]) -> String { "'\(words.joined(separator: " "))'" }
}
