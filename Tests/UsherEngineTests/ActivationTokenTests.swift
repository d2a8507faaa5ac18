import EngineTestSupport
import Testing
import UsherActivation
import UsherLog
import UsherScene
import UsherStore

@testable import UsherEngine

/// The caller's activation token: for one window, once, and its startup is ended.
@Suite("Activation tokens")
struct ActivationTokenTests {
    typealias Fixture = DispatchFixture

    @Test func oneOfThoseThatCameWithItTakesIt() {
        let tokens = ActivationTokens()
        for delivery in ["a", "b", "c"] { tokens.keep("t", of: delivery) }
        tokens.keep("", of: "d")
        tokens.keep(nil, of: "d")
        #expect(tokens.take(of: "d") == nil)
        // One that opens nothing leaves it to the others.
        #expect(tokens.forget(of: "a") == nil)
        #expect(tokens.take(of: "b") == "t")
        #expect(tokens.take(of: "b") == nil && tokens.take(of: "c") == nil)
        #expect(tokens.forget(of: "b") == "t")
        #expect(tokens.forget(of: "c") == nil && tokens.forget(of: "b") == nil)
        // A later line of the same stream.
        tokens.keep("t", of: "e")
        #expect(tokens.take(of: "e") == nil && tokens.forget(of: "e") == nil)
    }

    @Test func whatAVanishedWindowWasGivenIsGivenAgain() {
        let tokens = ActivationTokens()
        tokens.keep("t", of: "a")
        #expect(tokens.take(of: "a") == "t")
        tokens.giveBack(of: "a")
        #expect(tokens.take(of: "a") == "t")
        #expect(tokens.forget(of: "a") == "t")
    }

    @Test func whereNoWindowIsOpenedTheLastOneEndsIt() {
        let tokens = ActivationTokens()
        for delivery in ["a", "b"] { tokens.keep("t", of: delivery) }
        #expect(tokens.forget(of: "a") == nil)
        #expect(tokens.forget(of: "b") == "t")
    }

    @Test func manyAreForgotten() {
        let tokens = ActivationTokens()
        for number in 0..<200 {
            tokens.keep("t\(number)", of: "d\(number)")
            #expect(tokens.take(of: "d\(number)") == "t\(number)")
            #expect(tokens.forget(of: "d\(number)") == "t\(number)")
        }
    }

    @Test func theFirstWindowOfAStreamHasIt() throws {
        let fixture = try Fixture()
        fixture.app.background = Fixture.command("true")
        let windows = TokenWindows()
        let daemon = try Daemon(fixture, windows: windows)
        for target in [Fixture.crusty, Fixture.bozo] {
            _ = try daemon.store.connect([
                .init(
                    app: "example.clowntown", scene: "clown", target: TargetContentIdentifier(target),
                    conditions: .init(), handle: windows.open())
            ])
        }
        let lines = [
            #"{"payload":{"aps":{"content-available":1}},"headers":{"apns-topic":"example.clowntown"}}"#,
            Fixture.push(Fixture.crusty), Fixture.push(Fixture.bozo),
        ]
        let arrivals = lines.map { line in
            var arrival = Daemon.arrival(line)
            arrival.token = "launcher-1_TIME2"
            return arrival
        }
        let records = try daemon.records(of: arrivals)
        #expect(records.map { "\($0.action)" } == ["background", "focus", "focus"])
        #expect(windows.tokens.with { $0.compactMap(\.self) } == ["launcher-1_TIME2"])
        #expect(windows.tokens.with { $0.count } == 2)
        #expect(windows.ended.with { $0 } == ["launcher-1_TIME2"])
        // It is a secret: with it, a window may take the focus.
        #expect(records.allSatisfy { !$0.json.contains("launcher-1_TIME2") })
        #expect(!fixture.log.lines.joined(separator: "\n").contains("launcher-1_TIME2"))
    }

    @Test(
        "what opens no window ends it all the same",
        arguments: ["{", #"{"payload":{"aps":{"alert":"hi"}},"headers":{"apns-topic":"example.nobody"}}"#])
    func nothingIsOpened(_ line: String) throws {
        let windows = TokenWindows()
        let daemon = try Daemon(try Fixture(), windows: windows)
        var arrival = Daemon.arrival(line)
        arrival.token = "t"
        let record = try #require(try daemon.records(of: [arrival]).first)
        #expect(record.error != nil)
        #expect(windows.ended.with { $0 } == ["t"] && windows.tokens.with { $0.isEmpty })
    }
}
