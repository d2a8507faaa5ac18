/// Scripts that complete command lines, made from the command table.
enum CompletionScript {
    /// What can follow some words: `scene` → its commands; a command → its options.
    private struct Place {
        var words: [String]
        var commands: [String]
        var options: [Option]
    }

    private static func places() -> [Place] {
        var places = [Place(words: [], commands: CommandTable.words(after: []), options: Option.global + [.version])]
        for group in CommandTable.groups {
            places.append(
                Place(words: [group.name], commands: CommandTable.words(after: [group.name]), options: Option.global))
        }
        for command in CommandTable.commands {
            places.append(Place(words: command.path, commands: [], options: command.options + Option.global))
        }
        return places
    }

    /// The options with a fixed set of values, by `command --option`; and those with files.
    private static func choices() -> [(words: String, values: [String])] {
        var choices: [(String, [String])] = []
        for place in places() {
            for option in place.options {
                guard case .choice(let values) = option.kind else { continue }
                choices.append(((place.words + ["--\(option.name)"]).joined(separator: " "), values))
            }
        }
        return choices
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
                            \(places().dropFirst().map { quoted($0.words) }.joined(separator: "|"))) path+="${path:+ }${COMP_WORDS[index]}" ;;
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
        for place in places() {
            let options = place.options.map { "--\($0.name)" }.joined(separator: " ")
            let commands = place.commands.joined(separator: " ")
            text += "        '\(place.words.joined(separator: " "))')\n"
            text += "            if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '\(options)' -- \"$word\"))\n"
            if place.commands.isEmpty {
                text += "            else COMPREPLY=($(compgen -f -- \"$word\")); fi ;;\n"
            } else {
                text += "            else COMPREPLY=($(compgen -W '\(commands)' -- \"$word\")); fi ;;\n"
            }
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
        for place in places() {
            let condition = condition(place)
            for command in place.commands {
                let path = place.words + [command]
                let summary =
                    CommandTable.command(path)?.summary ?? CommandTable.groups.first { $0.name == command }?.summary
                    ?? ""
                text += "complete -c usher -f -n '\(condition)' -a '\(command)' -d '\(escaped(summary))'\n"
            }
            for option in place.options {
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

    private static func condition(_ place: Place) -> String {
        guard !place.words.isEmpty else { return "__fish_use_subcommand" }
        var condition = place.words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
        if !place.commands.isEmpty {
            condition += "; and not __fish_seen_subcommand_from \(place.commands.joined(separator: " "))"
        }
        return condition
    }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
    }

    private static func quoted(_ words: [String]) -> String { "'\(words.joined(separator: " "))'" }
}
