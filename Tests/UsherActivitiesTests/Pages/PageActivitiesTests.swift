import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherConfiguration
import UsherEngine
import UsherFeatures
import UsherJSON
import UsherLog
import UsherScene
import UsherStore

@testable import UsherActivities
@testable import UsherNotes

/// A browser's window, and what becomes of its page.
@Suite("PageActivities") struct PageActivitiesTests {
    private let files = TemporaryFolder()
    private let store: Store
    private let session: SceneSession

    init() throws {
        store = try Store(directory: files.path, access: .readWrite, features: .all)
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
        let settings = Mutex(SuggestionSettings())
        /// What the browser says of the page at an address; TITLE stands for the page's title.
        let data = Mutex<[String: PageContent]>([:])
        /// The page that the browser has in front.
        let shown = Mutex((address: "", title: ""))
        let readings = Mutex<[String]>([])
        /// Runs while the browser is asked.
        let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

        init(_ pages: PageRules.Selection = .none) { rules.withLock { $0.pages = pages } }
    }

    private func activities(_ values: Values) -> PageActivities {
        PageActivities(
            store, logger: Logger(level: .error),
            isIncluded: { address in values.rules.withLock { $0.includes(address) } },
            pause: { PagePause(isPaused: values.isPaused.withLock { $0 }) }, openings: .all,
            suggest: { found in values.suggested.withLock { $0 += found.map(\.note) } },
            reading: PageReading(
                isAllowed: { app, address in values.settings.withLock { $0.reads(page: address, of: app) } },
                data: { window in
                    let (address, title) = values.shown.withLock { $0 }
                    values.readings.withLock { $0.append(address) }
                    #expect(window == .handle("browser:firefox/3/1", server: "1.1"))
                    values.meanwhile.withLock { $0 }?()
                    var content = values.data.withLock { $0[address] } ?? PageContent()
                    content.address = address
                    content.data = content.data.map { $0.replacing("TITLE", with: title) }
                    return content
                }))
    }

    /// The browser shows a page.
    private func show(
        _ address: String, title: String = "A page", isPrivate: Bool = false, isReadable: Bool = true,
        isFront: Bool = true, _ values: Values, _ pages: PageActivities
    ) {
        values.shown.withLock { $0 = (address, title) }
        var window = window(address, title: title, isPrivate: isPrivate)
        window.tabs[0].isReadable = isReadable
        if !isFront { window.activation = .foregroundInactive }
        pages.follow(session, window)
        pages.flush()
    }

    private static let place = PageContent(data: [
        #"{"@context":"https://schema.org","@type":"Restaurant","name":"The Big Top","address":{"streetAddress":"12 Ring Road"}}"#
    ])
    private static let placeText =
        #"{"namedLocation":"The Big Top","fullThoroughfare":"12 Ring Road","supportsNavigation":true,"languages":["en"]}"#
    private static let languageText = #"{"languages":["en"]}"#

