internal import Dispatch
internal import Synchronization
public import UsherActivation
public import UsherEngine
internal import UsherJSON
public import UsherLog
package import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

/// How the data of a page in front is read, beyond what its browser tells by itself.
public struct PageReading: Sendable {
    /// Whether the settings allow it.
    var isAllowed: @Sendable (_ app: String, _ address: String) -> Bool
    /// The data of the page in front of a window; nil where it cannot be read. May wait.
    var data: @Sendable (_ window: WindowReference) -> PageContent?

    public init(
        isAllowed: @escaping @Sendable (_ app: String, _ address: String) -> Bool,
        data: @escaping @Sendable (_ window: WindowReference) -> PageContent?
    ) {
        self.isAllowed = isAllowed
        self.data = data
    }
}

/// Makes the page in front of each browser window the `NSUserActivityTypeBrowsingWeb` of the window's session.
///
/// Pages of private windows, pages that `[browser] pages` does not include, and every page while there is a pause are
/// none; a session that shows such a page has no browsing activity. A session's activity is written at most four times
/// a second, however often its page changes.
///
/// The place or person that a page's structured data names becomes the attributes of the activity. It is read once a
/// visit, and again when the page's address or title changes: a second after the last reading, and later each time
/// while the address stays the same.
public final class PageActivities: Sendable {
    private let store: Store
    private let logger: Logger
    private let isIncluded: @Sendable (_ address: String) -> Bool
    private let pause: @Sendable () -> PagePause
    private let becameCurrent: @Sendable () -> Void
    private let openings: EngineOpenings
    private let suggest: @Sendable ([LinkedNoteAnswer]) -> Void
    private let reading: PageReading?
    private let state = Mutex<[String: Entry]>([:])
    /// The end of a pause at which every page is judged anew.
    private let awaitedEnd = Mutex<Instant?>(nil)
    private let queue = DispatchQueue(label: "usher.pages")
    /// Browsers may take their time to answer.
    private let readingQueue = DispatchQueue(label: "usher.pages.read")

    private struct Front: Sendable, Hashable {
        var address: String
        var canonical: String?
        var title: String
        var language: String?
    }

    /// What is known of a session.
    private struct Entry: Sendable {
        var app: String
        var window: WindowList.Window
        var tab: String?
        /// What was written last.
        var page: Front?
        /// What its data says; empty before it was read, and where it names nothing.
        var attributes: [JSONValue.Member] = []
        /// What was read last of this visit.
        var read: Front?
        /// When the next reading may be; nil before the first.
        var nextReading: MonotonicInstant?
        var pauseBetweenReadings = PageActivities.firstPauseBetweenReadings
        var isReadingScheduled = false
        var isFront = false
        /// nil before the first time.
        var written: MonotonicInstant?
        var isScheduled = false
        /// Notes that were suggested during this visit.
        var suggested: Set<String> = []

        /// The tab in front, or the session's one if that is in front.
        var shownTab: WindowList.Tab? {
            window.tabs.first(where: \.isActive).flatMap { tab == nil || tab == $0.handle ? $0 : nil }
        }
    }

    private static let pauseBetweenWrites = Duration.milliseconds(250)
    private static let firstPauseBetweenReadings = Duration.seconds(1)
    private static let lastPauseBetweenReadings = Duration.seconds(64)
    /// Sessions beyond these are not followed.
    private static let sessionLimit = 1000

    /// - Parameters:
    ///   - isIncluded: whether `[browser] pages` and `deny` include a page.
    ///   - pause: the pause that applies now.
    ///   - becameCurrent: called when a page was written as an activity. Must not wait.
    ///   - suggest: called once a visit with the notes about the page that has come to the front. Must not wait.
    ///   - reading: nil: the data of pages is not read.
    public init(
        _ store: Store, logger: Logger, isIncluded: @escaping @Sendable (_ address: String) -> Bool,
        pause: @escaping @Sendable () -> PagePause, becameCurrent: @escaping @Sendable () -> Void = {},
        openings: EngineOpenings,
        suggest: @escaping @Sendable ([LinkedNoteAnswer]) -> Void, reading: PageReading? = nil
    ) {
        self.store = store
        self.logger = logger
        self.isIncluded = isIncluded
        self.pause = pause
        self.becameCurrent = becameCurrent
        self.openings = openings
        self.suggest = suggest
        self.reading = reading
    }

    /// Takes what a session's window shows now; other windows than those of browsers are passed over.
    package func follow(_ session: SceneSession, _ window: WindowList.Window) {
        guard window.browser != nil else { return }
        let isKnown = state.withLock { state in
            guard state[session.id] != nil || state.count < PageActivities.sessionLimit else { return false }
            var entry = state[session.id] ?? Entry(app: session.app, window: window)
            entry.window = window
            entry.tab = session.handle.flatMap { window.parts.contains($0) ? $0 : nil }
            state[session.id] = entry
            return true
        }
        if isKnown { queue.async { self.write(session.id) } }
    }

