public import UsherPredicate
public import UsherText

/// One window over its life, from the request that made it until the user closes it. Kept in the store.
///
/// A copy costs one reference, whatever the session holds; a change costs a copy of all its values.
public struct SceneSession: Sendable, Identifiable {
    @usableFromInline private(set) var storage: Shared<Values>

    /// Small ones side by side: there may be a million sessions.
    @usableFromInline
    struct Values: Sendable {
        @usableFromInline var id: String
        @usableFromInline var kind: Kind
        @usableFromInline var target: TargetContentIdentifier?
        @usableFromInline var handle: String?
        @usableFromInline var handleServer: String?
        @usableFromInline var title: String?
        @usableFromInline var created: Int64
        @usableFromInline var generation: Int64
        @usableFromInline var used: Int64?
        @usableFromInline var isTargetRead: Bool
        @usableFromInline var state: State
        @usableFromInline var conditions: ActivationConditions
    }

    private mutating func change(_ set: (inout Values) -> Void) {
        var values = storage.value
        set(&values)
        storage = Shared(values)
    }

    public var id: String {
        @inlinable get { storage.value.id }
        set { change { $0.id = newValue } }
    }
    /// Its app, scene and role.
    public var kind: Kind {
        @inlinable get { storage.value.kind }
        set { change { $0.kind = newValue } }
    }
    public var app: String {
        @inlinable get { storage.value.kind.app }
        set { kind = Kind(app: newValue, scene: scene, role: role) }
    }
    /// The name of its scene configuration.
    public var scene: String {
        @inlinable get { storage.value.kind.scene }
        set { kind = Kind(app: app, scene: newValue, role: role) }
    }
    public var role: SceneRole {
        @inlinable get { storage.value.kind.role }
        set { kind = Kind(app: app, scene: scene, role: newValue) }
    }
    /// The content it was made for.
    public var target: TargetContentIdentifier? {
        @inlinable get { storage.value.target }
        set { change { $0.target = newValue } }
    }
    /// The target was read from the window (`content` of the scene), and changes with it.
    public var isTargetRead: Bool {
        @inlinable get { storage.value.isTargetRead }
        set { change { $0.isTargetRead = newValue } }
    }
    public var conditions: ActivationConditions {
        @inlinable get { storage.value.conditions }
        set { change { $0.conditions = newValue } }
    }
    public var state: State {
        @inlinable get { storage.value.state }
        set { change { $0.state = newValue } }
    }
    /// When it last became active, in microseconds since 1970; nil if never.
    public var used: Int64? {
        @inlinable get { storage.value.used }
        set { change { $0.used = newValue } }
    }
    /// In microseconds since 1970; no two sessions of a store are created at the same one.
    public var created: Int64 {
        @inlinable get { storage.value.created }
        set { change { $0.created = newValue } }
    }
    /// Counts every change of this session; a decision is carried out only while it is the one decided on.
    public var generation: Int64 {
        @inlinable get { storage.value.generation }
        set { change { $0.generation = newValue } }
    }
    /// The window, in the words of its window system (`@3` in tmux), while connected.
    public var handle: String? {
        @inlinable get { storage.value.handle }
        set { change { $0.handle = newValue } }
    }
    /// What the handle is good for (see `WindowServer`): handles of a server that was restarted mean nothing.
    public var handleServer: String? {
        @inlinable get { storage.value.handleServer }
        set { change { $0.handleServer = newValue } }
    }
    /// What it last showed, for people.
    public var title: String? {
        @inlinable get { storage.value.title }
        set { change { $0.title = newValue } }
    }

    public enum State: String, Sendable, CaseIterable {
        /// Being launched.
        case connecting
        case connected
        /// Its window is gone (crash, logout, restart); kept, and launched again on demand.
        case disconnected
        /// The user is closing it: no longer chosen.
        case closing

        /// Connected and connecting sessions go before disconnected ones.
        @inlinable public var isOpen: Bool { self == .connected || self == .connecting }
    }

    /// What sessions are windows of. Those that are read together share it.
    public final class Kind: Sendable {
        public let app: String
        public let scene: String
        public let role: SceneRole

        public init(app: String, scene: String, role: SceneRole) {
            self.app = app
            self.scene = scene
            self.role = role
        }
    }

    /// What a stored decision needs to know of a session.
    public struct Summary: Sendable {
        public var id: String
        public var created: Int64
        public var generation: Int64
        public var state: State
        public var used: Int64?
        /// Of its id, target and title, in bytes of UTF-8; the id counts twice.
        public var textSize: Int

        @inlinable public init(
            id: String, created: Int64, generation: Int64, state: State, used: Int64?, textSize: Int
        ) {
            self.id = id
            self.created = created
            self.generation = generation
            self.state = state
            self.used = used
            self.textSize = textSize
        }
    }

    public init(
        id: String, app: String, scene: String, role: SceneRole = .windowApplication,
        target: TargetContentIdentifier? = nil, conditions: ActivationConditions = ActivationConditions(),
        state: State = .connected, used: Int64? = nil, created: Int64, generation: Int64 = 0, handle: String? = nil,
        handleServer: String? = nil, title: String? = nil, isTargetRead: Bool = false
    ) {
        self.init(
            id: id, kind: Kind(app: app, scene: scene, role: role), target: target, conditions: conditions,
            state: state,
            used: used, created: created, generation: generation, handle: handle, handleServer: handleServer,
            title: title,
            isTargetRead: isTargetRead)
    }

