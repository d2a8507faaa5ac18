import Testing
import UsherJSON
import UsherLog
import UsherScene
import UsherText

@Suite("Decision records")
struct DecisionRecordTests {
    static func record() -> DecisionRecord {
        var record = DecisionRecord(
            id: "0199", sequence: 1, time: Instant(microseconds: 1_795_251_600_123_000), source: "stdin",
            configuration: "sha256:00", action: .focus, reason: .prefers, outcome: .verified)
        record.format = "apns"
        record.app = "example.clowntown"
        record.target = "https://clowntown.example/clowns/crusty"
        record.resolved = record.target
        record.scene = "clown"
        record.session = "clown-7"
        record.rule = SourceLocation(path: "apps/clown-town.toml", line: 23, column: 11)
        record.title = "Your clown is on the way"
        record.decideTime = .microseconds(3)
        record.actTime = .microseconds(5120)
        return record
    }

    @Test func aTextThatWasMadeIsThatOfTheRecord() {
        let record = Self.record()
        var made = record
        var bytes = Array("of another record".utf8)
        made.render(in: &bytes)
        #expect(made.json == record.json)
        var lines: [[UInt8]] = [[], []]
        record.appendLine(to: &lines[0])
        made.appendLine(to: &lines[1])
        #expect(lines[0] == lines[1])
        // The outbox gives a record its place in the input.
        made.sequence += 1
        #expect(made.json != record.json)
        made.sequence -= 1
        #expect(made.json == record.json)
    }

    @Test("the members and their order are the contract's")
    func json() throws {
        #expect(
            Self.record().json.hasPrefix(
                #"{"v":1,"id":"0199","seq":1,"time":"2026-11-21T09:00:00.123Z","source":"stdin","format":"apns","app":"example.clowntown","target":"https://clowntown.example/clowns/crusty","resolved":"https://clowntown.example/clowns/crusty","scene":"clown","session":"clown-7","action":"focus","reason":"prefers","policy":null,"rule":"apps/clown-town.toml:23:11","outcome":"verified","title":"Your clown is on the way","warnings":[],"latency_us":{"decide":3,"act":5120},"config":"sha256:00","dry_run":false,"error":null"#
            ))
    }

    @Test("a line is the record behind what is there")
    func line() {
        var record = Self.record()
        record.rule?.path = "apps/a \"b\".toml"
        var bytes = Array("before\n".utf8)
        record.appendLine(to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text == "before\n" + record.json + "\n")
        #expect(text.contains(#","rule":"apps/a \"b\".toml:23:11","outcome""#))
    }

    /// Memory for a record is taken once, for the longest text that its members can become.
    @Test(arguments: ["\u{1}", "\u{85}", "\u{202E}", "é", "\"", "plain"], [0, 1, 5000])
    func `any text finds room`(_ character: String, count: Int) throws {
        let text = String(repeating: character, count: count)
        var record = Self.record()
        (record.id, record.source, record.configuration) = (text, text, text)
        (record.format, record.app, record.target, record.resolved) = (text, text, text, text)
        (record.scene, record.session, record.title, record.senderID) = (text, text, text, text)
        record.rule = SourceLocation(path: text, line: .min, column: .min)
        (record.sequence, record.decideTime, record.actTime) = (.min, .seconds(Int64.min / 1_000_000), .seconds(-1))
        record.warnings = (0..<32).map { _ in DecisionRecord.Note(name: text, message: text) }
        let written = try JSONValue(parsing: Array(record.json.utf8))
        #expect(written["title"]?.string == text)
        #expect(written["rule"]?.string == "\(text):\(Int.min):\(Int.min)")
        #expect(written["warnings"]?.elements?.count == 32)
        #expect(written["config"]?.string == text)
    }

    @Test("what handlers wrote is there, and nothing where they wrote nothing")
    func handlerOutput() throws {
        var record = Self.record()
        record.handlers = [
            .init(verb: "show", program: "x", status: "exited", code: 0, milliseconds: 1),
            .init(
                verb: "background", program: "y", status: "exited", code: 1, milliseconds: 2, output: "a\u{1B}\n",
                errorOutput: "b\n"),
        ]
        #expect(
            record.json.contains(
                #""handlers":[{"verb":"show","program":"x","status":"exited","code":0,"ms":1},"#
                    + #"{"verb":"background","program":"y","status":"exited","code":1,"ms":2,"#
                    + #""output":"a\u001b\n","error_output":"b\n"}]"#))
    }

    @Test("an error has code, name, message, place and help")
    func error() throws {
        var record = Self.record()
        record.error = .init(
            DiagnosticCode("U1203", "target.type"), "it is a number", at: "/aps/target-content-id", offset: 57,
            help: "quote it")
        let value = try JSONValue(parsing: Array(record.json.utf8))
        #expect(
            value["error"]?.text()
                == #"{"code":"U1203","name":"target.type","message":"it is a number","at":"/aps/target-content-id","offset":57,"line":null,"column":null,"help":"quote it"}"#
        )
    }

    @Test("the text for people names the window, the reason and the place, and shows no control character")
    func text() {
        var record = Self.record()
        record.target = "a\u{1B}[31m\n\u{202E}b"
        record.warnings = [.init(name: "target.bidi", message: "looks\u{7} odd", help: "clean it")]
        let text = record.text(style: .plain)
        #expect(text.hasPrefix("focus       clown-7     prefers     verified    a\\u{1b}[31m\\u{a}\\u{202e}b"))
        #expect(text.contains("apps/clown-town.toml:23:11"))
        #expect(text.contains("\n   warning looks\\u{7} odd [target.bidi]\n   help: clean it"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test(
        "the text for people says whether a window is in front or only marked",
        arguments: [WindowView.inFront, .marked])
    func view(_ view: WindowView) {
        var record = Self.record()
        record.view = view
        #expect(record.text(style: .plain).contains("verified, \(view == .marked ? "marked" : "in front")  "))
        #expect(record.json.contains("\"view\":\"\(view == .marked ? "marked" : "in-front")\""))
    }
}

