import Testing
import UsherScene

/// Which of two versions is the older one.
@Suite("Activity versions")
struct ActivityVersionTests {
    enum Order: Sendable { case older, same, newer, unknown }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var app: (version: String?, schema: Int?)
        var activity: ActivityVersion
        var order: Order
    }

    static let cases: [Case] = [
        Case("equal", ("2.1", nil), ActivityVersion(version: "2.1"), .same),
        Case("zeros at the end", ("2.1", nil), ActivityVersion(version: "2.1.0"), .same),
        Case("leading zeros", ("2.1", nil), ActivityVersion(version: "02.001"), .same),
        Case("by number, not by text", ("2.10", nil), ActivityVersion(version: "2.9"), .older),
        Case("more numbers", ("2", nil), ActivityVersion(version: "2.0.1"), .newer),
        Case("numbers that fit nowhere", ("1", nil), ActivityVersion(version: "99999999999999999999999"), .newer),
        Case("schema versions go before", ("2", 3), ActivityVersion(version: "1", schemaVersion: 4), .newer),
        Case("an older schema", ("1", 3), ActivityVersion(version: "9", schemaVersion: 2), .older),
        Case("one schema version alone decides nothing", ("2", 3), ActivityVersion(version: "1"), .older),
        Case("no version", ("2", 3), ActivityVersion(), .unknown),
        Case("an app without one", (nil, nil), ActivityVersion(version: "1", schemaVersion: 1), .unknown),
        Case("words", ("2", nil), ActivityVersion(version: "2-beta"), .unknown),
        Case("empty numbers", ("2", nil), ActivityVersion(version: "2..1"), .unknown),
        Case("a negative schema", (nil, 0), ActivityVersion(schemaVersion: -1), .older),
    ]

    @Test(arguments: cases) func order(_ test: Case) {
        let place = SourceLocation(path: "app.toml", line: 1, column: 1)
        var continuation = Continuation()
        continuation.version = test.app.version.map { Located($0, at: place) }
        continuation.schemaVersion = test.app.schema.map { Located($0, at: place) }
        let order: Order =
            switch continuation.age(of: test.activity) {
            case .same: .same
            case .older: .older
            case .newer: .newer
            case .unknown: .unknown
            }
        #expect(order == test.order)
    }
}

extension ActivityVersionTests.Case {
    init(
        _ name: String, _ app: (version: String?, schema: Int?), _ activity: ActivityVersion,
        _ order: ActivityVersionTests.Order
    ) {
        self.init(testDescription: name, app: app, activity: activity, order: order)
    }
}
