internal import Dispatch
internal import Synchronization
public import UsherActivation
internal import UsherScene
internal import UsherText

/// Answers the searches of desktops on the session bus: GNOME Shell's (`org.gnome.Shell.SearchProvider2`) and KRunner's
/// (`org.kde.krunner1`), at one object.
///
/// It has a connection of its own. While nothing is searched for, nothing wakes the process.
public final class SearchProvider: Sendable {
    public static let path = "/org/usher/Usher"

    public enum Event: Sendable {
        /// The name is ours, and searches are answered.
        case ready
        /// Another process has the name. It comes to us when that process leaves.
        case nameTaken(byProcess: Int32?)
        /// Searches cannot be answered, though there is a bus.
        case failed(ActivationFailure)
    }

    private let environment: [String: String]
    private let search: any DesktopSearch
    private let report: @Sendable (Event) -> Void
    /// Looks are carried out here: one after the other, since each is short.
    private let queue = DispatchQueue(label: "usher.search")
    private let state = Mutex(State())
    /// Tokens from timestamps, each another one.
    private let tokens = Atomic<Int>(0)

    private struct State {
        var bus: SessionBus?
        var observation: BusObservation?
        /// Of the next run (`SetActivationToken` of KRunner).
        var token: String?
        /// Whether there was a bus: only then it is waited for.
        var hadBus = false
        /// How long to wait before the next try, in seconds, and whether one is awaited.
        var pause = SearchProvider.shortestPause
        var isWaiting = false
        var isStopped = false
    }

    /// After the bus was lost it is tried again: after this time, then after twice as long, and so on, up to an hour.
    private static let shortestPause = 2
    private static let longestPause = 3600

    /// - Parameter environment: says where the session bus is. Nothing is asked before `start`.
    public init(
        environment: [String: String], _ search: any DesktopSearch, report: @escaping @Sendable (Event) -> Void
    ) {
        self.environment = environment
        self.search = search
        self.report = report
    }

    /// Takes the name. Returns at once. Without a session bus nothing happens.
    public func start() { queue.async { [weak self] in self?.takeName() } }

    /// Returns when what was begun at once has been tried.
    func flush() { queue.sync {} }

    /// Gives the name up.
    public func stop() {
        let released = state.withLock { state in
            defer { (state.bus, state.observation, state.isStopped) = (nil, nil, true) }
            return (state.bus, state.observation)
        }
        withExtendedLifetime(released) {}
    }

    // MARK: The name

    private func takeName() {
        guard !state.withLock({ $0.isStopped }) else { return }
        do throws(ActivationFailure) {
            let bus = state.withLock({ $0.bus }) ?? SessionBus(environment: environment)
            if state.withLock({ $0.observation }) == nil {
                let acquired = BusMatch(
                    sender: BusName.driver, interface: BusName.driver, member: "NameAcquired",
                    firstArgument: DesktopServiceName.search)
                let observation = try bus.observe(acquired) { [weak self] event in self?.follow(event) }
                state.withLock { state in
                    if !state.isStopped { (state.bus, state.observation) = (bus, observation) }
                }
            }
            let isOurs = try bus.serve(DesktopServiceName.search, waits: true) { [weak self] in self?.answer($0) }
            state.withLock { ($0.hadBus, $0.pause) = (true, Self.shortestPause) }
            if isOurs { return }
            report(.nameTaken(byProcess: (try? bus.owner(of: DesktopServiceName.search)) ?? nil))
        } catch {
            guard error.code == .busAbsent || error.code == .busLost else { return report(.failed(error)) }
            tryAgain()
        }
    }

    /// On the bus thread.
    private func follow(_ event: BusEvent) {
        switch event {
        case .signal: report(.ready)
        case .lost: tryAgain()
        case .ownerChanged: break
        }
    }

    private func tryAgain() {
        let pause: Int? = state.withLock { state in
            guard state.hadBus, !state.isWaiting, !state.isStopped else { return nil }
            state.isWaiting = true
            defer { state.pause = min(2 * state.pause, Self.longestPause) }
            return state.pause
        }
        guard let pause else { return }
        queue.asyncAfter(deadline: .now() + .seconds(pause)) { [weak self] in
            self?.state.withLock { $0.isWaiting = false }
            self?.takeName()
        }
    }

    // MARK: Calls, on the bus thread

    private static let gnome = "org.gnome.Shell.SearchProvider2"
    private static let krunner = "org.kde.krunner1"

