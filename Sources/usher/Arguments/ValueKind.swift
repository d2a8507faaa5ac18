/// What an operand or the value of an option is: a shell completes it from that.
enum ValueKind: Sendable, Hashable {
    /// One of these words.
    case words([String])
    /// The path of a file or of a folder.
    case files
    /// The words of a command.
    case commands
    /// What the configuration has.
    case apps, scenes, hooks, templates
    /// What the configuration and the store have.
    case shortcuts, dynamicShortcuts
    /// What the store has.
    case sessions, deliveries, notifications, notes, links, activities, reminders
    /// What this version knows.
    case senders, browsers, verbs, suggestionKinds, agents

    /// Those of the word that stands for a value in help: `NOTE|current`, `FILE|-`.
    static func kinds(of placeholder: String) -> [ValueKind] {
        let parts = placeholder.split(separator: "|").map(String.init)
        let literals = parts.filter { $0.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } }
        return parts.compactMap(kind) + (literals.isEmpty ? [] : [.words(literals)])
    }

    private static func kind(of word: String) -> ValueKind? {
        switch word {
        case "APP": .apps
        case "SESSION": .sessions
        case "SENDER": .senders
        case "NOTE": .notes
        case "LINK": .links
        case "ACTIVITY": .activities
        case "FILE", "FILE.vcf", "DIR", "PATH": .files
        default: nil
        }
    }
}

extension CommandDescription.Operand {
    var values: [ValueKind] { given.map { [$0] } ?? ValueKind.kinds(of: name) }
}

extension Option {
    /// What its values are. An option of one of these names means the same in every command.
    var values: [ValueKind] {
        switch kind {
        case .flag, .optionalValue: return []
        case .choice(let words): return [.words(words)]
        case .value(let placeholder):
            switch (name, placeholder) {
            case ("app", "ID"): return [.apps]
            case ("session", "ID"): return [.sessions]
            case ("scene", _): return [.scenes]
            case ("delivery", _): return [.deliveries]
            case ("activity", "ID"), ("activity", "ID|current"):
                return [.activities] + ValueKind.kinds(of: placeholder)
            // Of a web hook's URL.
            case ("path", _): return []
            default: return ValueKind.kinds(of: placeholder)
            }
        }
    }
}
