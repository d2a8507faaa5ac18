import Foundation
import TestSupport
import Testing
import UsherJSON
import UsherOperation

/// `usher` through the daemon's socket, and beside it on a store: the same answers.
struct ControlProgramTests {
    private static let config = ["--config", Repository.path + "/Config"]
    private static let clown = ["--app", "example.clowntown", "--scene", "clown"]

    struct Session: CustomTestStringConvertible {
        var name: String
        /// Lines of one life, and what stands on standard input.
        var lines: [(arguments: [String], input: String)]
        var testDescription: String { name }

        init(_ name: String, _ lines: [String]..., input: String = "") {
            self.name = name
            self.lines = lines.map { ($0, input) }
        }
    }

    static let sessions = [
        Session(
            "the life of a window",
            ["scene", "connect"] + config + clown + ["--target", ControlFixture.crusty, "--handle", "x11:0x3"],
            ["scene", "connect"] + config + ["--app", "example.clowntown", "--scene", "main", "--title", "Main"],
            ["scene", "update", "main-1", "--prefers", "SELF ENDSWITH '/bozo'"],
            ["scene", "activate", "clown-1"],
            ["scene", "disconnect", "clown-1", "--can", "SELF == $CLOWN"] + config,
            ["scene", "connect"] + config + clown + ["--session", "clown-1"],
            ["scene", "close", "clown-1"],
            ["scene", "close", "clown-1"],
            ["scene", "list"]),
        Session(
            "a warning", ["scene", "connect"] + config + clown,
            ["scene", "update", "clown-1", "--can", "SELF == $TARGET"]),
        Session(
            "mistakes",
            ["scene", "connect"] + config + ["--app", "example.clowntwon", "--scene", "main"],
            ["scene", "connect"] + config + ["--app", "example.clowntown", "--scene", "clwn"],
            ["scene", "connect"] + config + ["--app", "example.clowntown"],
            ["scene", "connect"] + config + clown + ["--can", "SELF == "],
            ["scene", "connect"] + config + clown + ["--target", ""],
            ["scene", "connect"] + config + ["--app", "example.clowntown", "--scene", "main", "--session", "x"],
            ["scene", "connect"] + config + clown + ["--session", "x"],
            ["scene", "update", "y"],
            ["scene", "update", "x", "--prefers", "SELF MATCHES 'x'"],
            ["deliveries", "retry"],
            ["deliveries", "retry", "nothing"] + config,
            ["deliveries", "drop", "nothing"]),
        Session(
            "many windows", ["scene", "connect"] + config + ["--from", "-"],
            ["scene", "list", "--app", "example.clowntown"],
            input: """
                {"app":"example.clowntown","scene":"main"}

                {"app":"example.clowntown","scene":"clown"}
                {"app":"example.clowntown","scene":"clown","target":"\(ControlFixture.crusty)","session":"mine"}
                """),
        Session(
            "lines with mistakes", ["scene", "connect"] + config + ["--from", "-"], ["scene", "list"],
            input: """
                {"app":"example.clowntown","scene":"main"}
                {"app":"example.clowntown","scene":"mian"}

                {"app":"example.clowntown","scene":"main","can":"SELF =="}
                {"app":"example.clowntown","scene":"main","handel":"@1"}
                [1]
                {"app":"example.clowntown","scene":"main",}
                """),
        Session("no lines", ["scene", "connect"] + config + ["--from", "-"], input: "\n"),
    ]

    /// What differs between two runs of the same: times.
    private static func plain(_ text: String) -> String {
        text.replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#, with: "TIME")
    }