    /// Judges every page anew: the configuration or the pause is another.
    public func refresh() {
        queue.async { [self] in
            for session in state.withLock({ Array($0.keys) }) { write(session) }
        }
    }

    /// Returns when everything that is not delayed is written.
    func flush() {
        queue.sync {}
        readingQueue.sync {}
        queue.sync {}
    }

    // MARK: - On the queue

    /// Writes what a session shows, at once or as soon as it may.
    private func write(_ session: String) {
        guard let entry = state.withLock({ $0[session] }) else { return }
        let currentPause = pause()
        if currentPause.isPaused, let end = currentPause.until { refresh(at: end) }
        let page = currentPause.isPaused ? nil : shownPage(entry)
        let isFront = entry.window.activation == .foregroundActive
        let isReturn = isFront && !entry.isFront && page != nil
        // At once: it may be back before anything is written.
        if !isFront { state.withLock { $0[session]?.isFront = false } }
        guard entry.written == nil || page != entry.page || isReturn else {
            state.withLock { $0[session]?.isFront = isFront }
            return readData(session)
        }
        let now = MonotonicClock.now
        if let written = entry.written, now - written < PageActivities.pauseBetweenWrites {
            let left = PageActivities.pauseBetweenWrites - (now - written)
            return schedule(session, after: PageActivities.interval(left))
        }
        let isVisit = isReturn || page?.address != entry.page?.address
        state.withLock { state in
            state[session]?.written = now
            state[session]?.isFront = isFront
            state[session]?.page = page
            if isVisit {
                state[session]?.read = nil
                state[session]?.pauseBetweenReadings = PageActivities.firstPauseBetweenReadings
            }
            if page?.address != entry.page?.address {
                state[session]?.suggested = []
                state[session]?.attributes = []
            }
        }
        do throws(StoreError) {
            if let page {
                let isKnown = page.address == entry.page?.address && reading?.isAllowed(entry.app, page.address) == true
                let attributes = isKnown ? entry.attributes : []
                try write(page, attributes, after: entry.page, isVisit: isVisit, to: session, of: entry.app)
            } else if let activity = try store.activity(ofSession: session), PageActivities.isPage(activity.type) {
                _ = try store.resign(session: session)
            }
            guard try store.session(id: session)?.state.isOpen == true else {
                state.withLock { $0[session] = nil }
                return
            }
        } catch {
            logger.log(.pageNotKept, ["session.id": .text(session), "error.message": .text(error.message)])
        }
        readData(session)
    }

    /// Reads the data of the page in front where that is due, at once or as soon as it may.
    private func readData(_ session: String) {
        guard let reading, let entry = state.withLock({ $0[session] }), entry.isFront, let page = entry.page,
            page != entry.read, entry.shownTab?.isReadable == true, reading.isAllowed(entry.app, page.address)
        else { return }
        let now = MonotonicClock.now
        if let next = entry.nextReading, now < next {
            guard !entry.isReadingScheduled else { return }
            state.withLock { $0[session]?.isReadingScheduled = true }
            return queue.asyncAfter(deadline: .now() + PageActivities.interval(next - now)) { [self] in
                state.withLock { $0[session]?.isReadingScheduled = false }
                readData(session)
            }
        }
        state.withLock { state in
            state[session]?.read = page
            state[session]?.nextReading = now + entry.pauseBetweenReadings
            state[session]?.pauseBetweenReadings = min(
                entry.pauseBetweenReadings * 2, PageActivities.lastPauseBetweenReadings)
        }
        let window = WindowReference.handle(entry.shownTab?.handle ?? entry.window.handle, server: entry.window.server)
        readingQueue.async { [self] in
            // Meanwhile another page may be in front, also when the browser answers.
            let isThere = state.withLock { $0[session].map { $0.isFront && $0.page?.address == page.address } ?? false }
            guard isThere, let content = reading.data(window),
                PageActivities.withoutDirective(content.address) == page.address
            else { return }
            let attributes = PageActivities.attributes(content, of: page)
            if !attributes.isEmpty { queue.async { self.keep(attributes, ofPage: page.address, session) } }
        }
    }

    private static func attributes(_ content: PageContent, of page: Front) -> [JSONValue.Member] {
        Page(
            data: content.data, url: page.address, title: content.title, base: content.base,
            isPartial: content.isPartial
        ).activityAttributes ?? []
    }

