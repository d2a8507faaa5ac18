import Foundation
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation
@testable import UsherWindows

/// A terminal with tabs, and what tells here which one is in front.
struct TabbedTerminal: Sendable, CustomTestStringConvertible {
    var program: String
    var arguments: [String] = []
    /// Of terminals that do not start what SHELL names: files in the home folder. `SHELL` becomes the shell.
    var files: [String: String] = [:]
    var evidence: SeenEvidence.Tab
    var settings = TerminalSettings()

    var testDescription: String { "\(program) \(arguments.last ?? "") \(settings.tabs.map(\.rawValue))" }

    private static let tilix = "[com/gexperts/Tilix/profiles/2b7c4080-0ddd-46c5-8f23-563fd3ba789d]"

    /// The first is in every run, the others where they are installed.
    static let all = [
        TabbedTerminal(program: "xfce4-terminal", arguments: ["--disable-server"], evidence: .accessibility),
        TabbedTerminal(
            program: "kitty", arguments: ["-o", "allow_remote_control=yes"],
            files: [".config/kitty/kitty.conf": "shell SHELL\n"], evidence: .interface),
        TabbedTerminal(
            program: "kitty", arguments: ["-o", "allow_remote_control=socket-only", "--listen-on", "unix:@usher-test"],
            files: [".config/kitty/kitty.conf": "shell SHELL\n"], evidence: .interface),
        TabbedTerminal(program: "mate-terminal", arguments: ["--disable-factory"], evidence: .accessibility),
        TabbedTerminal(program: "lxterminal", arguments: ["--no-remote"], evidence: .accessibility),
        TabbedTerminal(
            program: "terminator", arguments: ["-u"],
            files: [
                ".config/terminator/config":
                    "[profiles]\n  [[default]]\n    use_custom_command = True\n    custom_command = SHELL\n"
            ], evidence: .accessibility),
        TabbedTerminal(program: "sakura", evidence: .accessibility),
        TabbedTerminal(program: "qterminal", evidence: .title),
        TabbedTerminal(
            program: "tilix",
            files: [
                ".config/glib-2.0/settings/keyfile": tilix + "\nuse-custom-command=true\ncustom-command='SHELL'\n"
            ], evidence: .interface),
        TabbedTerminal(program: "konsole", arguments: ["--separate"], evidence: .interface),
        TabbedTerminal(program: "gnome-terminal", evidence: .accessibility),
        TabbedTerminal(program: "gnome-terminal", evidence: .title, settings: .walking),
    ].filter {
        $0.program == "xfce4-terminal" || $0.program == "kitty" || FileSystem.isExecutable("/usr/bin/" + $0.program)
    }
}

extension TerminalSettings {
    fileprivate static var walking: TerminalSettings {
        var settings = TerminalSettings()
        settings.tabs = [.walk]
        return settings
    }
}

@Suite("A tab of a terminal", .serialized)
struct TerminalTabTests {
    @Test("is brought forward as the table of the page says", arguments: TabbedTerminal.all)
    func page(_ terminal: TabbedTerminal) throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
        let page = try String(contentsOf: source.appending(path: "../../Documentation/Terminals.md"), encoding: .utf8)
        let row = try #require(
            page.split(separator: "\n").first { $0.hasPrefix("| ") && $0.contains("`\(terminal.program)`") })
        #expect(row.contains("`\(terminal.evidence.rawValue)`"))
    }

    @Test("comes forward, and receives the key that is typed then", arguments: TabbedTerminal.all)
    func tabs(_ terminal: TabbedTerminal) throws {
        let desk = try TerminalDesk(.openbox, hasBus: true)
        try desk.makeShells("a", "b")
        for (file, text) in terminal.files {
            try desk.write(text.replacing("SHELL", with: desk.folder + "/shell"), to: file)
        }
        try desk.run(terminal.program, terminal.arguments)
        let first = try desk.process("a")
        try waitUntil("a window has the keyboard") {
            desk.server.say("xdotool", ["getwindowfocus", "getwindowname"]) != ""
        }
        let key = "ctrl+shift+t"
        try waitUntil("a second tab is open") {
            desk.server.say("xdotool", ["key", key])
            return eventually(within: 3) { desk.text("b.pid") != nil }
        }
        let second = try desk.process("b")
        #expect(try desk.receiverOfKey() == "b")
        let titles = try desk.server.windowSystem.windows().windows.map(\.title)
        for (process, witness) in [(first, "a"), (second, "b"), (first, "a")] {
            let report = desk.activator.focus(terminalOf: .process(process), terminal.settings, token: nil)
            #expect(report.outcome == .verified, "\(report.warnings.map(\.message)) \(witness)")
            #expect(report.evidence?.tab == terminal.evidence)
            #expect(try desk.receiverOfKey() == witness)
        }
        let left = try desk.server.windowSystem.windows().windows.map(\.title).filter { $0.contains("usher-") }
        #expect(left.isEmpty, "no title of a probe is left; before: \(titles)")
    }
}
