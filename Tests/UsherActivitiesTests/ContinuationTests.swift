import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherJSON
import UsherScene
import UsherSystem
import UsherText

@testable import UsherActivities
@testable import UsherEngine
@testable import UsherStore

/// The commands of an app that continues an activity: real programs, in order.
@Suite("Continuation")
struct ContinuationTests {
    typealias Fixture = DispatchFixture
    static let type = "example.clowntown.view-clown"
    static let page = "https://clowntown.example/clowns/crusty"

    /// An activity with an unknown member, and numbers that must stay as they are written.
    static func activity(_ more: String = "") -> String {
        #"{"activityType":"\#(type)","targetContentIdentifier":"\#(page)","x-own":[1.50,  1e30],"userInfo":{"page":7}\#(more)}"#
    }

    static func line(_ more: String = "") -> String { #"{"userActivity":\#(activity(more))}"# }

    func fixture() throws -> Fixture {
        let fixture = try Fixture()
        fixture.app.activityTypes = [Located(Self.type, at: Fixture.location)]
        return fixture
    }

    /// Writes its arguments to the file `told`; the activity is read from standard input.
    func note(_ fixture: Fixture, _ word: String, then rest: String = "") -> ShowHandler {
        .exec(
            fixture.shell(
                "printf '%s %s %s|' \(word) \"$USHER_ACTIVITY_TYPE\" \"$USHER_ERROR_CODE\" >> $HOME/told; "
                    + "cat >> $HOME/told; echo >> $HOME/told; \(rest)"))
    }

    func verbs(_ record: JSONValue?) -> String {
        (record?["handlers"]?.elements ?? []).compactMap { $0["verb"]?.string }.joined(separator: " ")
    }

    /// Without those about unknown members.
    func warnings(_ record: JSONValue?) -> [String] {
        (record?["warnings"]?.elements ?? []).compactMap(\.string).filter { $0 != "member.unknown" }
    }

    func withHandlers(_ fixture: Fixture, continuing rest: String = "") {
        fixture.app.continuation.willContinue = note(fixture, "will")
        fixture.app.continuation.continue = note(fixture, "continue", then: rest)
        fixture.app.continuation.didFail = note(fixture, "failed")
        for place in fixture.app.scenes.indices { fixture.app.scenes[place].show = note(fixture, "show") }
    }

    @Test("a window is launched and told in order, byte for byte; then focused and told again")
    func order() throws {
        let fixture = try fixture()
        withHandlers(fixture)
        let records = try fixture.dispatch([Self.line(), Self.line()])
        #expect(records[0].summary("action", "outcome") == "launch verified")
        #expect(verbs(records[0]) == "launch will-continue continue")
        #expect(records[1].summary("action", "outcome") == "focus verified")
        #expect(verbs(records[1]) == "will-continue continue")
        let told = "will \(Self.type) |\(Self.activity())\ncontinue \(Self.type) |\(Self.activity())\n"
        #expect(fixture.read("told") == told + told)
    }

    @Test("without handlers of its own an activity is shown as anything else")
    func withoutHandlers() throws {
        let fixture = try fixture()
        fixture.app.scenes[1].launch?.command = Fixture.command("true")
        fixture.app.scenes[1].show = note(fixture, "show")
        let records = try fixture.dispatch([Self.line()])
        #expect(verbs(records.first) == "launch show")
        #expect(records.first?["error"]?.kind == .null)
    }

    @Test("notifications and links are not continued")
    func others() throws {
        let fixture = try fixture()
        withHandlers(fixture)
        let records = try fixture.dispatch([Fixture.push(Fixture.crusty), #"{"url":"\#(Fixture.bozo)"}"#])
        #expect(records.map { verbs($0) } == ["launch", "launch"])
        #expect(fixture.read("told") == "")
    }

    @Test("an exit status other than 0 means that it was not handled, and did-fail gets the reason")
    func notHandled() throws {
        let fixture = try fixture()
        withHandlers(fixture, continuing: "echo no such page; exit 3")
        let record = try fixture.dispatch([Self.line()]).first
        #expect(record?.summary("action", "outcome") == "launch failed")
        #expect(record?["error"]?["name"]?.string == "continuation.not-handled")
        #expect(record?["error"]?["help"]?.string == "it said: no such page")
        #expect(verbs(record) == "launch will-continue continue did-fail")
        #expect(fixture.read("told").contains("failed \(Self.type) U3201|\(Self.activity())\n"))
        // The window is there all the same.
        #expect(try fixture.openStore(.readOnly).session(id: "clown-1")?.state == .connected)
    }

    @Test("a did-fail that fails hides nothing")
    func failingReport() throws {
        let fixture = try fixture()
        withHandlers(fixture, continuing: "exit 3")
        fixture.app.continuation.didFail = note(fixture, "failed", then: "exit 1")
        let record = try fixture.dispatch([Self.line()]).first
        #expect(record?["error"]?["name"]?.string == "continuation.not-handled")
        #expect(verbs(record) == "launch will-continue continue did-fail")
    }

    @Test("after the time limit the result is unknown, and did-fail runs")
    func timeLimit() throws {
        let fixture = try fixture()
        withHandlers(fixture)
        var slow = fixture.shell("sleep 60")
        slow.timeLimit = 50
        fixture.app.continuation.continue = .exec(slow)
        let record = try fixture.dispatch([Self.line()]).first
        #expect(record?.summary("action", "outcome") == "launch unverified")
        #expect(warnings(record) == ["activation.time-limit"])
        #expect(verbs(record) == "launch will-continue continue did-fail")
        #expect(fixture.read("told").contains("failed \(Self.type) U3005|"))
    }

    @Test("a launch that fails is a continuation that fails")
    func failingLaunch() throws {
        let fixture = try fixture()
        withHandlers(fixture)
        fixture.app.scenes[1].launch?.command = Fixture.command("no-such-program", "--", "{target}")
        let record = try fixture.dispatch([Self.line()]).first
        #expect(record?["error"]?["name"]?.string == "resolution.not-installed")
        #expect(fixture.read("told") == "failed \(Self.type) U2007|\(Self.activity())\n")
    }

    @Test("a request without a window is a continuation that fails, too")
    func noScene() throws {
        let fixture = try fixture()
        withHandlers(fixture)
        fixture.app.scenes.removeFirst()
        fixture.app.scenes[0].opens = nil
        fixture.app.scenes[0].role = SceneRole(rawValue: "windowExternalDisplay")
        let record = try fixture.dispatch([Self.line()]).first
        #expect(record?.summary("action", "reason", "outcome") == "none no-scene skipped")
        #expect(verbs(record) == "did-fail")
        #expect(fixture.read("told") == "failed \(Self.type) U2003|\(Self.activity())\n")
    }

    @Test("what will-continue does wrong is only a warning")
    func failingAnnouncement() throws {
        let fixture = try fixture()
        withHandlers(fixture)
        fixture.app.continuation.willContinue = note(fixture, "will", then: "exit 1")
        let record = try fixture.dispatch([Self.line()]).first
        #expect(record?.summary("outcome") == "verified")
        #expect(warnings(record) == ["activation.exit-status"])
        #expect(verbs(record) == "launch will-continue continue")
    }

    @Test("a continuation is tried again, and did-fail runs only after the last attempt")
    func retry() throws {
        let fixture = try fixture()
        withHandlers(fixture)
        var command = fixture.shell("test -e $HOME/again && exit 0; : > $HOME/again; exit 1")
        command.retry = RetryPolicy(attempts: 3, first: 10, limit: 20)
        fixture.app.continuation.continue = .exec(command)
        let record = try fixture.dispatch([Self.line()]).first
        #expect(record?["error"]?.kind == .null)
        #expect(warnings(record) == ["delivery.tried-again"])
        #expect(!fixture.read("told").contains("failed"))
    }

    @Test("an announcement that takes too long is no reason to hand the activity over again")
    func slowAnnouncement() throws {
        let fixture = try fixture()
        withHandlers(fixture)
        var slow = fixture.shell("sleep 60")
        slow.timeLimit = 50
        fixture.app.continuation.willContinue = .exec(slow)
        if case .exec(var command)? = fixture.app.continuation.continue {
            command.idempotent = true
            command.retry = RetryPolicy(attempts: 3, first: 10, limit: 20)
            fixture.app.continuation.continue = .exec(command)
        }
        let record = try fixture.dispatch([Self.line()]).first
        #expect(warnings(record) == ["activation.time-limit"])
        #expect(fixture.read("told") == "continue \(Self.type) |\(Self.activity())\n")
    }

    // MARK: Versions

    struct VersionCase: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var more: String
        var newer: Continuation.Newer
        var upgrade: String?
        /// Action, reason and outcome; the error's name; warnings; the verbs.
        var expected: [String]
        /// What `continue` was given, nil where it was not run.
        var given: String?
    }

    static let same = activity(#","schemaVersion":3"#)

    static let versions: [VersionCase] = [
        VersionCase(
            testDescription: "the same", more: #","schemaVersion":3"#, newer: .refuse, upgrade: "exit 1",
            expected: ["launch opens verified", "-", "", "launch will-continue continue"], given: same),
        VersionCase(
            testDescription: "an older one is upgraded", more: #","schemaVersion":2"#, newer: .refuse,
            upgrade: "sed 's/\"schemaVersion\":2/\"schemaVersion\":3/'; echo talk >&2",
            expected: ["launch opens verified", "-", "", "upgrade launch will-continue continue"], given: same),
        VersionCase(
            testDescription: "an older one without upgrade is handed on", more: #","schemaVersion":2"#, newer: .refuse,
            upgrade: nil, expected: ["launch opens verified", "-", "", "launch will-continue continue"],
            given: activity(#","schemaVersion":2"#)),
        VersionCase(
            testDescription: "an upgrade that fails", more: #","schemaVersion":2"#, newer: .refuse, upgrade: "exit 1",
            expected: ["launch opens failed", "continuation.upgrade", "", "upgrade did-fail"]),
        VersionCase(
            testDescription: "an upgrade that writes no object", more: #","schemaVersion":2"#, newer: .refuse,
            upgrade: "echo 3", expected: ["launch opens failed", "continuation.upgrade", "", "upgrade did-fail"]),
        VersionCase(
            testDescription: "a newer one is tried", more: #","schemaVersion":4"#, newer: .try, upgrade: "exit 1",
            expected: ["launch opens verified", "-", "continuation.newer", "launch will-continue continue"],
            given: activity(#","schemaVersion":4"#)),
        VersionCase(
            testDescription: "a newer one is refused", more: #","schemaVersion":4"#, newer: .refuse, upgrade: nil,
            expected: ["none no-scene skipped", "continuation.newer", "", "did-fail"]),
        VersionCase(
            testDescription: "a newer one's web page",
            more: #","schemaVersion":4,"webpageURL":"https://web.example/"#
                + #"crusty""#, newer: .web, upgrade: nil,
            expected: ["open-web web-fallback done", "-", "continuation.newer", "open-web"]),
        VersionCase(
            testDescription: "a newer one without a web page is refused", more: #","schemaVersion":4"#, newer: .web,
            upgrade: nil, expected: ["none no-scene skipped", "continuation.newer", "", "did-fail"]),
        VersionCase(
            testDescription: "a missing required key is tolerated",
            more: #","schemaVersion":3,"requiredUserInfoKeys":["gone"]"#, newer: .refuse, upgrade: nil,
            expected: [
                "launch opens verified", "-", "activity.required-user-info-keys.absent",
                "launch will-continue continue",
            ], given: activity(#","schemaVersion":3,"requiredUserInfoKeys":["gone"]"#)),
    ]

    @Test("an activity of another version", arguments: versions)
    func versionRules(_ test: VersionCase) throws {
        let fixture = try fixture()
        withHandlers(fixture)
        fixture.app.continuation.schemaVersion = Located(3, at: Fixture.location)
        fixture.app.continuation.newer = test.newer
        fixture.app.continuation.upgrade = test.upgrade.map { fixture.shell($0) }
        fixture.app.openWeb = fixture.shell("printf %s \"$USHER_URL\" > $HOME/web")
        let record = try fixture.dispatch([Self.line(test.more)]).first
        #expect(
            [
                record?.summary("action", "reason", "outcome") ?? "", record?["error"]?["name"]?.string ?? "-",
                warnings(record).joined(separator: " "), verbs(record),
            ] == test.expected)
        let told = fixture.read("told").split(separator: "\n").first { $0.hasPrefix("continue ") }
        #expect(told.map { String($0.drop { $0 != "|" }.dropFirst()) } == test.given)
        if test.expected[0].hasPrefix("open-web") { #expect(fixture.read("web") == "https://web.example/crusty") }
    }

    // MARK: Apps that are gone

    static let gone: [(String, String, String, String)] = [
        (
            "an app that is not configured", #"{"app":"example.gone","url":"https://gone.example/1"}"#,
            "open-web web-fallback", "resolution.not-installed"
        ),
        (
            "an activity of such an app",
            #"{"app":"example.gone","userActivity":{"activityType":"example.gone.view","targetContentIdentifier":"x:1","webpageURL":"https://gone.example/2"}}"#,
            "open-web web-fallback", "activity.undeclared-type"
        ),
        (
            "an undeclared type",
            #"{"userActivity":{"activityType":"example.gone.view","targetContentIdentifier":"x:1","webpageURL":"https://gone.example/3"}}"#,
            "open-web web-fallback", "activity.undeclared-type"
        ),
        (
            "an app without a page",
            #"{"app":"example.gone","userActivity":{"activityType":"example.gone.view","targetContentIdentifier":"x:1"}}"#,
            "none no-app", ""
        ),
        ("a link that is no page", #"{"app":"example.gone","url":"x:1"}"#, "none no-app", ""),
    ]

    @Test("an app that is gone leaves its web pages behind", arguments: gone)
    func goneApps(_ name: String, _ line: String, _ expected: String, _ warning: String) throws {
        let fixture = try fixture()
        let record = try fixture.dispatch([line], isDryRun: true).first
        #expect(record?.summary("action", "reason") == expected)
        #expect((record?["warnings"]?.elements ?? []).compactMap(\.string).joined() == warning)
        if expected.hasPrefix("open") { #expect(record?["app"]?.kind == .null) }
    }

    @Test(
        "a window whose process has ended, watched or not, is launched again with its activity",
        arguments: [true, false])
    func ended(_ isDryRun: Bool) throws {
        let fixture = try fixture()
        // Programs of other tests, of the same user, are of sessions with common names: they would count as survivors.
        let session = "clown-whose-process-has-ended"
        fixture.app.scenes[1].launch = LaunchHandler(
            method: .exec, command: fixture.shell("cat \"$USHER_RESTORATION_FILE\" > $HOME/restored"))
        try {
            let store = try fixture.openStore()
            defer { store.close() }
            _ = try store.connect([
                Store.NewSession(
                    id: session, app: fixture.app.id, scene: "clown", target: TargetContentIdentifier(Self.page),
                    conditions: fixture.app.scenes[1].conditions(
                        for: TargetContentIdentifier(Self.page), template: nil
                    ).conditions)
            ])
            let content = Store.ActivityContent(type: Self.type, document: Array(Self.activity().utf8))
            let process = Store.SessionProcess(pid: 1, startTime: 1, bootID: "another boot")
            _ = try #require(
                try store.becomeCurrent(content, app: fixture.app.id, session: session, process: process))
            // As a run does before it dispatches.
            if !isDryRun { try store.loseEndedSessions() }
        }()
        let record = try fixture.dispatch([Fixture.push(Self.page)], isDryRun: isDryRun).first
        #expect(record?.summary("action", "session") == "launch \(session)")
        // The program runs on by itself.
        #expect(eventually { fixture.read("restored") == (isDryRun ? "" : Self.activity()) })
    }

    // MARK: Recovery

    /// Journals an activity as a run does that is killed after its effect began.
    func interrupt(
        _ fixture: Fixture, launch: Bool, line: String = Self.line(), nonce: String = "nonce-1"
    ) throws -> String {
        let store = try fixture.openStore()
        defer { store.close() }
        if !launch {
            _ = try store.connect([
                Store.NewSession(app: fixture.app.id, scene: "main", state: .connected)
            ])
        }
        let delivery = Store.NewDelivery(
            id: UUIDv7.next(), source: "stdin", format: "activity", accepted: 1, input: Array(line.utf8),
            app: fixture.app.id, target: Self.page)
        let claim: Store.Claim =
            launch
            ? .create(Store.NewSession(app: fixture.app.id, scene: "main", state: .connecting))
            : .activate(session: "main-1")
        try store.claim(
            delivery, claim,
            decision: .init(
                action: launch ? .launch : .focus, reason: launch ? .default : .can, app: fixture.app.id, scene: "main"),
            begin: true, nonce: nonce)
        return delivery.id
    }

    @Test(
        "an activity that may have been handed over is handed over again only where that does no harm",
        arguments: [true, false])
    func recovery(_ idempotent: Bool) throws {
        let fixture = try fixture()
        withHandlers(fixture)
        if idempotent, case .exec(var command)? = fixture.app.continuation.continue {
            command.idempotent = true
            fixture.app.continuation.continue = .exec(command)
        }
        let id = try interrupt(fixture, launch: false)
        try fixture.dispatch([])
        let delivery = try #require(try fixture.openStore(.readOnly).delivery(id))
        let record = try JSONValue(parsing: Array((delivery.record ?? "null").utf8))
        #expect(verbs(record) == (idempotent ? "will-continue continue" : ""))
        #expect(warnings(record) == (idempotent ? [] : ["activation.interrupted"]))
        #expect(fixture.read("told").contains("failed") == false)
    }

    @Test("a window that the killed run had launched is handed what the app understands, and told when that fails")
    func adopted() throws {
        let fixture = try fixture()
        withHandlers(fixture, continuing: "exit 3")
        if case .exec(var command)? = fixture.app.continuation.continue {
            command.idempotent = true
            fixture.app.continuation.continue = .exec(command)
        }
        fixture.app.continuation.schemaVersion = Located(3, at: Fixture.location)
        fixture.app.continuation.upgrade = fixture.shell("sed 's/\"schemaVersion\":2/\"schemaVersion\":3/'")
        let process = try LaunchedProcess()
        defer { process.end() }
        let id = try interrupt(fixture, launch: true, line: Self.line(#","schemaVersion":2"#), nonce: process.nonce)
        try fixture.dispatch([])
        let delivery = try #require(try fixture.openStore(.readOnly).delivery(id))
        let record = try JSONValue(parsing: Array((delivery.record ?? "null").utf8))
        #expect(verbs(record) == "upgrade will-continue continue did-fail")
        #expect(record["error"]?["name"]?.string == "continuation.not-handled")
        #expect(fixture.read("told").contains("continue \(Self.type) |\(Self.same)\n"))
        #expect(fixture.read("told").split(separator: "\n").filter { $0.hasPrefix("failed") }.count == 1)
    }
}