    /// `contentAttributeSet` as text.
    private func attributes() throws -> String? {
        guard let activity = try activity() else { return nil }
        return try JSONValue(parsing: activity.document)["contentAttributeSet"]?.text()
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
    func pause() throws {
        let values = Values()
        values.rules.withLock { $0.pages = .all }
        let pages = activities(values)
        pages.follow(session, window("https://wiki.example/a"))
        pages.flush()
        #expect(try activity() != nil)
        for isPaused in [true, false] {
            values.isPaused.withLock { $0 = isPaused }
            pages.refresh()
            #expect(try eventually { try activity() == nil ? isPaused : !isPaused })
        }
    }

    @Test("a page that changes its title all the time is written now and then, its last title in the end")
    func manyTitles() throws {
        let values = Values()
        values.rules.withLock { $0.pages = .all }
        let pages = activities(values)
        for number in 1...100 { pages.follow(session, window("https://wiki.example/a", title: "Title \(number)")) }
        #expect(try eventually { try activity()?.title == "Title 100" })
        // One activity all the time, and no more than its first and its last text.
        #expect(try store.activities(Store.ActivityQuery(includesResigned: true)).count == 1)
    }

    @Test("notes about the page are suggested once a visit")
    func suggestions() throws {
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
        #expect(try eventually { try activity()?.title == "Another" })
        #expect(values.suggested.withLock { $0 } == [note])
        pages.follow(session, window("https://wiki.example/b"))
        #expect(try eventually { try activity()?.webpage == "https://wiki.example/b" })
        pages.follow(session, window("https://wiki.example/a"))
        #expect(eventually { values.suggested.withLock { $0 } == [note, note] })
    }

    @Test("a note that is linked during a visit is suggested on the next one, not when the page says more about itself")
    func linkedDuringVisit() throws {
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
        #expect(try eventually { try activity()?.title == "Another" })
        #expect(values.suggested.withLock { $0 } == [])
        page.activation = .foregroundInactive
        pages.follow(session, page)
        pages.flush()
        #expect(values.suggested.withLock { $0 } == [])
        page.activation = .foregroundActive
        pages.follow(session, page)
        #expect(eventually { values.suggested.withLock { $0 } == [note] })
    }

    // MARK: - Data of pages

    @Test(
        "the place or person that a page names becomes attributes of its activity",
        arguments: [
            (PageActivitiesTests.place, PageActivitiesTests.placeText),
            (
                .init(
                    data: [
                        "no JSON",
                        #"{"@context":"https://schema.org","@graph":[{"@id":"_:0","telephone":["555-0100"],"image":["i.png"]}]}"#,
                    ], title: "T", base: "https://wiki.example/b/", isPartial: true),
                #"{"namedLocation":"T","phoneNumbers":["555-0100"],"supportsPhoneCalls":true,"#
                    + #""thumbnailURL":"https://wiki.example/b/i.png","languages":["en"]}"#
            ),
            (.init(data: ["no JSON"]), PageActivitiesTests.languageText),
            (.init(title: "T"), PageActivitiesTests.languageText),
        ] as [(PageContent, String)])
    func data(data: PageContent, attributes: String) throws {
        let values = Values(.all)
        values.data.withLock { $0["https://wiki.example/a"] = data }
        let pages = activities(values)
        show("https://wiki.example/a", values, pages)
        #expect(try self.attributes() == attributes)
        #expect(values.readings.withLock { $0.count } == 1)
        // One activity, which became current once.
        #expect(try store.activities(Store.ActivityQuery(includesResigned: true)).count == 1)
    }

    @Test(
        "pages are not read in private windows, and where the settings exclude them",
        arguments: [
            ("all", true), ("private", false), ("off", false), ("pages", false), ("kinds", false), ("app", false),
            ("host", false), ("parent", false), ("other host", true), ("denied", false), ("paused", false),
            ("loading", false), ("behind", false),
        ])
    func settings(name: String, isRead: Bool) throws {
        let values = Values(.all)
        values.data.withLock { $0["https://a.Wiki.example./a"] = PageActivitiesTests.place }
        let denied = try WindowRule.Pattern("https://a.*")
        values.settings.withLock { settings in
            switch name {
            case "off": settings.isEnabled = false
            case "pages": settings.includesPages = false
            case "kinds": settings.kinds = [.media, .app]
            case "app": settings.excludedApps = ["example.web"]
            case "host": settings.excludedHosts = ["a.wiki.example"]
            case "parent": settings.excludedHosts = ["wiki.example"]
            case "other host": settings.excludedHosts = ["b.wiki.example", "iki.example"]
            default: break
            }
        }
        if name == "denied" { values.rules.withLock { $0.deny = [denied] } }
        if name == "paused" { values.isPaused.withLock { $0 = true } }
        show(
            "https://a.Wiki.example./a", isPrivate: name == "private", isReadable: name != "loading",
            isFront: name != "behind", values, activities(values))
        #expect(values.readings.withLock { $0.count } == (isRead ? 1 : 0))
        #expect(
            try attributes()?.contains("The Big Top")
                == (["private", "denied", "paused"].contains(name) ? nil : isRead))
    }

    @Test("a page is read once a visit, when it is loaded, and when a setting allows it")
    func once() throws {
        let values = Values(.all)
        values.data.withLock { $0["https://wiki.example/a"] = PageActivitiesTests.place }
        let pages = activities(values)
        func count() -> Int { values.readings.withLock { $0.count } }
        values.settings.withLock { $0.includesPages = false }
        show("https://wiki.example/a", isReadable: false, values, pages)
        values.settings.withLock { $0.includesPages = true }
        pages.refresh()
        pages.flush()
        #expect(count() == 0)
        show("https://wiki.example/a", values, pages)
        #expect(count() == 1)
        for _ in 0..<3 { show("https://wiki.example/a", values, pages) }
        show("https://wiki.example/a", isFront: false, values, pages)
        #expect(count() == 1)
        show("https://wiki.example/a", values, pages)
        // Another visit, soon after the first.
        #expect(eventually { count() == 2 })
        #expect(try attributes() == PageActivitiesTests.placeText)
    }

    @Test("a page that changes all the time is read now and then, and in the end as it is then")
    func restless() throws {
        let values = Values(.all)
        let pages = activities(values)
        values.data.withLock {
            $0["https://wiki.example/a"] = .init(
                data: PageActivitiesTests.place.data.map { $0.replacing("The Big Top", with: "TITLE") })
        }
        let begin = ContinuousClock.now
        for number in 1...30 {
            show("https://wiki.example/a", title: "Title \(number)", values, pages)
        }
        #expect(try eventually { try attributes()?.contains("Title 30") == true })
        #expect(try activity()?.title == "Title 30")
        // A second lies between the first two, then two, four, eight.
        let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
        #expect(values.readings.withLock { $0.count } <= 2 + (Int.bitWidth - (seconds + 1).leadingZeroBitCount))
    }

    @Test("a page that is left before it is read gives its attributes to no other page")
    func left() throws {
        let values = Values(.all)
        values.data.withLock { $0["https://wiki.example/a"] = PageActivitiesTests.place }
        let pages = activities(values)
        let (session, other) = (session, window("https://wiki.example/b"))
        values.meanwhile.withLock { $0 = { pages.follow(session, other) } }
        show("https://wiki.example/a", values, pages)
        #expect(try eventually { try activity()?.webpage == "https://wiki.example/b" })
        pages.flush()
        #expect(try attributes() == PageActivitiesTests.languageText)
        // The browser has turned to another page that usherd does not know of yet.
        values.meanwhile.withLock { $0 = nil }
        var window = window("https://wiki.example/c")
        window.tabs[0].isReadable = true
        values.shown.withLock { $0.address = "https://wiki.example/a" }
        pages.follow(session, window)
        #expect(eventually { values.readings.withLock { $0.count } == 2 })
        pages.flush()
        #expect(try attributes() == PageActivitiesTests.languageText)
    }
}
