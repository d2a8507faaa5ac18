import EngineTestSupport
import Testing
import UsherActivation
import UsherEngine
import UsherFeatures
import UsherJSON
import UsherLog
import UsherOperation
import UsherScene
import UsherStore

/// `content moved|deleted|restore|list` through the service that every client uses.
@Suite("Redirect commands")
struct RedirectCommandsTests {
    private func withService(_ body: (OperationContext) throws -> Void) throws {
        let fixture = try DispatchFixture()
        let store = try fixture.openStore()
        defer { store.close() }
        try body(
            OperationContext(
                store, sessions: store, configuration: Configuration(apps: [fixture.app]),
                activator: Activator(windowSystem: fixture.windows, environment: [:], stateDirectory: nil),
                logger: Logger(level: .debug, sink: fixture.log), openings: .all))
    }

    @Test func movesDeletesAndTakesBack() throws {
        try withService { service throws in
            let moved = try service.perform("link.move", ["from": "u:a", "to": "u:b", "reason": "better name"])
            #expect(moved["redirect"]?.summary("kind", "source", "destination", "reason") == "move u:a u:b better name")
            #expect(moved["redirect"]?["number"]?.int64 == 1)
            #expect(moved["resolved"]?.string == "u:b")
            #expect(moved["is_new"]?.boolean == true)
            let again = try service.perform("link.move", ["from": "u:a", "to": "u:b"])
            #expect(again["is_new"]?.boolean == false)

            let deleted = try service.perform("link.delete", ["target": "u:a"])
            #expect(deleted["redirect"]?.summary("kind", "source") == "deleted u:b")
            #expect(deleted["redirect"]?["destination"]?.kind == .null)
            #expect(deleted["hops"]?.elements?.first?.summary("from", "to") == "u:a u:b")

            let list = try service.perform("link.redirects", ["target": "u:a"])
            #expect(list["redirects"]?.elements?.compactMap { $0["number"]?.int64 } == [2, 1])
            #expect(list["tombstone"]?["identifier"]?.string == "u:b")
            #expect(list["aliases"]?.elements?.compactMap(\.string) == ["u:b", "u:a"])

            let restored = try service.perform("link.restore", ["target": "u:a"])
            #expect(restored["redirect"]?["kind"]?.string == "deleted")
            #expect(restored["resolved"]?.string == "u:b")
            #expect(restored["tombstone"]?.kind == .null)
            _ = try service.perform("link.restore", ["target": "u:a"])
            let rest = try service.perform("link.redirects", [:])
            #expect(rest["redirects"]?.elements?.isEmpty == true)
            #expect(rest["total"]?.int64 == 0)
        }
    }

    @Test func aLimitSaysHowManyThereAre() throws {
        try withService { service throws in
            for index in 0..<5 {
                _ = try service.perform("link.move", ["from": .string("a\(index)"), "to": "u:b"])
            }
            let list = try service.perform("link.redirects", ["limit": 2])
            #expect(list["redirects"]?.elements?.compactMap { $0["number"]?.int64 } == [5, 4])
            #expect(list["total"]?.int64 == 5)
        }
    }

    @Test func theNewIdentifierIsJudged() throws {
        try withService { service throws in
            let moved = try service.perform(
                "link.move", ["from": "u:a", "to": "https://a.example/\u{202E}x?id=undefined"])
            let names = moved["findings"]?.elements?.compactMap { $0["name"]?.string } ?? []
            #expect(names == ["lint.placeholder", "lint.spelling"])
            let prefixes = try service.perform(
                "link.move", ["from": "https://a.example/x", "to": "https://b.example/", "prefix": true])
            #expect(prefixes["warnings"]?.elements?.count == 1)
            #expect(prefixes["findings"]?.elements?.isEmpty == true)
        }
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        var operation: String
        var arguments: JSONValue
        var code: DiagnosticCode
        var testDescription: String { "\(operation) \(arguments.text().prefix(60))" }
    }

    static let bad: [Bad] = [
        .init(operation: "link.move", arguments: ["from": "a"], code: .controlArgument),
        .init(operation: "link.move", arguments: ["to": "a"], code: .controlArgument),
        .init(operation: "link.move", arguments: ["from": 1, "to": "a"], code: .controlArgument),
        .init(operation: "link.move", arguments: ["from": "a", "to": "b", "perfix": true], code: .controlArgument),
        .init(operation: "link.move", arguments: ["from": "a", "to": "b", "prefix": "yes"], code: .controlArgument),
        .init(operation: "link.move", arguments: ["from": "a", "to": "b", "reason": "\u{0}"], code: .controlArgument),
        .init(
            operation: "link.move",
            arguments: ["from": "a", "to": "b", "reason": .string(String(repeating: "x", count: 1001))],
            code: .controlArgument),
        .init(operation: "link.move", arguments: ["from": "", "to": "a"], code: .redirectIdentifier),
        .init(operation: "link.move", arguments: ["from": "a", "to": "a"], code: .redirectOntoItself),
        .init(operation: "link.delete", arguments: [:], code: .controlArgument),
        .init(operation: "link.delete", arguments: ["target": ""], code: .redirectIdentifier),
        .init(operation: "link.restore", arguments: ["target": "a"], code: .redirectNone),
        .init(operation: "link.redirects", arguments: ["limit": 0], code: .controlArgument),
        .init(operation: "link.redirects", arguments: [], code: .controlArgument),
    ]

    @Test(arguments: bad)
    func refused(_ bad: Bad) throws {
        try withService { service throws in
            let error = #expect(throws: ControlError.self) {
                try service.perform(bad.operation, bad.arguments)
            }
            #expect(error?.code == bad.code)
            #expect(error?.status == .usage)
        }
    }
}