    /// Gives the session's activity what the data of its page says, where that page is still the one.
    private func keep(_ attributes: [JSONValue.Member], ofPage address: String, _ session: String) {
        guard let entry = state.withLock({ $0[session] }), let page = entry.page, page.address == address,
            JSONValue.object(entry.attributes) != .object(attributes), !pause().isPaused,
            reading?.isAllowed(entry.app, address) == true
        else { return }
        state.withLock { $0[session]?.attributes = attributes }
        do throws(StoreError) {
            guard let content = PageActivities.content(of: page, attributes),
                let activity = try store.activity(ofSession: session), PageActivities.isPage(activity.type)
            else { return }
            _ = try store.update(activity, to: content)
        } catch {
            logger.log(.pageNotKept, ["session.id": .text(session), "error.message": .text(error.message)])
        }
    }

    private static func interval(_ duration: Duration) -> DispatchTimeInterval {
        .microseconds(Int(duration / .microseconds(1)) + 1)
    }

    private func refresh(at end: Instant) {
        let isNew = awaitedEnd.withLock { awaited in
            defer { awaited = end }
            return awaited != end
        }
        guard isNew else { return }
        let microseconds = min(max(end.microseconds - Instant.now.microseconds, 0), 1 << 50)
        queue.asyncAfter(deadline: .now() + .microseconds(Int(microseconds) + 1000)) { [weak self] in self?.refresh() }
    }

    private func schedule(_ session: String, after interval: DispatchTimeInterval) {
        let isFirst = state.withLock { state in
            defer { state[session]?.isScheduled = true }
            return state[session]?.isScheduled == false
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + interval) { [self] in
            state.withLock { $0[session]?.isScheduled = false }
            write(session)
        }
    }

    /// The page that a window, or the session's tab of it, has in front; nil where it is none of the user's activities.
    private func shownPage(_ entry: Entry) -> Front? {
        guard !entry.window.isPrivate, let tab = entry.shownTab, isIncluded(tab.address) else { return nil }
        let host = TargetContentIdentifier(tab.address).webHost?.host
        let canonical = tab.canonical.flatMap { canonical in
            TargetContentIdentifier(canonical).webHost.flatMap {
                $0.host == host && isIncluded(canonical) ? canonical : nil
            }
        }
        return Front(
            address: PageActivities.withoutDirective(tab.address), canonical: canonical, title: tab.title,
            language: tab.language)
    }

    /// Without what a browser scrolls to (`:~:text=`), which is not a part of the page's address.
    package static func withoutDirective(_ address: String) -> String {
        let bytes = address.utf8
        guard let hash = bytes.firstIndex(of: UInt8(ascii: "#")),
            let mark = bytes[hash...].firstRange(of: ":~:".utf8)?.lowerBound
        else { return address }
        return String(address[..<(mark == bytes.index(after: hash) ? hash : mark)])
    }

    /// Suggestions are looked up only when a visit begins: a page that says more about itself is the same visit.
    private func write(
        _ page: Front, _ attributes: [JSONValue.Member], after earlier: Front?, isVisit: Bool, to session: String,
        of app: String
    ) throws(StoreError) {
        guard let content = PageActivities.content(of: page, attributes) else { return }
        var activity: Store.StoredActivity?
        // Another title of the same page is the same activity.
        if page != earlier, page.address == earlier?.address, let now = try store.activity(ofSession: session),
            PageActivities.isPage(now.type)
        {
            activity = try store.update(now, to: content)
        }
        if activity == nil {
            activity = try store.becomeCurrent(content, app: app, session: session)?.activity
            becameCurrent()
        }
        guard isVisit, let activity else { return }
        let found = try openings.linkedNotes?(activity.identifiers, nil, store) ?? []
        let new = state.withLock { state in
            found.filter { state[session]?.suggested.insert($0.note).inserted ?? false }
        }
        if !new.isEmpty { suggest(new) }
    }

    package static func isPage(_ type: String) -> Bool { type.hasSameBytes(as: ActivationRequest.browsingActivity) }

    private static func content(of page: Front, _ attributes: [JSONValue.Member]) -> Store.ActivityContent? {
        var members: [JSONValue.Member] = [
            .init("activityType", .string(ActivationRequest.browsingActivity)),
            .init("webpageURL", .string(page.address)),
        ]
        if let canonical = page.canonical { members.append(.init("targetContentIdentifier", .string(canonical))) }
        if !page.title.isEmpty { members.append(.init("title", .string(page.title))) }
        var all = attributes
        if let language = page.language, !language.isEmpty {
            all.append(.init("languages", .array([.string(language)])))
        }
        if !all.isEmpty { members.append(.init("contentAttributeSet", .object(all))) }
        if let document = try? ActivityDocument(Array(JSONValue.object(members).text().utf8)) {
            return document.content
        }
        // Attributes that an activity may not have do not keep the page from being one.
        return attributes.isEmpty ? nil : content(of: page, [])
    }
}
