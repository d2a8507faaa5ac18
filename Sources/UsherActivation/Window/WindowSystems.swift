import UsherScene
public import UsherSystem
internal import UsherText

/// Several window systems as one: each call goes to the one whose handle it is.
public struct WindowSystems: WindowSystem {
    public let systems: [any WindowSystem]

    /// Where two recognise a handle, the first one has it.
    public init(_ systems: [any WindowSystem]) { self.systems = systems }

    public var name: String { systems.map(\.name).joined(separator: ", ") }

    public var isAvailable: Bool { systems.contains { $0.isAvailable } }

    public var isDesktop: Bool { desktop != nil }

    public var support: WindowSupport { WindowSupport(name, [:]) }

    public func recognizes(handle: String) -> Bool { system(of: handle) != nil }

    /// Of all that can be asked; of one that cannot answer, nothing is known and so nothing listed.
    public func windows() throws(ActivationFailure) -> WindowList {
        var windows: [WindowList.Window] = []
        for system in systems where system.isAvailable {
            if let list = try? system.windows() { windows += list.windows }
        }
        return WindowList(server: nil, windows: windows)
    }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        try system(of: handle)?.server(of: handle)
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard let system = system(of: window) else { return .unknown }
        return try system.presence(of: window)
    }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        if let tmux = terminal as? TmuxWindowSystem { return try tmux.launch(launch, on: desktop) }
        guard let terminal else { throw .windowSystem("tmux", "it is not among the window systems here") }
        return try terminal.launch(launch)
    }

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let system = try require(request.window)
        // What is seen of tmux is seen in a terminal, which is a window of the desktop, or of another machine.
        if let tmux = system as? TmuxWindowSystem { return try tmux.focus(request, on: desktop) }
        return try system.focus(request)
    }

    public func close(_ window: WindowReference) throws(ActivationFailure) { try require(window).close(window) }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        try require(window).type(keys, into: window)
    }

    public func navigate(_ window: WindowReference, to address: String) throws(ActivationFailure) -> WindowSighting {
        try require(window).navigate(window, to: address)
    }

    public func isOnItsWay(nonce: String) -> Bool { systems.contains { $0.isOnItsWay(nonce: nonce) } }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        for system in systems where system.isAvailable {
            if let found = try? system.find(processes: processes) { return found }
        }
        return nil
    }

    /// Of the desktop, where there is one: programs of their own open their windows there.
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        guard let desktop else { return WindowList(server: nil, windows: []) }
        return try desktop.change(after: list, until: deadline, or: descriptor)
    }

    public func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window? {
        guard let desktop else {
            throw .windowSystem(name, "there is no desktop here whose windows could be pointed at")
        }
        return try desktop.pick(until: deadline)
    }

    public func frontLoss(of handle: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss? {
        try system(of: handle)?.frontLoss(of: handle, until: deadline)
    }

    public func loss(
        of front: WindowSighting.Front, until deadline: Deadline
    ) throws(ActivationFailure) -> FrontLoss? {
        guard front.client != nil, let tmux = terminal as? TmuxWindowSystem else {
            return try frontLoss(of: front.handle, until: deadline)
        }
        return try tmux.loss(of: front, on: desktop, until: deadline)
    }

    public func exposure(of handle: String) throws(ActivationFailure) -> WindowExposure? {
        try system(of: handle)?.exposure(of: handle)
    }

    public func isFrontFullscreen() throws(ActivationFailure) -> Bool? { try desktop?.isFrontFullscreen() }

    public func startupToken(nonce: String) -> String? { desktop?.startupToken(nonce: nonce) }

    public func endStartup(_ token: String) {
        for system in systems where system.isAvailable { system.endStartup(token) }
    }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .launch: (terminal ?? systems.first)?.plan(step) ?? ""
        case .focus(let window), .type(_, let window), .navigate(let window, _):
            (system(of: window) ?? systems.first)?.plan(step) ?? ""
        }
    }

    /// The one in which programs open windows of their own.
    public var desktop: (any WindowSystem)? { systems.first { $0.isDesktop && $0.isAvailable } }

    private var terminal: (any WindowSystem)? { systems.first { $0.name == "tmux" } }

    private func system(of handle: String) -> (any WindowSystem)? { systems.first { $0.recognizes(handle: handle) } }

    private func system(of window: WindowReference) -> (any WindowSystem)? {
        switch window {
        case .handle(let handle, _): system(of: handle)
        case .group: terminal
        }
    }

    /// What a handle's window system needs that is not here.
    private static func whereFound(_ handle: String) -> String {
        let name = handle.split(separator: ":").first.map(String.init) ?? ""
        if name.hasSameBytes(as: "browser") {
            return "tabs of browsers need usherd: usher serve, then usher browser status"
        }
        let place: String? =
            switch DesktopName(rawValue: name) {
            case .x11: "DISPLAY says where its server is, where no compositor lists the windows"
            case .sway: "SWAYSOCK says where it is"
            case .hyprland: "HYPRLAND_INSTANCE_SIGNATURE says where it is"
            case .niri: "NIRI_SOCKET says where it is"
            case .kwin: "WAYLAND_DISPLAY and KWin on the session bus lead to it"
            case .wlr: "WAYLAND_DISPLAY says where its compositor is"
            case .shell: "GNOME Shell reports its windows by an extension, usher desktop install gnome"
            case nil: nil
            }
        return place.map { "\($0): usher doctor shows what answers" } ?? "usher scene windows shows what there is"
    }

    private func require(_ window: WindowReference) throws(ActivationFailure) -> any WindowSystem {
        guard let system = system(of: window) else {
            throw .windowSystem(
                name, "none of them has a window \(Printable.text(window.text))", help: Self.whereFound(window.text))
        }
        return system
    }
}

