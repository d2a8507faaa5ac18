import StoreTestSupport
import Testing
import UsherScene

@testable import UsherNotes
@testable import UsherStore

/// What is refused, with what words; and that nothing is changed by it.
@Suite("Redirect refusals")
struct RedirectRefusalTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var redirects: [String] = []
        var refused: String
        var code: DiagnosticCode
        var message: String
        var help: String = ""
        var testDescription: String { name }
    }

    static let long = String(repeating: "x", count: 16_385)

    static let cases: [Case] = [
        .init(name: "onto itself", refused: "a > a", code: .redirectOntoItself, message: "a cannot move onto itself"),
        .init(name: "a prefix onto itself", refused: "a* > a*", code: .redirectOntoItself, message: "onto itself"),
        .init(
            name: "there and back", redirects: ["a > b"], refused: "b > a", code: .redirectWouldLoop,
            message: "b → a → b", help: "usher content restore a"),
        .init(
            name: "a loop of three", redirects: ["a > b", "b > c"], refused: "c > a", code: .redirectWouldLoop,
            message: "c → a → b → c"),
        .init(
            name: "prefixes there and back", redirects: ["a/* > b/*"], refused: "b/* > a/*", code: .redirectWouldLoop,
            message: "b/ → a/ → b/", help: "usher content restore a/ --prefix"),
        .init(
            name: "prefixes that grow each time", redirects: ["a/* > b/x/*"], refused: "b/* > a/*",
            code: .redirectWouldLoop, message: "a/ → b/x/ → a/x/"),
        .init(
            name: "part of a prefix comes back", redirects: ["a/x/* > b/x/*"], refused: "b/* > a/*",
            code: .redirectWouldLoop, message: "b/x/ → a/x/ → b/x/"),
        .init(
            name: "one below a prefix comes back", redirects: ["a/q > b/q"], refused: "b/* > a/*",
            code: .redirectWouldLoop, message: "b/q → a/q → b/q"),
        .init(
            name: "one is led back by a prefix", redirects: ["b/* > a/*"], refused: "a/q > b/q",
            code: .redirectWouldLoop, message: "a/q → b/q → a/q", help: "usher content restore b/ --prefix"),
        .init(
            name: "the destination itself comes back", redirects: ["b > a"], refused: "a* > b*",
            code: .redirectWouldLoop,
            message: "a → b → a"),
        .init(
            name: "taking back what stands before a loop", redirects: ["b/q > z", "b/* > a/*", "a/q > b/q"],
            refused: "b/q -", code: .redirectWouldLoop, message: "b/q → a/q → b/q"),
        .init(
            name: "onto a tombstone", redirects: ["b x"], refused: "a > b", code: .redirectDeleted,
            message: "b was deleted on ", help: "usher content restore b"),
        .init(
            name: "onto what leads to a tombstone", redirects: ["b > c", "c x"], refused: "a > b",
            code: .redirectDeleted,
            message: "c was deleted on ", help: "usher content restore c"),
        .init(
            name: "a prefix onto a tombstone", redirects: ["b/ x"], refused: "a/* > b/*", code: .redirectDeleted,
            message: "b/ was deleted on "),
        .init(
            name: "what was deleted", redirects: ["a x"], refused: "a > b", code: .redirectDeleted,
            message: "a was deleted on ", help: "usher content restore a"),
        .init(
            name: "what has moved", redirects: ["a > b"], refused: "a > c", code: .redirectTaken,
            message: "a has moved to b already (move 1, ", help: "usher content restore a"),
        .init(
            name: "a prefix that has moved", redirects: ["a/* > b/*"], refused: "a/* > c/*", code: .redirectTaken,
            message: "(prefix move 1, ", help: "usher content restore a/ --prefix"),
        .init(
            name: "nothing to take back", refused: "a -", code: .redirectNone, message: "a has neither moved nor been"),
        .init(
            name: "moved by a prefix only", redirects: ["a/* > b/*"], refused: "a/x -", code: .redirectNone,
            message: "a/x has neither", help: "usher content restore a/ --prefix takes that back"),
        .init(
            name: "no such prefix", redirects: ["a > b"], refused: "a* -", code: .redirectNone,
            message: "no prefix move has the source a"),
        .init(
            name: "too long an old one", refused: "\(long) > b", code: .redirectIdentifier, message: "has 16385 bytes"),
        .init(name: "too long a new one", refused: "a > \(long)", code: .redirectIdentifier, message: "the new"),
        .init(name: "too long to delete", refused: "\(long) x", code: .redirectIdentifier, message: "has 16385 bytes"),
        .init(
            name: "an empty prefix", refused: "* > b*", code: .redirectIdentifier,
            message: "the old identifier is empty"),
        .init(name: "a NUL", refused: "a\0 > b", code: .redirectIdentifier, message: "NUL"),
        .init(name: "a NUL to delete", refused: "a\0b x", code: .redirectIdentifier, message: "NUL"),
    ]

    @Test(arguments: cases)
    func refused(_ example: Case) throws {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        for line in example.redirects { try store.apply(line) }
        let before = try store.redirects(limit: 100).redirects
        let refusal = #expect(throws: Diagnostic.self) { try store.apply(example.refused) }
        #expect(refusal?.code == example.code)
        #expect(refusal?.message.contains(example.message) == true, "\(refusal?.message.prefix(400) ?? "")")
        if !example.help.isEmpty { #expect(refusal?.help?.hasSuffix(example.help) == true, "\(refusal?.help ?? "")") }
        #expect(try store.redirects(limit: 100).redirects == before)
    }

    @Test(
        "what looks like a loop and is none",
        arguments: [
            ["a/x/* > b/y/*", "b/* > a/*"], ["a/* > a/new/*", "b/* > a/*"], ["a/old/* > a/*", "b/* > a/old/*"],
            ["a/q > z", "b/* > a/*", "a/* > c/*"], ["a > b", "a/* > b/*", "b/c > a2"],
        ])
    func noLoop(_ redirects: [String]) throws {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        for line in redirects { try store.apply(line) }
    }

    // MARK: Length

    enum Growth: String, CaseIterable, Sendable {
        case atTheEnd, atTheBeginning, inTheMiddle, byAPrefixInTheMiddle, byPrefixes
    }

    @Test(arguments: Growth.allCases)
    func thirtyThreeHops(_ growth: Growth) throws {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        var lines = (0..<33).map { "n/\($0)/ > n/\($0 + 1)/" }
        var last: String
        switch growth {
        case .atTheEnd: last = lines.removeLast()
        case .atTheBeginning: last = lines.removeFirst()
        case .inTheMiddle: last = lines.remove(at: 16)
        case .byAPrefixInTheMiddle:
            lines.remove(at: 16)
            last = "n/16* > n/17*"
        case .byPrefixes:
            lines = lines.map {
                $0.split(separator: " ").map { $0 == ">" ? String($0) : $0 + "*" }.joined(separator: " ")
            }
            last = lines.remove(at: 20)
        }
        for line in lines { try store.apply(line) }
        let refusal = #expect(throws: Diagnostic.self) { try store.apply(last) }
        #expect(refusal?.code == .redirectTooLong)
        #expect(refusal?.message.contains("would need 33 hops") == true, "\(refusal?.message ?? "")")
        // One less is as many as there may be.
        _ = try store.restore(content: "n/0/", isPrefix: growth == .byPrefixes)
        if growth == .atTheBeginning { last = "n/32x > n/32" }
        try store.apply(last)
        #expect(try store.redirection(of: "n/1/").hops.count == 32)
    }
}
