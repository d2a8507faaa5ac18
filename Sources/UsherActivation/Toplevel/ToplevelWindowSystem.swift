internal import UsherScene
public import UsherSystem
internal import UsherText

/// A window system over a compositor that lists its top-level windows: focus, read-back and events in one place for all
/// such compositors.
///
/// A window is `shown` only after the compositor has reported it so after the request.
public final class ToplevelWindowSystem: WindowSystem {
    private let source: any ToplevelSource
    private let focusLock = FocusLock(length: ToplevelWindowSystem.turn)

    /// In milliseconds: how long a window may take to come forward, and how much of that no other one may.
    private static let limit = 700
    private static let turn = 250

    package init(_ source: some ToplevelSource) { self.source = source }

    /// Ends what the source has begun in the compositor. No other call comes afterwards.
    public func stop() { source.stop() }

    public var name: String { source.name }

    public var isAvailable: Bool { source.isAvailable }

    public var isDesktop: Bool { true }

    public var support: WindowSupport { source.support }

    public func recognizes(handle: String) -> Bool { id(of: handle) != nil }

    public func windows() throws(ActivationFailure) -> WindowList { list(try source.snapshot()) }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let id = id(of: text) else { return .unknown }
        guard let snapshot = try source.snapshot() else { return .gone }
        if Self.isSame(server, snapshot) { return snapshot.window(id) != nil ? .present : .gone }
        guard let life = snapshot.life, let server else { return .gone }
        return server.utf8.starts(with: "\(life)/".utf8) ? .forgotten : .gone
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        guard let snapshot = try source.snapshot() else { return nil }
        let scenes = snapshot.scenes
        for process in processes {
            guard let window = scenes.first(where: { $0.process == process }) else { continue }
            return sighting(window, snapshot, window.isFocused ? .shown : .hidden(seen: seen(in: snapshot)))
        }
        return nil
    }

    // MARK: - Focus

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        guard case .handle(let text, let server) = request.window, let id = id(of: text) else {
            throw .windowSystem(
                name, "\(request.window.text) is no window",
                help: "a window is named like \(name):ID: usher scene windows")
        }
        guard var snapshot = try source.snapshot() else { throw .windowSystem(name, "no compositor answers") }
        let policy = request.policy
        let keyboard = snapshot.focused?.id
        var deadline = Deadline(inMilliseconds: Self.limit)
        /// What is to be requested, in order.
        var actions: [ToplevelAction]?
        /// The turns that had begun when it was requested last.
        var turns: Int?
        var isLast = false
        var obstacle: String?
        while true {
            guard Self.isSame(server, snapshot), let window = snapshot.window(id) else { throw .windowGone(text) }
            if policy.prominence == .none { return sighting(window, snapshot, .untouched) }
            if Self.isDone(window, policy, keyboard: keyboard, in: snapshot) {
                var seen = sighting(window, snapshot, .shown, isInFront: policy.prominence == .focus)
                if policy.prominence == .urgent { return seen }
                seen.exposure = try? source.exposure(of: id)
                guard seen.exposure?.isCovered ?? false else { return seen }
                // It may have had the keyboard already, behind another window.
                if actions == nil, policy.prominence == .focus, source.actions.contains(.activate) {
                    try source.request(.activate, of: id, server: snapshot.server, token: request.token)
                }
                seen.exposure = settledExposure(of: id)
                return seen
            }
            if actions == nil {
                let needed = Self.actions(for: window, policy)
                actions = needed.filter(source.actions.contains)
                if needed.last.map({ !source.actions.contains($0) }) ?? false {
                    obstacle = "and \(name) has no request to \(policy.prominence.rawValue) a window"
                    actions = []
                } else if needed.contains(.moveHere), !source.actions.contains(.moveHere) {
                    obstacle = "and \(name) has no request to move a window to another workspace"
                    actions = []
                }
            }
            // A slow compositor may bring this window forward, and the next call's at once afterwards, before it reports either:
            // after another call's turn, the request is sent once more.
            if let next = actions, !next.isEmpty, turns.map({ !isLast && $0 < focusLock.turns }) ?? true {
                isLast = turns != nil
                let before = snapshot
                let after = focusLock.withLock { turn in
                    turns = focusLock.turns
                    return Result { () throws(ActivationFailure) in
                        try perform(next, request, on: id, keyboard: keyboard, in: before, until: turn)
                    }
                }
                snapshot = try after.get()
                deadline = Deadline(inMilliseconds: Self.limit - Self.turn)
                continue
            }
            guard obstacle == nil, !deadline.isOver,
                let later = try source.wait(after: snapshot.serial, until: deadline, or: nil)
            else {
                let mark = window.isUrgent ? ", and the window is marked as wanting attention" : ""
                let seen = seen(in: snapshot) + (obstacle.map { ", \($0)" } ?? mark)
                return sighting(window, snapshot, .hidden(seen: seen))
            }
            snapshot = later
        }
    }

    /// What is seen of a window that is still covered and may come up within a moment.
    private func settledExposure(of id: String) -> WindowExposure? {
        let deadline = Deadline(inMilliseconds: Self.turn)
        while true {
            let exposure = try? source.exposure(of: id)
            guard exposure?.isCovered ?? false, !deadline.isOver else { return exposure }
            _ = Poll.wait(for: -1, until: Deadline(inMilliseconds: 20))
        }
    }

    /// Requests the actions, and waits until the window is where it is to be. The windows then, or at the deadline.
    private func perform(
        _ actions: [ToplevelAction], _ request: FocusRequest, on id: String, keyboard: String?,
        in before: ToplevelSnapshot, until turn: Deadline
    ) throws(ActivationFailure) -> ToplevelSnapshot {
        var snapshot = before
        for action in actions {
            try source.request(action, of: id, server: snapshot.server, token: request.token)
        }
        while !turn.isOver, let later = try source.wait(after: snapshot.serial, until: turn, or: nil) {
            snapshot = later
            guard let window = snapshot.window(id) else { break }
            if Self.isDone(window, request.policy, keyboard: keyboard, in: snapshot) { break }
        }
        return snapshot
    }

    public func close(_ window: WindowReference) throws(ActivationFailure) {
        guard case .handle(let text, let server) = window, let id = id(of: text) else {
            throw .windowSystem(name, "\(window.text) is no window", help: "usher scene windows shows them")
        }
        guard let snapshot = try source.snapshot() else { throw .windowSystem(name, "no compositor answers") }
        guard Self.isSame(server, snapshot), snapshot.window(id) != nil else { throw .windowGone(text) }
        guard source.actions.contains(.close) else {
            throw .windowSystem(name, "it has no request to close a window", help: "close it by hand")
        }
        try source.request(.close, of: id, server: snapshot.server, token: nil)
    }

    private static func isDone(
        _ window: Toplevel, _ policy: FocusPolicy, keyboard: String?, in snapshot: ToplevelSnapshot
    ) -> Bool {
        switch policy.prominence {
        // A window that was moved to another workspace may have kept the keyboard there. Where workspaces are not reported,
        // only a window that had the keyboard before the request is surely on the user's.
        case .focus:
            window.isFocused
                && (policy.placement == .go
                    ? window.isOnCurrentWorkspace != false : window.isOnCurrentWorkspace ?? (window.id == keyboard))
        case .raise:
            window.isFocused
                ? window.id == keyboard
                : window.isOnTop && !window.isMinimized && window.isOnCurrentWorkspace != false
                    && snapshot.focused?.id == keyboard
        // The window that has the keyboard has the user's attention.
        case .urgent: window.isUrgent || window.isFocused
        case .none: true
        }
    }

    private static func actions(for window: Toplevel, _ policy: FocusPolicy) -> [ToplevelAction] {
        let isElsewhere = window.isOnCurrentWorkspace != true
        let moves: [ToplevelAction] = policy.placement == .summon && isElsewhere ? [.moveHere] : []
        return switch policy.prominence {
        case .focus: moves + [.activate]
        case .raise: moves + [.raise]
        case .urgent: [.markUrgent]
        case .none: []
        }
    }

    /// Compositors do not report whether the user caused it.
    public func frontLoss(of text: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss? {
        guard let id = id(of: text), var snapshot = try source.snapshot() else { return nil }
        while snapshot.window(id) != nil {
            // Between two windows, and while the shell shows an overview, no window has the keyboard.
            if let focused = snapshot.focused, !snapshot.belongs(focused, to: id) {
                return FrontLoss(seen: seen(in: snapshot), mayBeWanted: false)
            }
            guard !deadline.isOver, let later = try source.wait(after: snapshot.serial, until: deadline, or: nil) else {
                return nil
            }
            snapshot = later
        }
        return nil
    }

    public func exposure(of text: String) throws(ActivationFailure) -> WindowExposure? {
        try id(of: text).flatMap { (id) throws(ActivationFailure) in try source.exposure(of: id) }
    }

    public func isFrontFullscreen() throws(ActivationFailure) -> Bool? {
        guard let snapshot = try source.snapshot(), source.knowsFocus else { return nil }
        guard let focused = snapshot.focused else { return false }
        return focused.isFullscreen
    }

    // MARK: - Changes

    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        var snapshot = try source.snapshot()
        while true {
            let now = self.list(snapshot)
            if now != list || deadline.isOver || Self.isReadable(descriptor) { return now }
            snapshot = try source.wait(after: snapshot?.serial, until: deadline, or: descriptor)
        }
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        guard isAvailable else { return nil }
        return WatchThread(named: "watch \(name)") { [self] end in
            var pace = WatchPace(changed)
            var serial: UInt64?
            while !end.hasCome {
                do throws(ActivationFailure) {
                    let snapshot = try source.wait(after: serial, until: nil, or: end.descriptor)
                    pace.tell(list(snapshot), unless: end)
                    serial = snapshot?.serial
                    end.wait(until: pace.quiet(isSlight: false))
                } catch {
                    end.wait(until: Deadline(inMilliseconds: 1000))
                }
            }
        }
    }

    public func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window? {
        guard var snapshot = try source.snapshot() else { throw .windowSystem(name, "no compositor answers") }
        let before = snapshot.focused?.id
        while let later = try source.wait(after: snapshot.serial, until: deadline, or: nil) {
            if let focused = later.focused, focused.id != before {
                return WindowList(server: later.server, windows: [listed(focused)]).windows.first
            }
            if deadline.isOver { return nil }
            snapshot = later
        }
        return nil
    }

    // MARK: - Other operations

    public func startupToken(nonce: String) -> String? { source.startupToken() }

    public func endStartup(_ token: String) { source.endStartup(token) }

    // MARK: - Lists

    private func id(of handle: String) -> String? {
        let prefix = name + ":"
        guard handle.utf8.starts(with: prefix.utf8) else { return nil }
        let id = String(decoding: handle.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return source.isID(id) ? id : nil
    }

    private func handle(of window: Toplevel) -> String { "\(name):\(window.id)" }

    private static func isReadable(_ descriptor: Int32?) -> Bool {
        descriptor.map(Poll.isReadable) ?? false
    }

    private static func isSame(_ wanted: String?, _ snapshot: ToplevelSnapshot) -> Bool {
        wanted.map { WindowServer.agree($0, snapshot.server) } ?? true
    }

    private func list(_ snapshot: ToplevelSnapshot?) -> WindowList {
        WindowList(server: snapshot?.server, windows: snapshot?.scenes.map(listed) ?? [])
    }

    private func listed(_ window: Toplevel) -> WindowList.Window {
        var listed = WindowList.Window(handle: handle(of: window), title: window.title, group: window.workspace)
        listed.windowClass = window.windowClass
        listed.instance = window.instance
        listed.appID = window.appID
        listed.process = window.process
        listed.startupID = window.startupID
        listed.activation = window.activation
        return listed
    }

    private func sighting(
        _ window: Toplevel, _ snapshot: ToplevelSnapshot, _ view: WindowSighting.View, isInFront: Bool = false
    ) -> WindowSighting {
        let handle = handle(of: window)
        var sighting = WindowSighting(
            handle: handle, server: snapshot.server, title: window.title, process: window.process, view: view)
        if isInFront { sighting.front = .init(handle: handle, server: snapshot.server) }
        return sighting
    }

    /// For messages: what a user sees instead.
    private func seen(in snapshot: ToplevelSnapshot) -> String {
        guard source.knowsFocus else { return "the compositor does not report which window has the keyboard" }
        return snapshot.focused.map { "\($0.title) (\(handle(of: $0))) is in front" } ?? "no window has the keyboard"
    }
}
