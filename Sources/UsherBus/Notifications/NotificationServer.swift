internal import Dispatch
internal import Synchronization
public import UsherActivation
internal import UsherScene
internal import UsherText

/// The desktop's notification server, on the session bus (Desktop Notifications Specification 1.2).
///
/// Any server that owns the name is used. The bus starts one if none runs; a running server is never replaced. Signals
/// are observed before the first notification is shown. Servers send signals about the notifications of all programs to
/// all programs. After a restart this object does not know which notifications are Usher's, so it reports every event;
/// the store has those that are.
public final class NotificationServer: NotificationPresenter {
    static let name = DesktopServiceName.notifications
    static let path = "/org/freedesktop/Notifications"

    private let bus: SessionBus
    private let state = Mutex(State())
    /// Held while it is made.
    private let observation = Mutex<BusObservation?>(nil)
    /// Events are reported on this queue, since the bus thread must not block.
    private let queue = DispatchQueue(label: "usher.notifications")

    private struct State {
        var observer: (@Sendable (NotificationEvent) -> Void)?
        /// The id of the bus; it outlives no restart of the bus.
        var bus: String?
        /// The unique name of the server.
        var owner: String?
        var capabilities: Set<String>?
        /// Activation tokens that arrived before the press that they belong to.
        var tokens: [ShownNotification: String] = [:]
    }

    /// The largest number of tokens that wait for their press.
    private static let tokenLimit = 64

    public init(_ bus: SessionBus) { self.bus = bus }

    // MARK: NotificationPresenter

    public func observe(_ body: @escaping @Sendable (NotificationEvent) -> Void) {
        state.withLock { $0.observer = body }
    }

    public func show(_ notification: DesktopNotification) throws(ActivationFailure) -> ShownNotification {
        let capabilities = try capabilities()
        var replaced: UInt32 = 0
        if let older = notification.replaces, try older.server == server() { replaced = older.id }
        let answer = try ask("Notify", notification.arguments(replacing: replaced, capabilities: capabilities))
        guard let number = answer.arguments.first?.uint32, number > 0 else {
            throw ActivationFailure(
                .notificationRefused, "the notification server gave the notification no number",
                help: "see what \(Self.name) is on this desktop")
        }
        return ShownNotification(id: number, server: try life(of: answer.sender))
    }

    public func close(_ shown: ShownNotification) throws(ActivationFailure) {
        guard try server() == shown.server else { return }
        do throws(ActivationFailure) {
            _ = try ask("CloseNotification", [.uint32(shown.id)], startsService: false)
        } catch {
            // It is not shown any more: an error of no particular kind.
            guard error.code == .notificationRefused else { throw error }
        }
    }

    public func capabilities() throws(ActivationFailure) -> Set<String> {
        try subscribe()
        if let known = state.withLock({ $0.capabilities }) { return known }
        let answer = try ask("GetCapabilities", [])
        let found = Set((answer.arguments.first?.elements ?? []).compactMap(\.string))
        state.withLock { state in
            // Another server may have taken the name meanwhile.
            if state.owner == nil || state.owner == answer.sender {
                (state.owner, state.capabilities) = (answer.sender, found)
            }
        }
        return found
    }

    public func server() throws(ActivationFailure) -> String? {
        try subscribe()
        if let owner = state.withLock({ $0.owner }) { return try life(of: owner) }
        let answer: BusMessage
        do throws(BusProblem) {
            answer = try bus.ask(.driver("GetNameOwner", [.string(Self.name)]))
        } catch {
            if case .error("org.freedesktop.DBus.Error.NameHasNoOwner", _) = error { return nil }
            throw error.failure(.driver("GetNameOwner", [])).aboutNotifications
        }
        guard let owner = answer.arguments.first?.string else { return nil }
        state.withLock { $0.owner = owner }
        return try life(of: owner)
    }

    /// What it calls itself: `dunst 1.9.0`.
    public func information() throws(ActivationFailure) -> String {
        let words = try ask("GetServerInformation", []).arguments.compactMap(\.string)
        return [0, 2].compactMap { words.indices.contains($0) ? Printable.text(words[$0]) : nil }.joined(separator: " ")
    }