    @Test(arguments: sessions)
    func daemonAndStoreAnswerAlike(_ session: Session) throws {
        let daemon = try ControlFixture()
        let store = try ControlFixture(isDaemon: false)
        for line in session.lines {
            let input = Data(line.input.utf8)
            let through = try ControlProgram(fixture: daemon).run(line.arguments, input: input)
            let direct = try ControlProgram(fixture: store).run(line.arguments, input: input)
            #expect(through.status == direct.status, "\(line.arguments): \(through.errors)")
            #expect(Self.plain(through.output) == Self.plain(direct.output))
            #expect(
                Self.plain(through.errors).replacingOccurrences(of: daemon.folder, with: "FOLDER")
                    == Self.plain(direct.errors).replacingOccurrences(of: store.folder, with: "FOLDER"))
        }
    }

    @Test("records come in the order of the input, whatever order they are finished in")
    func dispatchKeepsTheOrder() throws {
        let fixture = try ControlFixture()
        fixture.backend.echo.refuse(3)
        var input = Data()
        for number in 1...300 {
            input += Data(
                #"{"aps":{"alert":"n\#(number)","target-content-id":"https://clowntown.example/\#(number)"}}"#.utf8)
            input += Data("\n".utf8)
        }
        let ending = try ControlProgram(fixture: fixture).run(["dispatch", "--app", "example.clowntown"], input: input)
        #expect(ending.status == 0, "\(ending.errors)")
        let records = try ending.lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(records.map { $0["seq"]?.int64 } == (1...300).map { Int64($0) })
        #expect(records.map { $0["target"]?.string } == (1...300).map { "https://clowntown.example/\($0)" })
        #expect(records.allSatisfy { $0["source"]?.string == "stdin" && $0["app"]?.string == "example.clowntown" })
    }

    @Test func whatIsNoPayloadIsOneRecordEach() throws {
        let fixture = try ControlFixture()
        var input = Data(#"{"aps":{"alert":"a"}}"#.utf8) + Data([0x0A, 0xFF, 0xFE, 0x0A])
        input += Data(repeating: 0x20, count: 1) + Data([0x0A]) + Data(repeating: 0x61, count: (1 << 20) + 1)
        let ending = try ControlProgram(fixture: fixture).run(["dispatch"], input: input)
        #expect(ending.status == 1, "\(ending.errors)")
        let records = try ending.lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(records.map { $0["seq"]?.int64 } == [1, 2, 3])
        #expect(
            records.map { $0["error"]?["name"]?.string } == [nil, "json.invalid-utf8", "size.line-too-long"])
    }

    @Test func filesAreReadByTheirShape() throws {
        let fixture = try ControlFixture()
        let ending = try ControlProgram(fixture: fixture).run([
            "dispatch", Repository.path + "/Payloads/clown-town.ndjson",
        ])
        let lines = try String(
            contentsOfFile: Repository.path + "/Payloads/clown-town.ndjson", encoding: .utf8
        )
        .split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        #expect(ending.lines.count == lines.count)
        #expect(ending.lines.allSatisfy { $0.contains(#""source":"file""#) })
        try Data(#"{"aps":{"alert":"one"},"Simulator Target Bundle":"example.clowntown"}"#.utf8)
            .write(to: URL(fileURLWithPath: fixture.folder + "/one.apns"))
        let one = try ControlProgram(fixture: fixture).run(["dispatch", "one.apns"])
        #expect(one.lines.count == 1)
        #expect(one.output.contains(#""format":"simctl""#), "\(one.output) \(one.errors)")
        let empty = try ControlProgram(fixture: fixture).run(["dispatch"])
        #expect(empty.status == 0 && empty.output.isEmpty)
        #expect(empty.errors.contains("the input is empty"))
    }

    @Test func openAndShortcutGoThrough() throws {
        let fixture = try ControlFixture()
        let open = try ControlProgram(fixture: fixture).run(["open", ControlFixture.crusty])
        #expect(open.status == 0 && open.lines.count == 1)
        #expect(open.output.contains(#""source":"open""#))
        let shortcut = try ControlProgram(fixture: fixture).run(["shortcut", "perform", "order-crusty"])
        #expect(shortcut.status == 0, "\(shortcut.errors)")
        #expect(shortcut.output.contains(#""source":"shortcut""#))
    }

    @Test(
        "the activation token of the caller is sent to the daemon",
        arguments: [
            (["XDG_ACTIVATION_TOKEN": "w"], "w"), (["DESKTOP_STARTUP_ID": "x"], "x"),
            (["XDG_ACTIVATION_TOKEN": "w", "DESKTOP_STARTUP_ID": "x"], "x"),
            (["XDG_ACTIVATION_TOKEN": "w", "DESKTOP_STARTUP_ID": "x", "WAYLAND_DISPLAY": "wayland-1"], "w"),
            (["DESKTOP_STARTUP_ID": "x", "WAYLAND_DISPLAY": "wayland-1"], "x"),
            (["XDG_ACTIVATION_TOKEN": "", "DESKTOP_STARTUP_ID": "x"], "x"), ([:], nil),
            (["XDG_ACTIVATION_TOKEN": "two\nlines"], nil),
            (["XDG_ACTIVATION_TOKEN": String(repeating: "t", count: 1025)], nil),
        ] as [([String: String], String?)])
    func tokenGoesThrough(_ environment: [String: String], token: String?) throws {
        let fixture = try ControlFixture()
        let program = ControlProgram(fixture: fixture, environment: environment)
        for arguments in [["open", ControlFixture.crusty], ["shortcut", "perform", "order-crusty"], ["dispatch"]] {
            let ending = try program.run(arguments, input: Data(#"{"aps":{"alert":"a"}}"#.utf8))
            #expect(ending.status == 0, "\(ending.errors)")
        }
        #expect(fixture.backend.echo.tokens == [token, token, token])
    }

    @Test func interruptionWaitsForWhatIsOnItsWay() throws {
        let fixture = try ControlFixture()
        let line = Data((#"{"aps":{"alert":"a"}}"# + "\n").utf8)
        let ending = try ControlProgram(fixture: fixture).run(["dispatch"]) { pid, input in
            for _ in 0..<10 { try? input.write(contentsOf: line) }
            _ = eventually { fixture.backend.echo.count == 10 }
            kill(pid, SIGINT)
            // Standard input stays open: only the signal ends it.
            _ = eventually { kill(pid, 0) != 0 }
        }
        #expect(ending.status == 130)
        #expect(ending.lines.count == 10)
        #expect(ending.errors.contains("interrupted: 10 payloads were handled"))
    }

    @Test func otherConfigurationIsRefused() throws {
        let fixture = try ControlFixture()
        let other = fixture.folder + "/other.toml"
        try "id = \"example.other\"\n\n[[scenes]]\nname = \"main\"\n"
            .write(toFile: other, atomically: false, encoding: .utf8)
        for arguments in [["open", "https://a.example"], ["scene", "connect"], ["dispatch"]] {
            let ending = try ControlProgram(fixture: fixture).run(arguments + ["--config", other])
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            #expect(ending.errors.contains("--config names another configuration"), "\(ending.errors)")
        }
        let reload = try ControlProgram(fixture: fixture).run(["reload", "--config", other])
        #expect(reload.status == 2)
        #expect(reload.errors.contains("the old one stays in use"))
        let status = try ControlProgram(fixture: fixture).run(["status"])
        #expect(status.status == 0 && status.output.contains(#""stopping":false"#))
    }
}