    public init(
        id: String, kind: Kind, target: TargetContentIdentifier?, conditions: ActivationConditions, state: State,
        used: Int64?, created: Int64, generation: Int64, handle: String?, handleServer: String?, title: String?,
        isTargetRead: Bool
    ) {
        storage = Shared(
            Values(
                id: id, kind: kind, target: target, handle: handle, handleServer: handleServer,
                title: title, created: created, generation: generation, used: used, isTargetRead: isTargetRead,
                state: state, conditions: conditions))
    }

    /// What the order of choice goes by, save for the id.
    public struct Rank: Sendable, Equatable {
        @usableFromInline let isOpen: Bool
        @usableFromInline let used: Int64
        @usableFromInline let created: Int64

        @inlinable
        init(_ session: SceneSession) {
            self.init(isOpen: session.state.isOpen, used: session.used, created: session.created)
        }

        @inlinable
        public init(isOpen: Bool, used: Int64?, created: Int64) {
            self.isOpen = isOpen
            self.used = used ?? .min
            self.created = created
        }

        @inlinable
        public static func == (one: Rank, other: Rank) -> Bool {
            one.used == other.used && one.created == other.created && one.isOpen == other.isOpen
        }

        /// Open before disconnected, then last used, then newest.
        @inlinable
        public static func < (one: Rank, other: Rank) -> Bool {
            if one.isOpen != other.isOpen { return one.isOpen }
            if one.used != other.used { return one.used > other.used }
            return one.created > other.created
        }
    }

    @inlinable public var rank: Rank { Rank(self) }

    /// The order in which equal sessions are chosen: by rank, then by the bytes of the id. Total, so that a decision never
    /// depends on the order of a table.
    @inline(__always)  // Thousands are sorted; a call would copy both.
    public static func precedes(_ one: SceneSession, _ other: SceneSession) -> Bool {
        let (first, second) = (one.rank, other.rank)
        if first != second { return first < second }
        return one.id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }
}

/// What a session can show and what it prefers (UISceneActivationConditions).
public struct ActivationConditions: Sendable, Hashable {
    public var canActivate: Condition
    public var prefersToActivate: Condition

    public init(
        canActivate: Condition = Condition(.always, origin: .default),
        prefersToActivate: Condition = Condition(.never, origin: .default)
    ) {
        self.canActivate = canActivate
        self.prefersToActivate = prefersToActivate
    }

    public struct Condition: Sendable, Hashable {
        public var predicate: ScenePredicate
        public var origin: Origin

        public init(_ predicate: ScenePredicate, origin: Origin) {
            self.predicate = predicate
            self.origin = origin
        }
    }

    /// The source of a condition.
    public enum Origin: Int, Sendable {
        /// No source has set it: TRUEPREDICATE and FALSEPREDICATE.
        case `default` = 0
        /// The scene configuration, with the session's target filled in.
        case configuration = 1
        /// The running app, through `scene connect` or `scene update`.
        case session = 2
    }
}

/// How sure it is that sessions are as they were read.
public enum Freshness: String, Sendable {
    /// Read from the window systems just now.
    case live
    /// What the store last heard.
    case lastSeen = "last-seen"
}

/// Says what a window's handle is good for: one life of a window server and, where the handle alone does not say it, one part.
///
/// An X server gives the numbers of a client that has ended to the next client that connects. There the text ends with the
/// process of the client: `:0/5f3a9c#4711`. A window of tmux means the pane that was active when a session got it: there the
/// text ends with the number of the pane. Other window systems never use a handle twice in one life, and name the life alone.
public enum WindowServer {
    /// The text for a window of this client.
    public static func text(_ life: String, client: Int32?) -> String { client.map { "\(life)#\($0)" } ?? life }

    /// The life alone, without the client.
    public static func life(of text: String) -> String {
        guard let mark = mark(in: text) else { return text }
        return String(text[..<mark])
    }

    /// The process of the client, or the number of the pane, where the text names one.
    public static func client(of text: String) -> Int32? {
        mark(in: text).flatMap { Int32(text[text.index(after: $0)...]) }
    }

    /// Whether a handle of the one text can be the handle of a window of the other text: they name the same life, and not two
    /// different clients. Text that was noted without a client, as by earlier versions, goes with every client.
    public static func agree(_ one: String, _ other: String) -> Bool {
        if one.hasSameBytes(as: other) { return true }
        guard (mark(in: one) == nil) != (mark(in: other) == nil) else { return false }
        return life(of: one).utf8.elementsEqual(life(of: other).utf8)
    }

    /// Whether the one names no client, and the other does.
    public static func isLess(_ one: String, than other: String) -> Bool {
        mark(in: one) == nil && mark(in: other) != nil
    }

    /// Whether both name the same life, whatever their clients.
    public static func isSameLife(_ one: String, _ other: String) -> Bool {
        life(of: one).utf8.elementsEqual(life(of: other).utf8)
    }

    /// Where the number of the client begins. Other window systems have paths in their texts, which may hold the sign as well.
    private static func mark(in text: String) -> String.Index? {
        let digits = text.utf8.reversed().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
        guard digits > 0, digits + 1 < text.utf8.count else { return nil }
        let mark = text.utf8.index(text.utf8.endIndex, offsetBy: -digits - 1)
        return text.utf8[mark] == UInt8(ascii: "#") ? mark : nil
    }
}