    // MARK: The bus

    private func ask(
        _ member: String, _ arguments: [BusValue], startsService: Bool = true
    ) throws(ActivationFailure) -> BusMessage {
        var call = BusCall(Self.name, Self.path, Self.name, member, arguments)
        call.startsService = startsService
        return try Result { () throws(BusProblem) in try bus.ask(call) }
            .mapError { $0.failure(call).aboutNotifications }.get()
    }

    /// Identifies one run of a server: the id of the bus and the unique name of the server's connection.
    private func life(of owner: String) throws(ActivationFailure) -> String {
        if let known = state.withLock({ $0.bus }) { return "\(known)/\(owner)" }
        let call = BusCall.driver("GetId", [])
        let answer: BusMessage
        do throws(BusProblem) { answer = try bus.ask(call) } catch { throw error.failure(call).aboutNotifications }
        let id = answer.arguments.first?.string ?? ""
        state.withLock { $0.bus = id }
        return "\(id)/\(owner)"
    }

    private func subscribe() throws(ActivationFailure) {
        try observation.withLock { (observation) throws(ActivationFailure) in
            // Known before the first signal.
            _ = try life(of: "")
            guard observation == nil else { return }
            do throws(ActivationFailure) {
                observation = try bus.observe(
                    BusMatch(sender: Self.name, path: Self.path, interface: Self.name)
                ) { [weak self] event in self?.handle(event) }
            } catch {
                throw error.aboutNotifications
            }
        }
    }

    // MARK: Signals

    private func handle(_ event: BusEvent) {
        switch event {
        case .signal(let signal): handle(signal)
        case .ownerChanged(let owner):
            let gone = state.withLock { state -> String? in
                let gone = state.owner.flatMap { old in
                    old == owner ? nil : state.bus.map { "\($0)/\(old)" }
                }
                state.owner = owner
                if gone != nil || owner == nil { (state.capabilities, state.tokens) = (nil, [:]) }
                return gone
            }
            if let gone { tell(.lost(server: gone)) }
        case .lost:
            let gone = state.withLock { state -> String? in
                let gone = state.bus.flatMap { bus in state.owner.map { "\(bus)/\($0)" } }
                (state.bus, state.owner, state.capabilities, state.tokens) = (nil, nil, nil, [:])
                return gone
            }
            if let gone { tell(.lost(server: gone)) }
        }
    }

    private func handle(_ signal: BusMessage) {
        guard let bus = state.withLock({ $0.bus }), signal.arguments.count == 2,
            let number = signal.arguments[0].uint32
        else { return }
        let shown = ShownNotification(id: number, server: "\(bus)/\(signal.sender)")
        switch signal.member {
        case "ActivationToken":
            guard let token = signal.arguments[1].string else { return }
            state.withLock { state in
                if state.tokens.count >= NotificationServer.tokenLimit { state.tokens.removeAll() }
                state.tokens[shown] = token
            }
        case "ActionInvoked":
            guard let action = signal.arguments[1].string else { return }
            let token = state.withLock { $0.tokens.removeValue(forKey: shown) }
            tell(.invoked(shown, action: action, token: token))
        case "NotificationClosed":
            state.withLock { _ = $0.tokens.removeValue(forKey: shown) }
            let reasons: [UInt32: NotificationEvent.CloseReason] = [1: .expired, 2: .dismissed, 3: .closed]
            tell(.closed(shown, signal.arguments[1].uint32.flatMap { reasons[$0] } ?? .undefined))
        default: break
        }
    }

    private func tell(_ event: NotificationEvent) {
        guard let observer = state.withLock({ $0.observer }) else { return }
        queue.async { observer(event) }
    }
}

extension ActivationFailure {
    /// The same where a notification was to be shown.
    fileprivate var aboutNotifications: ActivationFailure {
        switch code {
        case .busAbsent, .busNoService, .busNotStarted, .busUnknownMethod:
            ActivationFailure(
                .notificationUnavailable, "there is no notification server: \(message)",
                help: help ?? "start one, such as dunst or mako")
        case .busRefused: ActivationFailure(.notificationRefused, message, help: help)
        default: self
        }
    }
}
