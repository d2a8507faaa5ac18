import Foundation
import Glibc
import Testing
import UsherLog
import UsherSystem
import UsherText

@Suite("Entries for journald")
struct JournalSinkTests {
    private func logger(_ receiver: JournalReceiver) throws -> Logger {
        var logger = Logger(level: .debug, format: .journal, sink: try #require(JournalSink(path: receiver.path)))
        logger.identifier = "usherd"
        return logger
    }

    @Test("message, priority, identifier, the event's id, and a field for each key")
    func fields() throws {
        let receiver = try JournalReceiver()
        try logger(receiver).log(
            .failed,
            [
                "delivery.id": .text("0199"), "error.code": "U3001", "count": -3, "flag": true, "absent": nil,
                "payload.body": .text("secret words"), "Odd key/é": "x",
            ])
        let entry = try receiver.entry()
        #expect(entry["PRIORITY"] == "3")
        #expect(entry["SYSLOG_IDENTIFIER"] == "usherd")
        #expect(entry["MESSAGE_ID"] == "e55ca5cb3a8c4e6a8de47b51fd30824f")
        #expect(entry["USHER_EVENT"] == "delivery-failed")
        #expect(entry["USHER_DELIVERY_ID"] == "0199")
        #expect(entry["USHER_ERROR_CODE"] == "U3001")
        #expect(entry["USHER_COUNT"] == "-3")
        #expect(entry["USHER_FLAG"] == "true")
        #expect(entry["USHER_ABSENT"] == nil)
        #expect(entry["USHER_PAYLOAD_BODY"] == "secret words")
        #expect(entry["USHER_ODD_KEY___"] == "x")
        #expect(entry["MESSAGE"]?.hasPrefix("a request could not be carried out  delivery.id=0199") == true)
        #expect(!entry.wasFile)
        for (name, _) in entry.fields {
            #expect(name.utf8.allSatisfy { $0 == 0x5F || (0x41...0x5A).contains($0) }, "\(name)")
            #expect(!name.hasPrefix("_") && !name.hasPrefix("CODE_"))
        }
    }

    @Test(
        "every value arrives as it is",
        arguments: [
            "", "two\nlines", "\n", "a=b", "MESSAGE=forged\nPRIORITY=0", "nul\u{0}byte", "\u{1B}[2J", "ünïcode 🤡",
        ])
    func values(value: String) throws {
        let receiver = try JournalReceiver()
        try logger(receiver).log(.sample, ["target": .text(value)])
        let entry = try receiver.entry()
        #expect(entry["USHER_TARGET"] == value)
        #expect(entry["PRIORITY"] == "6")
        #expect(
            entry.fields.map(\.name)
                == ["PRIORITY", "MESSAGE", "SYSLOG_IDENTIFIER", "MESSAGE_ID", "USHER_EVENT", "USHER_TARGET"])
        #expect(entry["MESSAGE"]?.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    }

    @Test("what no datagram holds arrives as a sealed file", arguments: [200 * 1024, 3 << 20])
    func large(size: Int) throws {
        let receiver = try JournalReceiver()
        let body = String(repeating: "0123456789abcde\n", count: size / 16)
        let log = try logger(receiver)
        log.log(.sample, ["payload.body": .text(body)])
        log.log(.next)
        let entry = try receiver.entry()
        #expect(entry.wasFile)
        #expect(entry["USHER_PAYLOAD_BODY"] == body)
        #expect((entry["MESSAGE"]?.count ?? 0) < 1000)
        #expect(try receiver.entry()["MESSAGE"] == "the next")
    }

    @Test(
        "levels are syslog's priorities",
        arguments: [(LogLevel.debug, "7"), (.info, "6"), (.notice, "5"), (.warning, "4"), (.error, "3")])
    func priorities(level: LogLevel, priority: String) throws {
        let receiver = try JournalReceiver()
        try logger(receiver).log(LogEvent("a-test", level, "a test", id: "0"))
        #expect(try receiver.entry()["PRIORITY"] == priority)
    }

    @Test("without a journal, standard error gets the message with its priority")
    func fallback() throws {
        var receiver: JournalReceiver? = try JournalReceiver()
        let lines = MemorySink()
        let sink = try #require(JournalSink(path: receiver?.path ?? "", fallback: lines))
        let logger = Logger(level: .info, format: .journal, sink: sink)
        receiver = nil
        logger.log(.careful, ["target": "two\nlines"])
        #expect(lines.lines == ["<4>usher: careful  target=two\\u{a}lines\n"])
    }

    @Test("a journal that does not read does not block the caller")
    func stuck() throws {
        let receiver = try JournalReceiver()
        let lines = MemorySink()
        let logger = Logger(
            level: .info, format: .journal, sink: try #require(JournalSink(path: receiver.path, fallback: lines)))
        let began = MonotonicClock.now
        // Far more than a queue holds; waiting for each would take minutes.
        for _ in 0..<2000 { logger.log(.sample) }
        #expect(MonotonicClock.now - began < .seconds(30))
        #expect(!lines.lines.isEmpty)
        #expect(lines.lines.allSatisfy { $0 == "<6>usher: a test\n" })
        for _ in 0..<(2000 - lines.lines.count) { _ = try receiver.entry() }
        logger.log(.next)
        #expect(try receiver.entry()["MESSAGE"] == "the next")
    }
}

@Suite("Where the log goes")
struct LogDestinationTests {
    private static func stream(of descriptor: Int32) -> String {
        var status = stat()
        fstat(descriptor, &status)
        return "\(status.st_dev):\(status.st_ino)"
    }

    @Test("standard error that leads to the journal already chooses it; a request goes before")
    func chooses() throws {
        let receiver = try JournalReceiver()
        let here = LogDestinationTests.stream(of: 2)
        func format(_ requested: LogFormat?, _ variable: String?, terminal: Bool = false) -> LogFormat {
            LogDestination(
                requested: requested, journalStream: variable, isTerminal: terminal, journalPath: receiver.path
            ).format
        }
        #expect(format(nil, here) == .journal)
        #expect(format(nil, nil) == .json)
        #expect(format(nil, nil, terminal: true) == .text)
        #expect(format(nil, "1:1") == .json)
        #expect(format(.json, here) == .json)
        #expect(format(.journal, nil) == .journal)
        for malformed in ["", ":", here + ":", " " + here, "a:b", "1", "-1:2", "99999999999999999999999:1"] {
            #expect(format(nil, malformed) == .json, "\(malformed)")
        }
    }

    @Test("without a journal there is JSON, and it says so")
    func without() {
        let destination = LogDestination(
            requested: .journal, journalStream: nil, isTerminal: false, journalPath: "/nonexistent/socket")
        #expect(destination.format == .json)
        #expect(destination.lacksJournal)
    }

    @Test("a logger that is sent elsewhere writes there, in that form")
    func directs() throws {
        let receiver = try JournalReceiver()
        var logger = Logger(level: .info)
        logger.direct(
            to: LogDestination(
                requested: .journal, journalStream: nil, isTerminal: true, journalPath: receiver.path))
        #expect(logger.format == .journal)
        logger.log(.sample)
        #expect(try receiver.entry()["MESSAGE"] == "a test")
    }
}
