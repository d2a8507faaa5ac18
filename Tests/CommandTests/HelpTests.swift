import Foundation
import TestSupport
import Testing

/// The help of every command, and the examples in it.
struct HelpTests {
    /// Every command, as the overview lists them.
    static let commands: [[String]] =
        (try? UsherProgram.run { usher throws in
            // The lines of "commands": in the overview first words, in a group's help whole calls.
            func calls(_ path: [String]) throws -> [[String]] {
                let lines = try usher.run(["help"] + path).output.components(separatedBy: "\n")
                guard let start = lines.firstIndex(of: "commands") else { return [] }
                return lines[(start + 1)...].prefix { $0.hasPrefix("  ") }
                    .map { $0.split(separator: " ").map(String.init) }
            }
            return try calls(["--all"]).flatMap { line -> [[String]] in
                let group = try calls([line[0]])
                return group.isEmpty ? [[line[0]]] : group.map { [$0[1], $0[2]] }
            }
        }) ?? []

    /// Examples that need data in the store, or a daemon: their error without it. `Scripts/check-documentation` runs all
    /// examples with what they need.
    static let withoutItsData = [
        "deliveries show": "there is no delivery", "deliveries retry": "there is no delivery",
        "deliveries drop": "there is no delivery", "deliveries answer": "there is no delivery",
        "reload": "usherd does not run",
        "activity update": "has no activity", "activity resign": "has no activity",
        "activity show": "no activity is current",
        "link add": "no note is in progress", "link show": "there is no link", "link list": "no note is in progress",
        "link open": "there is no link", "link remove": "there is no link",
        "content restore": "has neither moved nor been deleted",
        "link-handler install": "link-handler.no-browser", "scene pick": "there is no desktop here",
        "browser install": "no browser", "desktop install": "GNOME Shell", "hook listen": "usherd does not run",
        "interaction forget": "there is no interaction", "reminder delete": "there is no reminder",
        "notification remove": "there is no notification",
        "media list": "session bus", "perform": "perform.no",
    ]

    @Test(
        "help is given whatever is wrong with the rest of the line, but not for text behind --",
        arguments: [
            ["scene", "list", "--help", "--bogus"], ["scene", "list", "--bogus", "-h"],
            ["scene", "list", "one", "--help"], ["-h", "scene", "list"],
            ["scene", "list", "--help", "--json", "x", "y"],
            ["scene", "list", "--app", "--help"],
        ])
    func helpGoesFirst(line: [String]) throws {
        try UsherProgram.run { usher throws in
            #expect(try usher.run(line).output == usher.run(["help", "scene", "list"]).output)
            #expect(try usher.run(["scene", "list", "--bogus", "--", "--help"]).status == 2)
        }
    }

    @Test(arguments: ["U5208", "duplicate.scheme"])
    func saysWhatReplacedARetiredCode(_ word: String) throws {
        try UsherProgram.run { usher throws in
            let help = try usher("help", word)
            #expect(help.status == 0)
            #expect(help.output.hasPrefix("U5208 duplicate.scheme is not reported any more. U5203 "))
            #expect(try usher("help", "U5299").status == 2)
            let grouped = try usher("help", "aps.sound.name.type")
            #expect(grouped.output.hasPrefix("U1133 aps.sound.name.type is not reported any more. U1012 member.type "))
        }
    }

    @Test(arguments: ["U2001", "resolution.no-app"]) func explainsACode(_ word: String) throws {
        try UsherProgram.run { usher throws in
            let text = "U2001 resolution.no-app: No app owns the request\nRemedy: name the app, "
            #expect(try usher("help", word).output.hasPrefix(text))
        }
    }

    @Test func listsEveryCommand() {
        let names = Self.commands.map { $0.joined(separator: " ") }
        for expected in ["init", "check", "scene connect", "scene close", "predicate eval", "payload inspect"] {
            #expect(names.contains(expected))
        }
    }

    @Test("the overview has the main commands, and names the option that lists every command")
    func overview() throws {
        try UsherProgram.run { usher throws in
            let overview = try usher.run(["help"]).output
            for word in ["dispatch", "explain", "hook", "scene", "deliveries"] {
                #expect(overview.contains("\n  \(word) "))
            }
            #expect(!overview.contains("\n  contact "))
            for command in Self.commands { #expect(overview.contains(command[0]), "\(command[0])") }
            let everyDay = try #require(overview.range(of: "\nevery day\n  open "))
            #expect(try everyDay.lowerBound < #require(overview.range(of: "\nset up and check\n")).lowerBound)
            #expect(overview.contains("usher help --all"))
            #expect(try usher.run(["help", "--all"]).output.contains("\n  contact "))
            #expect(try usher.run(["help", "--all", "scene"]).output == usher.run(["help", "scene"]).output)
        }
    }

    @Test(
        "the help of a command with a similar name names it",
        arguments: [
            ("scene activate", "scene focus"), ("scene focus", "scene activate"), ("remind", "reminder"),
            ("reminder list", "remind TEXT"), ("perform", "shortcut perform"), ("shortcut perform", "perform VERB"),
            ("suggest", "link suggest"), ("link suggest", "suggest"), ("content moved", "link remove"),
        ])
    func namesSiblings(_ command: String, _ sibling: String) throws {
        try UsherProgram.run { usher throws in
            let help = try usher.run(["help"] + command.split(separator: " ").map(String.init)).output
            let text = help.components(separatedBy: "\noptions of every command\n")[0]
            #expect(text.contains(": usher \(sibling)"), "\(text)")
        }
    }

    @Test(arguments: commands)
    func isThereForTheCommand(_ command: [String]) throws {
        try UsherProgram.run { usher throws in
            let help = try usher.run(["help"] + command)
            #expect(help.status == 0)
            #expect(help.output.hasPrefix("usher \(command.joined(separator: " ")): "))
            #expect(help.output.contains("\nexamples\n"))
            // What follows `serve` is for usherd.
            if command != ["serve"] {
                let other = try usher.run(command + ["--help"])
                #expect(other.status == 0)
                #expect(other.output == help.output)
            }
            let text = help.output.components(separatedBy: "\nexamples\n")[0]
            #expect(text.split(separator: "\n").allSatisfy { $0.unicodeScalars.count <= 120 })
        }
    }

    /// Options that every command takes stand before it, too.
    @Test func serveTakesOptionsFromEverywhere() throws {
        try UsherProgram.run { usher throws in
            let help = try usher("serve", "--help")
            #expect(help.output.hasPrefix("usage: usherd"))
            for words in [["--state", "x", "serve", "--help"], ["--quiet", "--config=x", "serve", "--help"]] {
                #expect(try usher.run(words).output == help.output)
            }
            #expect(try usher("--state", "serve").status == 2)
        }
    }

    @Test(arguments: withoutItsData)
    func examplesNameWhatIsMissing(_ command: String, message: String) throws {
        try UsherProgram.run { original throws in
            var usher = original
            try usher.connectClowns()
            usher.environment["USHER_CONFIG"] = UsherProgram.sampleConfiguration
            let help = try usher.run(["help"] + command.split(separator: " ").map(String.init)).output
            let examples = help.components(separatedBy: "\nexamples\n").last ?? ""
            let endings = try examples.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("    ") }
                .map { try usher.shell(String($0)) }
            #expect(endings.contains { $0.status == 2 && $0.errors.contains(message) }, "\(endings)")
        }
    }
}
