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
            return try calls([]).flatMap { line -> [[String]] in
                let group = try calls([line[0]])
                return group.isEmpty ? [[line[0]]] : group.map { [$0[1], $0[2]] }
            }
        }) ?? []

    /// Examples that need data in the store, or a daemon: their error without it.
    static let withoutItsData = [
        "deliveries show": "there is no delivery", "deliveries retry": "there is no delivery",
        "deliveries drop": "there is no delivery", "reload": "usherd does not run",
        "activity update": "has no activity", "activity resign": "has no activity",
        "activity show": "no activity is current",
        "link add": "no note is in progress", "link show": "there is no link", "link list": "no note is in progress",
        "link open": "there is no link", "link remove": "there is no link",
        "link restore": "has neither moved nor been deleted", "content restore": "has neither moved nor been deleted",
        "link-handler install": "link-handler.no-browser", "scene pick": "there is no desktop here",
        "browser install": "no browser", "desktop install": "GNOME Shell", "hook listen": "usherd does not run",
        "interaction forget": "there is no interaction", "reminder delete": "there is no reminder",
        "media list": "session bus", "perform": "perform.no",
    ]

    @Test(
        "help is given whatever is wrong with the rest of the line, but not for text behind --",
        arguments: [
            ["scene", "list", "--help", "--bogus"], ["scene", "list", "--bogus", "-h"],
            ["scene", "list", "one", "--help"],
            ["scene", "list", "--app", "--help"],
        ])
    func helpGoesFirst(line: [String]) throws {
        try UsherProgram.run { usher throws in
            #expect(try usher.run(line).output == usher.run(["help", "scene", "list"]).output)
            #expect(try usher.run(["scene", "list", "--bogus", "--", "--help"]).status == 2)
        }
    }

    @Test func listsEveryCommand() {
        let names = Self.commands.map { $0.joined(separator: " ") }
        for expected in ["init", "check", "scene connect", "scene close", "predicate eval", "payload inspect"] {
            #expect(names.contains(expected))
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
            let behind = command == ["serve"] ? [] : [command + ["--help"], command + ["--help", "--json", "x", "y"]]
            for form in [["-h"] + command] + behind {
                let other = try usher.run(form)
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

    @Test(arguments: commands)
    func examplesRun(_ command: [String]) throws {
        try UsherProgram.run { original throws in
            var usher = original
            let name = command.joined(separator: " ")
            if name != "init" { try usher.connectClowns() }
            for name in ["Config", "Payloads", "Tests"] {
                try FileManager.default.createSymbolicLink(
                    atPath: usher.path(name), withDestinationPath: "\(Repository.path)/\(name)")
            }
            if name != "init" { usher.environment["USHER_CONFIG"] = UsherProgram.sampleConfiguration }
            if name == "hook add" {
                // It writes a hook into the configuration.
                try FileManager.default.copyItem(atPath: UsherProgram.sampleConfiguration, toPath: usher.path("own"))
                usher.environment["USHER_CONFIG"] = usher.path("own")
            }
            if name == "undo" {
                try usher("note", "new", "one that is deleted")
                try usher("note", "delete", "current")
            }
            if name.hasPrefix("note ") {
                usher.environment["EDITOR"] = "true"
                for text in ["one that is put aside", "one in progress"] { try usher("note", "new", text) }
            }
            if command.last == "pick" {
                usher.environment["USHER_MENU"] = "head -n 1"
                try usher("note", "new", "one with a link", "--link", "https://clowntown.example/clowns/crusty")
            }
            if name == "note import" {
                #expect(try usher.shell("usher note export notes.jsonl && gzip -k notes.jsonl").status == 0)
            }
            let help = try usher.run(["help"] + command).output
            let examples = help.components(separatedBy: "\nexamples\n").last ?? ""
            let lines = examples.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("    ") }
            #expect(!lines.isEmpty)
            for line in lines {
                let ending = try usher.shell(String(line))
                if ending.status == 2, let message = Self.withoutItsData[name] {
                    #expect(ending.errors.contains(message), "\(line): \(ending.errors)")
                } else {
                    // A stream of examples may hold a bad one: 1. Only 2 says that the line itself is wrong.
                    #expect(
                        ending.status == 0 || (ending.status == 1 && !ending.output.isEmpty),
                        "\(line): \(ending.errors)")
                }
            }
        }
    }
}
