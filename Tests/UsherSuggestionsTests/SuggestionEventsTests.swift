import Foundation
import StoreTestSupport
import Synchronization
import Testing
import UsherScene
import UsherSystem
import UsherTarget
import UsherText

@testable import UsherActivities
@testable import UsherNotes
@testable import UsherStore
@testable import UsherSuggestions

/// What suggestions are made of: kept, read back, forgotten.
struct SuggestionEventsTests {
    private let folder = TemporaryDirectory()
    private static let second: Int64 = 1_000_000

    /// A store whose clock stands where the test puts it.
    private final class Time: Sendable {
        let now = Mutex<Int64>(1_000 * SuggestionEventsTests.second)

        func set(_ seconds: Int64) { now.withLock { $0 = seconds * SuggestionEventsTests.second } }
    }

    private let time = Time()

    private func open() throws -> Store {
        try folder.open { [time] in $0.now = { time.now.withLock { $0 } } }
    }

    @discardableResult
    private func use(
        _ title: String, _ store: Store, app: String = "example.clowntown", target: String? = nil,
        webpage: String? = nil
    ) throws -> Store.StoredActivity {
        let session = "\(app) window"
        if try store.session(id: session) == nil {
            var window = Store.NewSession.clown("window", id: session)
            window.app = app
            _ = try store.connect([window])
        }
        var content = Store.ActivityContent(type: "t", document: Array(#"{"title":"\#(title)"}"#.utf8))
        (content.title, content.target, content.webpage) = (title, target, webpage)
        content.searchText = .init(title: title, keywords: "", attributes: "")
        return try #require(try store.becomeCurrent(content, app: app, session: session)).activity
    }

    private func interaction(
        _ id: String?, app: String = "example.chat", target: String? = nil, activity: String? = nil,
        at seconds: Int64 = 1000
    ) -> Store.StoredInteraction {
        Store.StoredInteraction(
            id: id ?? UUIDv7.next(), app: app, intent: "sendMessage", participants: #"["Crusty"]"#, target: target,
            direction: "outgoing",
            outcome: "success", activity: activity, time: seconds * Self.second)
    }

    @Test("each time that an activity becomes current is an event, the same one again too")
    func uses() throws {
        let store = try open()
        let first = try use("A", store)
        time.set(1010)
        #expect(try use("A", store).id == first.id)
        time.set(1020)
        try use("B", store)
        let events = try store.suggestionEvents(since: 0)
        #expect(events.uses.map { $0.time / Self.second } == [1000, 1010, 1020])
        #expect(events.uses.map { events.activities[$0.activity].title } == ["A", "A", "B"])
        #expect(try store.suggestionEvents(since: 1015 * Self.second).activities.map(\.title) == ["B"])
    }

    @Test("an interaction whose id its app has given before is the one from then")
    func sameInteraction() throws {
        let store = try open()
        let activity = try use("A", store)
        let first = try store.donate([interaction("1", activity: activity.id), interaction(nil)])
        #expect(first[0].activity == activity.id)
        #expect(try store.donate([interaction("1", at: 1001)]) == [first[0]])
        #expect(try store.donate([interaction("1", app: "example.other")]).map(\.app) == ["example.other"])
        #expect(try store.interactions(limit: 10).count == 3)
        #expect(try store.interactions(limit: 10, app: "example.chat").count == 2)
        #expect(try store.forgetInteractions(["1", "2"]) == (0, ["2"]))
        #expect(try store.interactions(limit: 10).count == 3)
        // That of both apps; an id that is given twice counts once.
        #expect(try store.forgetInteractions(["1", "1"]) == (2, []))
        #expect(try store.interactions(limit: 10).count == 1)
    }

    @Test("old events go, and so do reminders that were fired")
    func pruning() throws {
        let store = try open()
        let old = try use("A", store)
        _ = try store.donate([interaction(nil)])
        try store.note(signal: "car", at: 1000 * Self.second)
        for name in ["fired", "waiting"] {
            _ = try store.addReminder(name, when: .signal(name), about: .init())
        }
        try store.note(signal: "fired", at: 1000 * Self.second)
        let taken = try store.write { (state) throws(StoreError) in
            try state.takeDueReminders(now: 2000 * Self.second, limit: 10)
        }
        #expect(taken.map(\.text) == ["fired"])
        try store.prune(now: 1000 * Self.second + 29 * Store.day)
        #expect(try store.suggestionEvents(since: 0).uses.count == 1)
        var longer = Store.Retention.default
        longer.historyDays = 40
        try store.prune(now: 1000 * Self.second + 31 * Store.day, keeping: longer)
        #expect(try store.suggestionEvents(since: 0).uses.count == 1)
        #expect(try store.reminders().map(\.text) == ["waiting"])
        try store.prune(now: 1000 * Self.second + 31 * Store.day)
        let left = try store.suggestionEvents(since: 0)
        #expect(left.uses.isEmpty && left.interactions.isEmpty && left.signals.isEmpty)
        #expect(try store.activity(id: old.id) != nil)
    }

    @Test("a contact replaces the one with its UID, else the one with its name")
    func contacts() throws {
        let store = try open()
        func take(_ contacts: (String?, String)...) throws -> [Int] {
            let counts = try store.importContacts(
                contacts.map { .init(uid: $0.0, name: $0.1, document: Array("\($0.0 ?? "-") \($0.1)".utf8)) })
            return [counts.imported, counts.replaced]
        }
        func list() throws -> [String] {
            try store.contacts().map { String(decoding: $0.document, as: UTF8.self) }
        }
        #expect(try take(("1", "Crusty"), (nil, "Anna"), ("1", "Bozo")) == [2, 1])
        #expect(try list() == ["- Anna", "1 Bozo"])
        let id = try store.contacts()[0].id
        #expect(try take(("2", "Anna"), ("3", "Anna")) == [1, 1])
        #expect(try list() == ["2 Anna", "3 Anna", "1 Bozo"])
        #expect(try store.contacts()[0].id == id)
        #expect(try take((nil, "Bozo")) == [0, 1])
        #expect(try list() == ["2 Anna", "3 Anna", "- Bozo"])
    }

    @Test("what is forgotten: all conditions have to hold, and a rehearsal changes nothing")
    func forgetting() throws {
        let store = try open()
        let page = try use("Page", store, app: "browser", webpage: "https://Site.example/menu")
        try use("Doc", store, app: "editor", target: "https://other.example/doc")
        _ = try store.donate([
            interaction("a", app: "browser"), interaction("b", activity: page.id),
            interaction("c", target: "https://site.example/x"), interaction("d"),
        ])
        _ = try store.importContacts([.init(uid: nil, name: "Anna", document: [])])
        _ = try store.addReminder("r", when: .signal("car"), about: .init(app: "browser", webpage: page.webpage))
        _ = try store.addReminder("s", when: .opening("https://site.example/y"), about: .init())
        time.set(2000)
        try use("Doc", store, app: "editor", target: "https://other.example/doc")
        func counts(_ what: Store.Forgetting) throws -> [Int] {
            let found = try store.forget(what, isRehearsal: true)
            return [found.events, found.interactions, found.contacts, found.reminders]
        }
        #expect(try counts(.init()) == [3, 4, 1, 2])
        #expect(try counts(.init(app: "browser")) == [1, 1, 0, 1])
        #expect(try counts(.init(source: "browser")) == [1, 1, 0, 1])
        #expect(try counts(.init(source: "SITE.example")) == [1, 2, 0, 2])
        #expect(try counts(.init(app: "browser", source: "other.example")) == [0, 0, 0, 0])
        #expect(try counts(.init(since: 1500 * Self.second)) == [1, 0, 0, 0])
        #expect(try counts(.init(app: "editor", since: 1500 * Self.second)) == [1, 0, 0, 0])
        #expect(try store.forget(.init(since: 1500 * Self.second)).events == 1)
        // It was used before, too.
        #expect(try store.activities().count == 2)
        #expect(try store.forget(.init(source: "site.example")).interactions == 2)
        #expect(try store.activities().map(\.title) == ["Doc"])
        #expect(try store.searchActivities("Page").isEmpty)
        _ = try store.forget(.init())
        #expect(try counts(.init()) == [0, 0, 0, 0])
        #expect(try store.activities().isEmpty && store.contacts().isEmpty && store.reminders().isEmpty)
    }

    @Test("requests of suggestions and windows that are gone are meant as well, other requests are counted")
    func remains() throws {
        let store = try open()
        func deliver(_ source: String, isFinished: Bool) throws -> String {
            let delivery = Store.NewDelivery.sample(source: source, accepted: 1_000 * Self.second)
            _ = try store.claim(delivery, .none, expecting: 0, begin: false)
            if isFinished { try store.finish(delivery: delivery.id, state: .done, record: "{}") }
            return delivery.id
        }
        let waits = try deliver("perform", isFinished: false)
        let done = try deliver("perform", isFinished: true)
        let other = try deliver("stdin", isFinished: true)
        _ = try store.connect([.clown("crusty", id: "open"), .clown("bozo", id: "gone", state: .disconnected)])
        func found(_ what: Store.Forgetting) throws -> Store.Forgotten { try store.forget(what, isRehearsal: true) }
        let all = try found(.init())
        #expect(all.unfinished == [waits] && all.sessions == ["gone"])
        #expect(all.openSessions == 1 && all.otherDeliveries == 1)
        #expect(all.identifiers.contains("https://clowntown.example/clowns/bozo"))
        let host = try found(.init(source: "clowntown.example"))
        #expect(host.unfinished == [waits] && host.sessions == ["gone"] && host.openSessions == 1)
        let elsewhere = try found(.init(source: "other.example"))
        #expect(elsewhere.unfinished.isEmpty && elsewhere.sessions.isEmpty && elsewhere.otherDeliveries == 0)
        let later = try found(.init(app: "example.clowntown", since: 2_000 * Self.second))
        #expect(later.unfinished.isEmpty && later.sessions.isEmpty && later.openSessions == 0)
        _ = try store.forget(.init())
        #expect(try store.delivery(done) == nil)
        #expect(try store.delivery(waits) != nil && store.delivery(other) != nil)
    }

    @Test("how apps were used: each use, without those that do not count")
    func appUses() throws {
        let store = try open()
        for (seconds, title) in [(1000, "A"), (1010, "B"), (1020, "A")] {
            time.set(Int64(seconds))
            try use(title, store)
        }
        time.set(1030)
        try use("C", store, app: "editor")
        func uses(since: Int64 = 0, _ isEligible: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }) throws
            -> [String]
        {
            try store.appUses(since: since * Self.second, where: isEligible).sorted { $0.app < $1.app }.map {
                "\($0.app) \($0.newest.title ?? "-") \($0.last / Self.second) \($0.earlier.map { $0 / Self.second }.sorted())"
            }
        }
        #expect(try uses() == ["editor C 1030 []", "example.clowntown A 1020 [1000, 1010]"])
        #expect(try uses(since: 1015) == ["editor C 1030 []", "example.clowntown A 1020 []"])
        // Of what is not marked it is not asked.
        #expect(try uses { _ in false } == uses())
        try folder.sql(
            #"UPDATE activity SET document = CAST('{"isEligibleForPrediction": false}' AS BLOB) WHERE title = 'A'"#)
        #expect(try uses { _ in false } == ["editor C 1030 []", "example.clowntown B 1010 []"])
        #expect(try uses { _ in true } == ["editor C 1030 []", "example.clowntown A 1020 [1000, 1010]"])
    }

    @Test("nothing of what was forgotten is left in the files")
    func traces() throws {
        let store = try open()
        for number in 0..<300 { try use("Unmistakable \(number)", store, target: "x-app:unmistakable/\(number % 7)") }
        _ = try store.importContacts([.init(uid: nil, name: "Unmistakable", document: Array("unmistakable".utf8))])
        func hasTrace() -> Bool {
            folder.files.contains { name in
                let bytes = FileManager.default.contents(atPath: folder.path + "/" + name) ?? Data()
                return String(decoding: bytes, as: UTF8.self).lowercased().contains("unmistakable")
            }
        }
        #expect(hasTrace())
        _ = try store.forget(.init())
        #expect(!hasTrace())
        try store.check()
    }

    @Test("reminders are due at their time, when content is opened, and on signals: each once")
    func reminders() throws {
        let store = try open()
        try store.compareAddresses(by: AddressSettings())
        func due(_ seconds: Int64) throws -> [String] {
            try store.write { (state) throws(StoreError) in
                try state.takeDueReminders(now: seconds * Self.second, limit: 10).map(\.text)
            }
        }
        #expect(try store.nextReminder() == nil)
        _ = try store.addReminder("time", when: .time(1100 * Self.second), about: .init(target: "x:y"))
        _ = try store.addReminder("open", when: .opening("http://Site.example/a?utm_source=x"), about: .init())
        let deleted = try store.addReminder("deleted", when: .time(1050 * Self.second), about: .init())
        _ = try store.addReminder("signal", when: .signal("car"), about: .init())
        #expect(try store.nextReminder() == 1050 * Self.second)
        #expect(try store.deleteReminder(id: deleted.id) == deleted)
        #expect(try store.deleteReminder(id: deleted.id) == nil)
        #expect(try store.deleteReminder(id: "x") == nil)
        #expect(try store.nextReminder() == 1100 * Self.second)
        #expect(try due(1099) == [])
        #expect(try due(5000) == ["time"])
        #expect(try due(5000) == [])
        time.set(1200)
        try use("Other", store, webpage: "https://site.example/b")
        #expect(try due(5000) == [])
        try use("Site", store, webpage: "https://site.example/a")
        #expect(try due(5000) == ["open"])
        try store.note(signal: "car", at: 900 * Self.second)
        #expect(try due(5000) == [])
        try store.note(signal: "car", at: 1300 * Self.second)
        #expect(try due(1250) == [])
        #expect(try due(1300) == ["signal"])
        #expect(try store.reminders().map(\.state) == [.fired, .fired, .fired])
        #expect(try store.noteOpened(["https://site.example/a"]) == false)
    }
}
