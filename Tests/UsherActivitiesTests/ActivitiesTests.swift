import Foundation
import StoreTestSupport
import Synchronization
import Testing
import UsherScene
import UsherText

@testable import UsherActivities
@testable import UsherStore

@Suite struct ActivitiesTests {
    let folder = TemporaryDirectory()
    let app = "example.clowntown"

    private func content(
        _ title: String, target: String? = nil, persistent: String? = nil, webpage: String? = nil, search: Bool = false,
        keywords: String = "", attributes: String = "", expires: Int64? = nil
    ) -> Store.ActivityContent {
        var content = Store.ActivityContent(
            type: "example.clowntown.reading", document: Array(#"{"title":"\#(title)","n":1.50}"#.utf8))
        content.title = title
        content.target = target
        content.persistent = persistent
        content.webpage = webpage
        content.expires = expires
        if search { content.searchText = .init(title: title, keywords: keywords, attributes: attributes) }
        return content
    }

    /// A store whose clock is one microsecond further each time.
    private func open() throws -> Store {
        let clock = Clock()
        return try folder.open { $0.now = { clock.next() } }
    }

    private func become(
        _ store: Store, _ content: Store.ActivityContent, _ session: String
    ) throws -> Store.StoredActivity {
        try #require(try store.becomeCurrent(content, app: app, session: session)).activity
    }

    @Test func everyFieldComesBack() throws {
        let store = try open()
        _ = try store.connect([.clown("crusty", id: "c")])
        var wanted = content("Crusty \u{1F921}", target: "a\u{0301}", persistent: "p", webpage: "https://a.example/")
        wanted.needsSave = true
        wanted.expires = 77
        let made = try become(store, wanted, "c")
        for activity in [try store.activity(id: made.id), try store.activity(ofSession: "c"), made] {
            let activity = try #require(activity)
            #expect(UUIDv7.isOne(activity.id))
            #expect(activity.app == app)
            #expect(activity.session == "c")
            #expect(activity.state == .current)
            #expect(activity.type == "example.clowntown.reading")
            #expect(activity.title == "Crusty \u{1F921}")
            #expect(activity.target.map { Array($0.utf8) } == Array("a\u{0301}".utf8))
            #expect(activity.persistent == "p")
            #expect(activity.webpage == "https://a.example/")
            #expect(activity.needsSave)
            #expect(!activity.isSearchable)
            #expect(activity.expires == 77)
            #expect(activity.resigned == nil)
            #expect(activity.document == wanted.document)
        }
    }

    @Test func oneIsCurrentInASession() throws {
        let store = try open()
        _ = try store.connect([.clown("crusty", id: "c")])
        let first = try become(store, content("Crusty", target: "1"), "c")
        let second = try #require(try store.becomeCurrent(content("Bozo", target: "2"), app: app, session: "c"))
        #expect(second.previous?.id == first.id)
        #expect(!second.isSame)
        #expect(try store.activity(id: first.id)?.state == .resigned)
        #expect(try store.activity(id: first.id)?.resigned != nil)
        #expect(try store.activity(ofSession: "c")?.id == second.activity.id)
        #expect(try store.activities().map(\.id) == [second.activity.id])
        #expect(try store.activities(.init(includesResigned: true)).map(\.id) == [second.activity.id, first.id])
    }

    @Test func theSameDocumentIsTheSameActivity() throws {
        let store = try open()
        _ = try store.connect([.clown("crusty", id: "c")])
        let first = try become(store, content("Crusty", target: "1"), "c")
        let again = try #require(try store.becomeCurrent(content("Crusty", target: "1"), app: app, session: "c"))
        #expect(again.isSame)
        #expect(again.activity.id == first.id)
        #expect(again.activity.became > first.became)
        #expect(try store.activities(.init(includesResigned: true)).count == 1)
    }

    @Test(arguments: ["nobody", "other", "lost"]) func sessionsThatCannotHaveAnActivity(_ session: String) throws {
        let store = try open()
        _ = try store.connect([.clown("crusty", id: "other", app: "another"), .clown("bozo", id: "lost")])
        _ = try store.change(session: "lost", .init(state: .disconnected))
        #expect(try store.becomeCurrent(content("Crusty", target: "1"), app: app, session: session) == nil)
        #expect(try store.activities(.init(includesResigned: true)).isEmpty)
    }

    /// The steps of a session's life, and the state of its activity after them.
    enum Step: String, Sendable { case disconnect, connecting, connect, close, resign, update, becomeOther }

    @Test(arguments: [
        ([Step.disconnect], Store.StoredActivity.State.kept),
        ([.disconnect, .connecting], .kept),
        ([.disconnect, .connect], .kept),
        ([.disconnect, .connect, .update], .current),
        ([.disconnect, .update], .kept),
        ([.disconnect, .connect, .becomeOther], .resigned),
        ([.disconnect, .resign], .resigned),
        ([.connect], .current),
        ([.close], .resigned),
        ([.disconnect, .close], .resigned),
        ([.resign, .disconnect], .resigned),
    ])
    func keptStates(_ steps: [Step], _ expected: Store.StoredActivity.State) throws {
        let store = try open()
        _ = try store.connect([.clown("crusty", id: "c")])
        let made = try become(store, content("Crusty", target: "1"), "c")
        for step in steps {
            switch step {
            case .disconnect: _ = try store.change(session: "c", .init(state: .disconnected))
            case .connecting: _ = try store.change(session: "c", .init(state: .connecting))
            case .connect: _ = try store.connect([.clown("crusty", id: "c")])
            case .close: #expect(try store.end(session: "c"))
            case .resign: #expect(try store.resign(session: "c")?.state == .resigned)
            case .update:
                let now = try #require(try store.activity(id: made.id))
                #expect(try store.update(now, to: content("Crusty the Clown", target: "1")) != nil)
            case .becomeOther: _ = try become(store, content("Bozo", target: "2"), "c")
            }
        }
        let activity = try #require(try store.activity(id: made.id))
        #expect(activity.state == expected)
        #expect((activity.resigned == nil) == (expected == .current))
        #expect((activity.session == nil) == steps.contains(.close))
    }

    @Test func theSystemsIsThatOfTheSessionUsedLast() throws {
        let store = try open()
        _ = try store.connect([.clown("a", id: "a"), .clown("b", id: "b"), .main(id: "m")])
        #expect(try store.systemCurrentActivity() == nil)
        let a = try become(store, content("A", target: "a"), "a")
        let b = try become(store, content("B", target: "b"), "b")
        #expect(try store.systemCurrentActivity()?.id == b.id)
        _ = try store.change(session: "a", .init(used: true))
        #expect(try store.systemCurrentActivity()?.id == a.id)
        // A window without an activity does not replace the current one.
        _ = try store.change(session: "m", .init(used: true))
        #expect(try store.systemCurrentActivity()?.id == a.id)
        #expect(try store.activities().map(\.id) == [a.id, b.id])
        _ = try store.change(session: "a", .init(state: .disconnected))
        #expect(try store.systemCurrentActivity()?.id == b.id)
        #expect(try store.activities().map(\.id) == [b.id, a.id])
        #expect(try store.activities(.init(session: "a")).map(\.id) == [a.id])
        #expect(try store.activities(.init(app: "another")).isEmpty)
    }

    @Test func aClockThatStandsStillDoesNotMatter() throws {
        let store = try folder.open { $0.now = { 5000 } }
        _ = try store.connect([.clown("a", id: "a"), .clown("b", id: "b")])
        for session in ["a", "b", "a", "b", "b", "a"] {
            let made = try become(store, content(session, target: session), session)
            #expect(try store.systemCurrentActivity()?.id == made.id)
        }
    }

    @Test func whatChangedMeanwhileIsNotWrittenOver() throws {
        let store = try folder.open { $0.now = { 5000 } }
        _ = try store.connect([.clown("crusty", id: "c")])
        let read = try become(store, content("Crusty", target: "1"), "c")
        let first = try #require(try store.update(read, to: content("one", target: "1")))
        #expect(first.changed > read.changed)
        #expect(try store.update(read, to: content("two", target: "1")) == nil)
        #expect(try store.update(first, to: content("two", target: "1"))?.title == "two")
    }

    // MARK: Search

    @Test(arguments: [
        ("crusty", true), ("CRUSTY", true), ("crus", true), ("clown crusty", true), ("crusty nobody", false),
        ("circus", true), ("cafe", true), ("usty", false), ("ein\u{0301}", false), ("big-top", true),
        ("top-big", false),
        ("\"", false), ("crusty OR nobody", false), ("NEAR(crusty clown)", false), ("title:crusty", false),
        ("*", false),
        ("crusty*", true), ("^crusty", true), ("(", false), ("", false), (" \n\t ", false),
        ("crusty\u{0}nobody", false),
        ("\"crusty", true), ("-crusty", true), ("\"\u{0301}", false), ("小丑", true), ("丑", true), ("丑镇", true),
        ("镇小", false), ("小丑 crusty", true), ("小丑 nobody", false), ("%", true), ("_", false), ("\\", false),
        ("🤡", true),
    ])
    func search(_ query: String, _ isFound: Bool) throws {
        let store = try open()
        _ = try store.connect([.clown("crusty", id: "c"), .clown("bozo", id: "b")])
        let made = try become(
            store,
            content(
                "Crusty the Clown", target: "1", search: true, keywords: "big-top circus",
                attributes: "Café 100% 著名的小丑镇 🤡"), "c")
        _ = try become(store, content("Crusty, in secret", target: "2"), "b")
        #expect(try store.searchActivities(query).map(\.id) == (isFound ? [made.id] : []))
    }

    @Test func aLongQueryIsTaken() throws {
        let store = try open()
        let words = (0..<1000).map { "word\($0)" }.joined(separator: " ")
        #expect(try store.searchActivities(words).isEmpty)
        #expect(try store.searchActivities(String(repeating: "a-", count: 3000)).isEmpty)
    }

    @Test func aLaterOneTakesThePlaceOfTheEarlier() throws {
        let store = try open()
        _ = try store.connect([.clown("a", id: "a"), .clown("b", id: "b"), .clown("c", id: "x", app: "another")])
        let first = try become(store, content("Crusty", target: "1", search: true), "a")
        // Another app may have the same identifier; the same app has the same content.
        let foreign = try #require(
            try store.becomeCurrent(content("Crusty", target: "1", search: true), app: "another", session: "x"))
        let second = try become(store, content("Crusty again", persistent: "1", search: true), "b")
        #expect(Set(try store.searchActivities("crusty").map(\.id)) == [second.id, foreign.activity.id])
        #expect(try store.activity(id: first.id)?.isSearchable == false)
        // One that may not be found leaves the earlier one in place; a resigned one is found still.
        _ = try become(store, content("Crusty, in secret", target: "1"), "a")
        _ = try store.resign(session: "b")
        #expect(Set(try store.searchActivities("crusty").map(\.id)) == [second.id, foreign.activity.id])
        #expect(try folder.number("SELECT count(*) FROM activity_text") == 2)
        #expect(try folder.number("SELECT count(*) FROM activity WHERE is_searchable") == 2)
    }

    @Test func anUpdateIsFoundByItsNewWords() throws {
        let store = try open()
        _ = try store.connect([.clown("a", id: "a")])
        let made = try become(store, content("Crusty", target: "1", search: true), "a")
        let updated = try #require(try store.update(made, to: content("Bozo", target: "2", search: true)))
        #expect(try store.searchActivities("crusty").isEmpty)
        #expect(try store.searchActivities("bozo").map(\.id) == [made.id])
        #expect(try store.update(updated, to: content("Bozo", target: "2")) != nil)
        #expect(try store.searchActivities("bozo").isEmpty)
        #expect(try folder.number("SELECT count(*) FROM activity_text") == 0)
    }

    @Test func expiredOnesAreNotFound() throws {
        let store = try folder.open { $0.now = { 5000 } }
        _ = try store.connect([.clown("a", id: "a"), .clown("b", id: "b"), .clown("c", id: "c")])
        _ = try become(store, content("Crusty", target: "1", search: true, expires: 5000), "a")
        let made = try become(store, content("Crusty", target: "2", search: true, expires: 5001), "b")
        #expect(try store.searchActivities("crusty").map(\.id) == [made.id])
    }

    @Test func aTitleCountsMoreThanADescription() throws {
        let store = try open()
        _ = try store.connect([.clown("a", id: "a"), .clown("b", id: "b")])
        let title = try become(store, content("Crusty", target: "1", search: true, attributes: "somebody"), "a")
        let text = try become(store, content("Somebody", target: "2", search: true, attributes: "Crusty"), "b")
        #expect(try store.searchActivities("crusty").map(\.id) == [title.id, text.id])
        #expect(try store.searchActivities("crusty", limit: 1).map(\.id) == [title.id])
    }

    @Test func aStoreForReadingAnswersToo() throws {
        let store = try open()
        _ = try store.connect([.clown("a", id: "a")])
        let made = try become(store, content("Crusty", target: "1", search: true), "a")
        let reader = try folder.open(.readOnly)
        #expect(try reader.searchActivities("crusty").map(\.id) == [made.id])
        #expect(try reader.systemCurrentActivity()?.id == made.id)
        #expect(storeError { _ = try reader.resign(session: "a") }?.code == .storeReadOnly)
    }

    // MARK: Processes

    @Test func aSessionsProcess() throws {
        let store = try open()
        _ = try store.connect([.clown("a", id: "a")])
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sleep")
        child.arguments = ["600"]
        try child.run()
        let process = try #require(Store.SessionProcess.running(pid: child.processIdentifier))
        _ = try #require(
            try store.becomeCurrent(content("Crusty", target: "1"), app: app, session: "a", process: process))
        #expect(try store.sessionProcesses().map(\.process) == [process])
        #expect(process.isRunning)
        var other = process
        other.startTime += 1
        #expect(!other.isRunning)
        other = process
        other.bootID = "00000000-0000-0000-0000-000000000000"
        #expect(!other.isRunning)
        // Threads that run tests block signals, and a child inherits that.
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        #expect(!process.isRunning)
        #expect(Store.SessionProcess.running(pid: child.processIdentifier) == nil)
        // Only for the process that is named.
        #expect(try store.change(session: "a", .init(state: .disconnected, onlyOf: other)) == nil)
        #expect(try store.change(session: "a", .init(state: .disconnected, onlyOf: process))?.state == .disconnected)
        #expect(try store.activity(ofSession: "a")?.state == .kept)
        #expect(try store.sessionProcesses().isEmpty)
        #expect(try store.change(session: "a", .init(state: .disconnected, onlyOf: process)) == nil)
    }

    @Test func aReconnectedSessionForgetsItsProcess() throws {
        let store = try open()
        _ = try store.connect([.clown("a", id: "a")])
        let process = try #require(Store.SessionProcess.running(pid: getpid()))
        _ = try store.becomeCurrent(content("Crusty", target: "1"), app: app, session: "a", process: process)
        _ = try store.connect([.clown("a", id: "a")])
        #expect(try store.sessionProcesses().isEmpty)
        #expect(try store.change(session: "a", .init(state: .disconnected, onlyOf: process)) == nil)
    }
}

private final class Clock: Sendable {
    private let time = Mutex<Int64>(1_000_000)

    func next() -> Int64 {
        time.withLock { time in
            time += 1
            return time
        }
    }
}