    private func answer(_ call: BusMessage) -> BusReply? {
        if let reply = ObjectDescription.answer(call, at: Self.path) { return reply }
        guard call.path.hasSameBytes(as: Self.path) else { return nil }
        func isOf(_ interface: String, _ signature: String) -> Bool {
            (call.interface.isEmpty || call.interface.hasSameBytes(as: interface))
                && call.arguments.map(\.signature).joined().utf8.elementsEqual(signature.utf8)
        }
        let first = call.arguments.first
        switch call.member {
        case "GetInitialResultSet" where isOf(Self.gnome, "as"): return found(words(first))
        case "GetSubsearchResultSet" where isOf(Self.gnome, "asas"): return found(words(call.arguments[1]))
        case "GetResultMetas" where isOf(Self.gnome, "as"):
            let ids = (first?.elements ?? []).compactMap(\.string)
            return look { (search) throws(ActivationFailure) in
                [.array(try search.items(ids).map(\.metadata), of: "a{sv}")]
            }
        case "ActivateResult" where isOf(Self.gnome, "sasu"):
            return open(first?.string ?? "", token: token(at: call.arguments[2].uint32 ?? 0))
        // There is no window that could show more.
        case "LaunchSearch" where isOf(Self.gnome, "asu"): return .values([])
        case "Match" where isOf(Self.krunner, "s"):
            let text = first?.string ?? ""
            return look { (search) throws(ActivationFailure) in
                let items = try search.find(text)
                return [.array(items.enumerated().map { $1.match(place: $0) }, of: FoundItem.matchSignature)]
            }
        case "Actions" where isOf(Self.krunner, ""): return .values([.array([], of: "(sss)")])
        case "Config" where isOf(Self.krunner, ""): return .values([.options([])])
        case "Teardown" where isOf(Self.krunner, ""): return .values([])
        case "SetActivationToken" where isOf(Self.krunner, "s"):
            state.withLock { $0.token = first?.string }
            return .values([])
        case "Run" where isOf(Self.krunner, "ss"):
            let token = state.withLock { state in
                defer { state.token = nil }
                return state.token
            }
            return open(first?.string ?? "", token: token)
        default:
            guard Self.members.contains(call.member) else { return nil }
            return .error("org.freedesktop.DBus.Error.InvalidArgs", "\(call.member) takes other arguments")
        }
    }

    private static let members: Set<String> = [
        "GetInitialResultSet", "GetSubsearchResultSet", "GetResultMetas", "ActivateResult", "LaunchSearch", "Match",
        "Actions", "Config", "Teardown", "SetActivationToken", "Run",
    ]

    private func words(_ terms: BusValue?) -> String {
        (terms?.elements ?? []).compactMap(\.string).joined(separator: " ")
    }

    private func found(_ text: String) -> BusReply {
        look { (search) throws(ActivationFailure) in [.strings(try search.find(text).map(\.id))] }
    }

    private func look(
        _ body: @escaping @Sendable (any DesktopSearch) throws(ActivationFailure) -> [BusValue]
    ) -> BusReply {
        .later { [queue, search] replier in
            queue.async { replier.give(Self.reply { () throws(ActivationFailure) in try body(search) }) }
        }
    }

    /// An app may be asked for what it has not saved: that takes its time, and nothing waits for it.
    private func open(_ id: String, token: String?) -> BusReply {
        .later { [search] replier in
            DispatchQueue(label: "usher.search.open").async {
                replier.give(
                    Self.reply { () throws(ActivationFailure) in
                        try search.open(id, token: token)
                        return []
                    })
            }
        }
    }

    private static func reply(_ body: () throws(ActivationFailure) -> [BusValue]) -> BusReply {
        do throws(ActivationFailure) {
            return .values(try body())
        } catch {
            return .error("org.usher.Error.Failed", error.description)
        }
    }

    /// A startup id with the time of the user's key press, as X11 has them (Startup Notification Specification 0.1). On
    /// Wayland a time means nothing.
    private func token(at timestamp: UInt32) -> String? {
        guard timestamp != 0, environment["DISPLAY"]?.isEmpty == false,
            environment["WAYLAND_DISPLAY"]?.isEmpty ?? true
        else { return nil }
        return "usher-search-\(tokens.add(1, ordering: .relaxed).newValue)_TIME\(timestamp)"
    }
}

extension FoundItem {
    /// An icon that the themes of all desktops have.
    fileprivate static let commonIcon = "document-open-recent"

    /// As `GetResultMetas` has it.
    fileprivate var metadata: BusValue {
        .options([
            ("id", .string(id)), ("name", .string(title)), ("description", .string(subtitle)),
            ("gicon", .string(icon ?? Self.commonIcon)),
        ])
    }

    /// Id, text, icon, type, relevance, properties.
    fileprivate static let matchSignature = "(sssida{sv})"

    /// As `Match` has it.
    ///
    /// - Parameter place: among all, from 0: the first is the most relevant.
    fileprivate func match(place: Int) -> BusValue {
        // Of what a runner may find: a possible match, below programs of the very name.
        let possible: Int32 = 30
        return .structure([
            .string(id), .string(title), .string(icon ?? Self.commonIcon), .int32(possible),
            .double(max(0.05, 0.8 - 0.05 * Double(place))), .options([("subtext", .string(subtitle))]),
        ])
    }
}