extension WindowSystem {
    /// The window system in which programs open windows of their own, if this is one, or has one.
    package var desktopAlone: (any WindowSystem)? {
        if let systems = self as? WindowSystems { return systems.desktop }
        return isDesktop && isAvailable ? self : nil
    }
}

/// What a window system can do where it runs: a row of the table in the README, and of `usher doctor`.
public struct WindowSupport: Sendable, Hashable {
    public enum Ability: String, Sendable, CaseIterable {
        /// All windows are known.
        case list
        /// A window is brought forward.
        case focus
        /// What came of it is read back.
        case verify
        /// Changes are heard of without asking.
        case watch
        /// A program that is launched is known by its window.
        case launch
        /// Activation tokens are handed on.
        case token
    }

    public enum Answer: Sendable, Hashable {
        case yes
        /// With the reason, for `usher doctor`.
        case no(String)
    }

    /// With what serves it: `x11 (openbox)`, `sway 1.7`.
    public var system: String
    public var answers: [Ability: Answer]

    public init(_ system: String, _ answers: [Ability: Answer]) {
        self.system = system
        self.answers = answers
    }

    /// A system that can do nothing here, for one reason.
    public init(_ system: String, nothing reason: String) {
        self.init(system, Dictionary(uniqueKeysWithValues: Ability.allCases.map { ($0, .no(reason)) }))
    }

    /// A system that can do everything but these, each with the reason.
    public init(_ system: String, allBut lacking: [Ability: String] = [:]) {
        let answers = Ability.allCases.map { ($0, lacking[$0].map(Answer.no) ?? .yes) }
        self.init(system, Dictionary(uniqueKeysWithValues: answers))
    }

    /// A system that does not answer.
    package init(_ system: String, _ failure: ActivationFailure) {
        self.init(system, nothing: failure.message + (failure.help.map { ": \($0)" } ?? ""))
    }

    public subscript(_ ability: Ability) -> Answer { answers[ability] ?? .no("not known") }
}