@Suite("Log lines")
struct LoggerTests {
    @Test("one JSON object a line: constant message, dotted keys")
    func json() throws {
        let sink = MemorySink()
        let logger = Logger(level: .info, sink: sink)
        logger.log(LogEvent("not-shown", .debug, "not shown", id: "0"))
        logger.log(
            .sample,
            [
                "delivery.id": .text("1"), "ids": .list(["a", "b"]), "count": 3, "absent": nil, "none": .null,
                "flag": true,
            ])
        let line = try #require(sink.lines.first)
        #expect(sink.lines.count == 1)
        let value = try JSONValue(parsing: Array(line.dropLast().utf8))
        #expect(value["level"]?.string == "info")
        #expect(value["event"]?.string == "sample")
        #expect(value["message"]?.string == "a test")
        #expect(value["ids"]?.text() == #"["a","b"]"#)
        #expect(value["absent"] == nil)
        #expect(value["none"]?.kind == .null)
        #expect(value["count"]?.int64 == 3)
    }

    @Test("the text form escapes what would disturb a terminal")
    func text() {
        let sink = MemorySink()
        Logger(level: .info, format: .text, sink: sink).log(.careful, ["target": "a\u{1B}[2J"])
        #expect(sink.lines == ["usher: warning: careful  target=a\\u{1b}[2J\n"])
    }

    private static let members = [
        "delivery.id", "sender.id", "source", "hook", "app", "scene", "session", "target", "action", "reason", "policy",
        "outcome", "rule", "latency.decide_us", "latency.act_us", "error.code", "error.name", "error.message",
    ]

    @Test("a decision is one line with the same members for each source; an error raises its level")
    func decision() throws {
        let sink = MemorySink()
        let logger = Logger(sink: sink)
        var record = DecisionRecord(
            id: "1", sequence: 1, time: Instant(microseconds: 0), source: "hook:grafana", configuration: "")
        logger.log(record)
        record.error = Diagnostic(.noApp, "no app", at: nil, help: nil)
        record.source = "stdin"
        logger.log(record)
        let lines = try sink.lines.map { try JSONValue(parsing: Array($0.dropLast().utf8)) }
        #expect(lines.map { $0["level"]?.string } == ["notice", "error"])
        for line in lines {
            #expect(line.members?.map(\.name) == ["time", "level", "event", "message"] + Self.members)
            #expect(line["event"]?.string == "decision")
            #expect(line["app"]?.kind == .null)
        }
        #expect(lines[0]["hook"]?.string == "grafana")
        #expect(lines[0]["error.code"]?.kind == .null)
        #expect(lines[1]["hook"]?.kind == .null)
        #expect(lines[1]["error.name"]?.string == "resolution.no-app")
    }

    @Test("text and the journal leave out what has no value")
    func absent() {
        let sink = MemorySink()
        Logger(level: .info, format: .text, sink: sink).log(.careful, ["target": .null, "ids": .list(["a", "b"])])
        #expect(sink.lines == ["usher: warning: careful  ids=a b\n"])
    }
}
