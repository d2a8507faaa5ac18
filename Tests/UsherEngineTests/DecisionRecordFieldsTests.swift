import Testing
import UsherJSON
import UsherLog
import UsherOperation
import UsherScene
import UsherText

@testable import UsherEngine

/// The fields of a decision record describe what its fast writer writes.
struct DecisionRecordFieldsTests {
    /// Every combination of members that are there or not, with values that have something to escape.
    static let records: [DecisionRecord] = (0..<4096).map { bits in
        func has(_ bit: Int) -> Bool { bits & (1 << bit) != 0 }
        var record = DecisionRecord(
            id: "01\(bits)", sequence: bits, time: Instant(microseconds: Int64(bits) * 1_001_000), source: "stdin",
            configuration: "sha256:é\"\\", action: Action.allCases[bits % Action.allCases.count],
            reason: Reason.allCases[bits % Reason.allCases.count],
            outcome: Outcome.allCases[bits % Outcome.allCases.count], isDryRun: has(0))
        if has(1) { (record.senderID, record.format, record.app) = ("s", "apns", "a") }
        if has(2) { (record.target, record.resolved) = ("u:\u{202E}x", "u:y") }
        if has(3) { (record.scene, record.session, record.title) = ("s", "s-1", "T\n") }
        if has(4) { record.policy = Policy.allCases[bits % Policy.allCases.count] }
        if has(5) { record.rule = SourceLocation(path: "/a:b.toml", line: 3, column: 7) }
        if has(6) { (record.decideTime, record.actTime) = (.microseconds(5), .microseconds(7)) }
        if has(7) { record.error = Diagnostic(.noScene, "none", at: has(1) ? "/a" : nil, help: "h") }
        if has(8) {
            record.warnings = [
                .init(name: "late", message: "m"), .init(name: "b", message: "c", pointer: "/p", help: "h"),
            ]
        }
        if has(9) {
            record.handlers = [
                .init(verb: "show", program: "x", status: "exited", code: 0, milliseconds: 1, output: "o"),
                .init(verb: "focus", program: "y", status: "running", errorOutput: "e"),
            ]
        }
        if has(10) { (record.seen, record.movedTo, record.view) = ("b", ["file:///c"], .inFront) }
        if has(11) { (record.parent, record.notificationAction, record.isRecovered) = ("p", "default", true) }
        return record
    }

    private func text(of record: DecisionRecord) -> String {
        var json = JSONWriter()
        json.beginObject()
        for field in DecisionRecord.fields { field.write(record, &json) }
        json.endObject()
        return json.text
    }

    @Test("fields write what the fast writer writes, and read it back")
    func sameText() throws {
        for record in Self.records {
            try #require(text(of: record) == record.json)
            let read = try DecisionRecord(reading: Array(record.json.utf8))
            try #require(read.json == record.json)
        }
    }
}
