import Foundation
import Synchronization
import Testing
import UsherActivation
import UsherConfiguration
import UsherLog
import UsherScene
import UsherStore

@testable import UsherDispatch

/// A browser's window, and what becomes of its page.
@Suite("PageActivities") struct PageActivitiesTests {
    private let store: Store
    private let session: SceneSession

    init() throws {
        store = try Store(
            directory: FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path,
            access: .readWrite)
        session = try #require(
            try store.connect([
                Store.NewSession(
                    app: "example.web", scene: "window",
                    handle: "browser:firefox/3", handleServer: "1.1")
            ]).first)
    }

    private final class Values: Sendable {
        let rules = Mutex(PageRules())
        let isPaused = Mutex(false)
        let suggested = Mutex<[String]>([])
    }

    private func activities(_ values: Values) -> PageActivities {
        PageActivities(
            store, logger: Logger(level: .error),
            isIncluded: { address in values.rules.withLock { $0.includes(address) } },
            pause: { PagePause(isPaused: values.isPaused.withLock { $0 }) },
            suggest: { found in values.suggested.withLock { $0 += found.map(\.note) } })
    }

    private func window(
        _ address: String, title: String = "A page", canonical: String? = nil, isPrivate: Bool = false
    ) -> WindowList.Window {
        var tab = WindowList.Tab(handle: "browser:firefox/3/1", address: address, title: title, isActive: true)
        tab.canonical = canonical
        tab.language = "en"
        var window = WindowList.Window(
            handle: "browser:firefox/3", title: title, group: "firefox", parts: [tab.handle], server: "1.1")
        window.browser = "firefox"
        window.tabs = [tab]
        window.isPrivate = isPrivate
        window.activation = .foregroundActive
        return window
    }

    private func activity() throws -> Store.StoredActivity? { try store.activity(ofSession: session.id) }

    @Test(
        "a page is an activity by the rules, and of no private window",
        arguments: [
            ("https://wiki.example/a", nil, false, "https://wiki.example/a"),
            ("http://wiki.example/a", "https://wiki.example/b", false, "https://wiki.example/b"),
            ("https://wiki.example/a", "https://other.example/b", false, "https://wiki.example/a"),
            ("https://wiki.example/a#x:~:text=b", nil, false, "https://wiki.example/a#x"),
            ("https://wiki.example/a#:~:text=b", nil, false, "https://wiki.example/a"),
            ("https://bank.example/a", nil, false, nil), ("https://wiki.example/a", nil, true, nil),
            ("data:text/html,a", nil, false, nil), ("blob:https://wiki.example/1", nil, false, nil),
            ("about:blank", nil, false, nil), ("file:///a", nil, false, nil), ("", nil, false, nil),
        ] as [(String, String?, Bool, String?)])
    func included(address: String, canonical: String?, isPrivate: Bool, subject: String?) throws {
        let values = Values()
        let denied = try WindowRule.Pattern("https://bank.example/*")
        values.rules.withLock { ($0.pages, $0.deny) = (.all, [denied]) }
        let pages = activities(values)
        pages.follow(session, window(address, canonical: canonical, isPrivate: isPrivate))
        pages.flush()
        let activity = try self.activity()
        #expect(activity?.subject == subject)
        #expect(activity.map { $0.type == "NSUserActivityTypeBrowsingWeb" } ?? true)
        #expect(activity.map { $0.title == "A page" } ?? true)
    }

    @Test("without a setting no page is; with addresses those are")
    func settings() throws {
        let values = Values()
        let pages = activities(values)
        pages.follow(session, window("https://wiki.example/a"))
        pages.flush()
        #expect(try activity() == nil)
        let pattern = try WindowRule.Pattern("https://wiki.example/*")
        #expect(!values.rules.withLock { $0.includes("https://wiki.example/a") })
        values.rules.withLock { $0.pages = .matching([pattern]) }
        #expect(values.rules.withLock { $0.includes("https://wiki.example/a") })
        #expect(!values.rules.withLock { $0.includes("https://other.example/a") })
    }

    @Test("a pause ends the activity, and the page is one again afterwards")
    func pause() async throws {
        let values = Values()
        values.rules.withLock { $0.pages = .all }
        let pages = activities(values)
        pages.follow(session, window("https://wiki.example/a"))
        pages.flush()
        #expect(try activity() != nil)
        for isPaused in [true, false] {
            values.isPaused.withLock { $0 = isPaused }
            pages.refresh()
            try await eventually { try activity() == nil ? isPaused : !isPaused }
        }
    }

    @Test("a page that changes its title all the time is written now and then, its last title in the end")
    func manyTitles() async throws {
        let values = Values()
        values.rules.withLock { $0.pages = .all }
        let pages = activities(values)
        for number in 1...100 { pages.follow(session, window("https://wiki.example/a", title: "Title \(number)")) }
        try await eventually { try activity()?.title == "Title 100" }
        // One activity all the time, and no more than its first and its last text.
        #expect(try store.activities(Store.ActivityQuery(includesResigned: true)).count == 1)
    }

    @Test("notes about the page are suggested once a visit")
    func suggestions() async throws {
        let values = Values()
        values.rules.withLock { $0.pages = .all }
        let note = try store.write { (state) throws(StoreError) in try state.newNote("About it") }.id
        _ = try store.add(
            link: Store.NewLink(
                note: .id(note), identifiers: [.init(.webpageURL, .init("https://wiki.example/a"))]))
        let pages = activities(values)
        pages.follow(session, window("https://wiki.example/a"))
        pages.flush()
        #expect(values.suggested.withLock { $0 } == [note])
        pages.follow(session, window("https://wiki.example/a", title: "Another"))
        try await eventually { try activity()?.title == "Another" }
        #expect(values.suggested.withLock { $0 } == [note])
        pages.follow(session, window("https://wiki.example/b"))
        try await eventually { try activity()?.webpage == "https://wiki.example/b" }
        pages.follow(session, window("https://wiki.example/a"))
        try await eventually { values.suggested.withLock { $0 } == [note, note] }
    }

    @Test("a note that is linked during a visit is suggested on the next one, not when the page says more about itself")
    func linkedDuringVisit() async throws {
        let values = Values()
        values.rules.withLock { $0.pages = .all }
        let pages = activities(values)
        var page = window("https://wiki.example/a")
        pages.follow(session, page)
        pages.flush()
        let note = try store.write { (state) throws(StoreError) in try state.newNote("About it") }.id
        _ = try store.add(
            link: Store.NewLink(
                note: .id(note), identifiers: [.init(.webpageURL, .init("https://wiki.example/a"))]))
        pages.follow(session, window("https://wiki.example/a", title: "Another"))
        try await eventually { try activity()?.title == "Another" }
        #expect(values.suggested.withLock { $0 } == [])
        page.activation = .foregroundInactive
        pages.follow(session, page)
        pages.flush()
        #expect(values.suggested.withLock { $0 } == [])
        page.activation = .foregroundActive
        pages.follow(session, page)
        try await eventually { values.suggested.withLock { $0 } == [note] }
    }

    /// Waits for something that other threads bring about; a failed expectation where it does not come.
    private func eventually(_ condition: () throws -> Bool) async throws {
        for _ in 0..<1000 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("it does not come")
    }
}

@Suite("TextFragment") struct TextFragmentTests {
    @Test(
        "a selected text is named in the address",
        arguments: [
            ("https://a.example/", "the text", "https://a.example/#:~:text=the%20text"),
            ("https://a.example/#s", "a-b, c & d", "https://a.example/#s:~:text=a%2Db%2C%20c%20%26%20d"),
            ("https://a.example/#s:~:text=old", "new", "https://a.example/#s:~:text=new"),
            ("https://a.example/", "  one\n\n two words ", "https://a.example/#:~:text=one,two%20words"),
            ("https://a.example/", "é", "https://a.example/#:~:text=%C3%A9"), ("https://a.example/", " \n", nil),
            (
                "https://a.example/",
                "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
                "https://a.example/#:~:text=one%20two%20three%20four%20five,thirteen%20fourteen%20fifteen%20sixteen%20seventeen"
            ),
        ] as [(String, String, String?)])
    func address(page: String, selection: String, address: String?) {
        #expect(TextFragment.address(of: page, selection: selection) == address)
    }
}
