import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherJSON
import UsherLog
import UsherPredicate
import UsherScene
import UsherStore

@testable import UsherEngine

@Suite("Dispatcher")
struct DispatcherTests {
    typealias Fixture = DispatchFixture

    @Test("launches once, then focuses; the journal has the same records")
    func launchThenFocus() throws {
        let fixture = try Fixture()
        let records = try fixture.dispatch([
            Fixture.push(Fixture.crusty), Fixture.push(Fixture.crusty), Fixture.push(Fixture.bozo),
        ])
        #expect(
            records.map { $0.summary("action", "session", "reason", "outcome") } == [
                "launch clown-1 opens verified", "focus clown-1 prefers verified", "launch clown-2 opens verified",
            ])
        #expect(fixture.windows.current != nil)
        let store = try fixture.openStore(.readOnly)
        for record in records {
            let stored = try #require(try store.delivery(record["id"]?.string ?? ""))
            #expect(stored.state == .done)
            #expect(try JSONValue(parsing: Array((stored.record ?? "").utf8)) == record)
            #expect(stored.evidence != nil)
        }
        #expect(try store.session(id: "clown-1")?.state == .connected)
        #expect(try store.session(id: "clown-1")?.used != nil)
    }

    @Test("observers are called with a record before its sender")
    func observedFirst() throws {
        let daemon = try Daemon(try Fixture())
        let heard = Locked<[String]>([])
        daemon.engine.observe { _ in heard.with { $0.append("observer") } }
        var arrival = Daemon.arrival(Fixture.push(Fixture.crusty))
        arrival.events.finished = { _ in heard.with { $0.append("sender") } }
        daemon.handle([arrival])
        daemon.engine.waitUntilIdle()
        #expect(heard.with { $0 } == ["observer", "sender"])
    }

    @Test("a launch whose window another session took meanwhile is unverified, and leaves it the window")
    func windowTakenMeanwhile() throws {
        let fixture = try Fixture()
        do {
            let store = try fixture.openStore()
            _ = try store.connect([
                Store.NewSession(
                    id: "other", app: "example.clowntown", scene: "main",
                    conditions: ActivationConditions(canActivate: .init(.never, origin: .session)), handle: "@1",
                    handleServer: "dry-run")
            ])
            store.close()
        }
        let record = try #require(try fixture.dispatch([Fixture.push(Fixture.crusty)]).first)
        #expect(record.summary("action", "session", "outcome") == "launch clown-1 unverified")
        #expect(record["warnings"]?.elements?.contains { $0.string == "activation.window-ambiguous" } == true)
        let store = try fixture.openStore(.readOnly)
        #expect(try store.session(id: "other")?.handle == "@1")
        #expect(try store.session(id: "clown-1")?.state == .disconnected)
        #expect(try store.session(id: "clown-1")?.handle == nil)
        let stored = try #require(try store.delivery(record["id"]?.string ?? ""))
        #expect(try JSONValue(parsing: Array((stored.record ?? "").utf8)) == record)
    }

    @Test("a window that was closed ends its session, and the request is decided once more")
    func closedWindow() throws {
        let fixture = try Fixture()
        try fixture.dispatch([Fixture.push(Fixture.crusty)])
        fixture.windows.close("@1")
        let record = try #require(try fixture.dispatch([Fixture.push(Fixture.crusty)]).first)
        #expect(record.summary("action", "session", "reason", "outcome") == "launch clown-2 opens verified")
        #expect(try fixture.openStore(.readOnly).session(id: "clown-1") == nil)
    }

    @Test(
        "a window that vanished and whose request then leads nowhere gets its record, whatever waits behind it",
        .timeLimit(.minutes(1)))
    func vanishedIntoNothing() throws {
        let fixture = try Fixture()
        try fixture.dispatch([Fixture.push(Fixture.crusty)])
        fixture.windows.close("@1")
        let explicit = #"{"url":"\#(Fixture.crusty)","session":"clown-1"}"#
        let records = try fixture.dispatch([explicit] + Array(repeating: #"{"aps":{"badge":1}}"#, count: 300))
        #expect(records.count == 301)
        #expect(records[0].summary("action", "reason") == "none no-such-session")
        #expect(try fixture.openStore(.readOnly).delivery(records[0]["id"]?.string ?? "")?.state == .failed)
    }

    @Test("a handle without a server: a closed window ends its session, a dead server only disconnects it")
    func handleWithoutServer() throws {
        for isServerGone in [false, true] {
            let fixture = try Fixture(windows: DryRunWindowSystem(server: isServerGone ? nil : "running"))
            let store = try fixture.openStore()
            _ = try store.connect([
                .init(
                    app: fixture.app.id, scene: "clown", target: TargetContentIdentifier(Fixture.crusty),
                    conditions: fixture.app.scenes[1].conditions(
                        for: TargetContentIdentifier(Fixture.crusty), template: nil
                    ).conditions, handle: "@9")
            ])
            store.close()
            let record = try #require(try fixture.dispatch([Fixture.push(Fixture.crusty)]).first)
            #expect(record.summary("action", "session") == (isServerGone ? "launch clown-1" : "launch clown-2"))
        }
    }

    @Test("what failed may be sent again under the same id")
    func resend() throws {
        let fixture = try Fixture()
        let line =
            #"{"payload":\#(Fixture.push(Fixture.crusty)),"headers":{"apns-id":"7e1b9d0a-5d0e-4a54-9a5c-30a1a7a3f0a1","apns-topic":"example.clowntown"}}"#
        let command = try #require(fixture.app.scenes[1].launch?.command)
        fixture.app.scenes[1].launch?.command = Fixture.command("no-such-program", "--", "{target}")
        #expect(try fixture.dispatch([line]).first?["error"]?["name"]?.string == "resolution.not-installed")
        fixture.app.scenes[1].launch?.command = command
        let again = try fixture.dispatch([line]).first
        #expect(again?.summary("action", "outcome") == "launch verified", "\(String(describing: again?.text()))")
    }

    @Test("a server that was restarted disconnects its sessions; they are launched again under their name")
    func restartedServer() throws {
        let before = try Fixture()
        try before.dispatch([Fixture.push(Fixture.crusty)])
        let after = try Fixture(windows: DryRunWindowSystem(server: "another"))
        try FileManager.default.copyItem(atPath: before.folder, toPath: after.folder)
        let record = try #require(try after.dispatch([Fixture.push(Fixture.crusty)]).first)
        #expect(record.summary("action", "session", "reason", "outcome") == "launch clown-1 prefers verified")
    }

    @Test("a launch that fails leaves no session behind, and says why")
    func failedLaunch() throws {
        let fixture = try Fixture()
        fixture.app.scenes[1].launch?.command = Fixture.command("no-such-program", "--", "{target}")
        let record = try #require(try fixture.dispatch([Fixture.push(Fixture.crusty)]).first)
        #expect(record.summary("action", "reason", "outcome") == "none no-scene skipped")
        #expect(record["error"]?["name"]?.string == "resolution.not-installed")
        #expect(try fixture.openStore(.readOnly).sessions().sessions.isEmpty)
    }

    @Test("a dry run touches nothing")
    func dryRun() throws {
        let fixture = try Fixture()
        let records = try fixture.dispatch([Fixture.push(Fixture.crusty), "nonsense"], isDryRun: true)
        #expect(records.map { $0.summary("action", "outcome", "session") } == ["launch skipped -", "none skipped -"])
        #expect(!FileManager.default.fileExists(atPath: fixture.folder))
        #expect(fixture.windows.performed.isEmpty)
    }

    @Test("the same apns-id is carried out once")
    func duplicate() throws {
        let fixture = try Fixture()
        let line =
            #"{"payload":\#(Fixture.push(Fixture.crusty)),"headers":{"apns-id":"7e1b9d0a-5d0e-4a54-9a5c-30a1a7a3f0a1","apns-topic":"example.clowntown"}}"#
        let records = try fixture.dispatch([line, line])
        #expect(
            records.map { $0.summary("action", "reason", "outcome") } == [
                "launch opens verified", "none duplicate skipped",
            ])
        #expect(records[1]["sender_id"]?.string == "7e1b9d0a-5d0e-4a54-9a5c-30a1a7a3f0a1")
        #expect(fixture.windows.performed.count == 1)
    }

    @Test("what kind of push it is decides what is done")
    func kinds() throws {
        let fixture = try Fixture()
        let lines = [
            #"{"aps":{"content-available":1}}"#,
            #"{"aps":{"content-available":1,"target-content-id":"\#(Fixture.crusty)"}}"#,
            #"{"aps":{"badge":1}}"#,
            #"{"aps":{"target-content-id":"\#(Fixture.crusty)"}}"#,
            #"{"shortcutItem":{"type":"order-crusty"}}"#,
        ]
        let records = try fixture.dispatch(lines)
        #expect(
            records.map { $0.summary("action", "reason", "policy", "outcome") } == [
                "none default background skipped", "none opens background skipped", "none default background skipped",
                "launch opens - verified", "focus prefers - verified",
            ])
        #expect(records[4]["title"]?.string == "Order Crusty")
        let file = fixture.folder + "/background"
        fixture.app.background = fixture.shell("cat > \(file); test -s \(file)")
        let background = try #require(try fixture.dispatch([lines[0]]).first)
        #expect(background.summary("action", "policy", "outcome") == "background background done")
    }

    @Test("a background push needs no window: its handler runs though no scene fits")
    func backgroundWithoutWindow() throws {
        let fixture = try Fixture()
        fixture.app.scenes.removeFirst()
        fixture.app.scenes[0].opens = nil
        let line = #"{"aps":{"content-available":1}}"#
        let idle = try #require(try fixture.dispatch([line]).first)
        #expect(idle.summary("action", "reason", "policy", "outcome") == "none no-scene background skipped")
        #expect(idle["error"] == .null)
        fixture.app.background = Fixture.command("true")
        let run = try #require(try fixture.dispatch([line]).first)
        #expect(run.summary("action", "reason", "policy", "outcome") == "background no-scene background done")
        #expect(run["error"] == .null)
    }

    @Test("background pushes of an app are handled in their order")
    func backgroundOrder() throws {
        let fixture = try Fixture()
        fixture.app.background = fixture.shell(
            "read -r line; case $line in *'\"n\":1'*) sleep 0.3;; esac; printf '%s\\n' \"$line\" >> \(fixture.folder)/order"
        )
        try fixture.dispatch((1...4).map { #"{"aps":{"content-available":1},"n":\#($0)}"# })
        let order = fixture.read("order").split(separator: "\n").compactMap { $0.last { $0.isNumber } }
        #expect(order == ["1", "2", "3", "4"])
    }

    @Test("with lanes, so many background pushes of an app are handled at once, and no more", arguments: [1, 3])
    func backgroundLanes(lanes: Int) throws {
        let fixture = try Fixture()
        // Each run waits until three of them have begun, but not for ever.
        fixture.app.background = fixture.shell(
            """
            cd '\(fixture.folder)'; mktemp runs.XXXXXX > /dev/null
            for try in $(seq \(lanes == 3 ? 600 : 6)); do [ $(ls runs.* | wc -l) -ge 3 ] && exit 0; sleep 0.05; done
            exit 1
            """)
        fixture.app.background?.lanes = lanes
        let records = try fixture.dispatch((1...3).map { #"{"aps":{"content-available":1},"n":\#($0)}"# })
        // In the order of the input, whatever came first.
        #expect(records.map { $0["seq"]?.int64 } == [1, 2, 3])
        #expect(
            records.map { $0["outcome"]?.string }
                == (lanes == 3 ? ["done", "done", "done"] : ["failed", "failed", "done"]))
    }

    @Test("show follows focus, and launch where it did not carry the target")
    func show() throws {
        let fixture = try Fixture()
        fixture.app.scenes[0].show = .exec(
            Fixture.command("sh", "-c", "printf '%s\\n' \"$1\" >> \(fixture.folder)/shown", "--", "{target}"))
        fixture.app.scenes.removeLast()
        let records = try fixture.dispatch([Fixture.push("doc/1"), Fixture.push("doc/2")])
        #expect(
            records.map { $0.summary("action", "session", "outcome") } == [
                "launch main-1 verified", "focus main-1 verified",
            ])
        #expect(fixture.read("shown") == "doc/1\ndoc/2\n")
        fixture.app.scenes[0].show = .exec(Fixture.command("false"))
        let failed = try #require(try fixture.dispatch([Fixture.push("doc/3")]).first)
        #expect(failed.summary("action", "outcome") == "focus failed")
        #expect(failed["error"]?["name"]?.string == "activation.exit-status")
    }

    @Test("a handler that hangs holds back only its own scene; records keep the input's order")
    func hangingHandler() throws {
        let fixture = try Fixture()
        // Bozo's ends when Crusty's has run.
        fixture.app.scenes[1].show = .exec(
            fixture.shell(
                "cd; case $USHER_TARGET in *bozo) until [ -e shown ]; do sleep 0.02; done;; *) touch shown;; esac"))
        fixture.app.scenes[1].launch?.command = Fixture.command("true")
        let records = try fixture.dispatch(
            [
                Fixture.push(Fixture.bozo), Fixture.push(Fixture.crusty), Fixture.push(Fixture.crusty),
                Fixture.push(Fixture.bozo),
            ])
        #expect(records.map { $0["seq"]?.int64 } == [1, 2, 3, 4])
        #expect(records.map { $0["outcome"]?.string } == ["verified", "verified", "verified", "verified"])
    }

    @Test("two dispatchers on one store never launch the same scene twice", arguments: 0..<5)
    func twoDispatchers(_: Int) async throws {
        let fixture = try Fixture()
        let marker = fixture.folder + "/launches"
        fixture.app.scenes[1].launch = LaunchHandler(
            method: .exec, command: fixture.shell("echo $USHER_SESSION >> \(marker); exec sleep 20"))
        _ = try fixture.openStore()
        let (app, folder) = (fixture.app, fixture.folder)
        let outcomes = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (try? Self.dispatch(app, folder, [Fixture.push(Fixture.crusty)]))?.map {
                        $0.summary("action", "session")
                    } ?? []
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.sorted() == ["focus clown-1", "focus clown-1", "focus clown-1", "launch clown-1"])
        // The program is started before the record is written, but runs beside it.
        #expect(eventually { fixture.read("launches") == "clown-1\n" })
    }

    /// As another process would: with a store of its own.
    private static func dispatch(_ app: App, _ folder: String, _ lines: [String]) throws -> [JSONValue] {
        let other = try Fixture()
        other.app = app
        try FileManager.default.createSymbolicLink(atPath: other.folder, withDestinationPath: folder)
        return try other.dispatch(lines)
    }

    @Test("of a payload, a decision's line has the target, escaped, and no other text")
    func logging() throws {
        let fixture = try Fixture()
        let records = try fixture.dispatch([
            #"{"aps":{"alert":{"title":"private","body":"secret words"},"target-content-id":"a\u001b[31m"}}"#
        ])
        #expect(records.count == 1)
        let sink = MemorySink()
        var record = DecisionRecord()
        (record.target, record.title) = ("a\u{1B}[31m", "private")
        Logger(sink: sink).log(record)
        let lines = sink.lines.joined()
        #expect(lines.contains(#""target":"a\u001b[31m""#))
        #expect(!lines.contains("private") && !lines.contains("\u{1B}"))
    }
}
