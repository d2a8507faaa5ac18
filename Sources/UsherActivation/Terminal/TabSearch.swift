internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Finds the window of a terminal among those of its process, and brings the terminal's tab to its front.
struct TabSearch {
    /// How long a terminal may take to say that a tab is selected, in milliseconds.
    private static let limit = 200
    private static let pause = 10
    /// For all ways together, and for the title of each tab that is shown in turn.
    private static let searchLimit = 5000
    private static let walkLimit = 120

    private let step: TerminalStep
    private let windows: [WindowList.Window]
    /// Whether a tab of the process may be hidden by another one.
    private let canHide: Bool
    private let probe: TitleProbe?
    private let ways: [TerminalSettings.TabWay]
    private let tabs: (any TerminalTabs)?
    private let kind: KnownTerminal.Title?

    private let deadline = Deadline(inMilliseconds: searchLimit)
    private var probes = 0
    private var published: (any PublishedTab)?
    /// What tells that the tab is in front.
    private(set) var tab = SeenEvidence.Tab.unknown

    init(
        step: TerminalStep, windows: [WindowList.Window], canHide: Bool, probe: TitleProbe?,
        ways: [TerminalSettings.TabWay], tabs: (any TerminalTabs)?
    ) {
        (self.step, self.windows, self.canHide) = (step, windows, canHide)
        (self.probe, self.tabs) = (KnownTerminal.hasFixedTitles(step.holder.name) ? nil : probe, tabs)
        self.ways = canHide ? ways.filter(KnownTerminal.ways(of: step.holder.name).contains) : []
        kind = KnownTerminal.title(of: step.holder.name)
    }

    /// Searches in each way until one of them shows the tab; the window, if it is known.
    mutating func run() -> WindowList.Window? {
        var found = find(asksTabs: ways.first == .accessibility)
        for way in ways where !deadline.isOver && (tab == .unknown || tab == .hidden) {
            switch way {
            case .api: found = askTerminal() ?? found
            case .accessibility: if way != ways.first { found = find(asksTabs: true) ?? found }
            case .walk:
                var shown: WindowList.Window?
                _ = tabs?.walk(step, until: deadline) {
                    shown = find(asksTabs: false, within: Self.walkLimit)
                    return shown != nil
                }
                found = shown ?? found
            }
        }
        // A program may have set a title of its own in between.
        if found == nil, probes == 1, windows.count != 1 { found = find(asksTabs: false) }
        return found
    }

    /// The evidence as it is after the window came forward: another tab may have come with it.
    mutating func look(in window: WindowList.Window) -> SeenEvidence.Tab {
        switch tab {
        case .accessibility: if !isPublishedInFront() { tab = .hidden }
        case .interface where probe == nil: if askTerminal() == nil { tab = .unknown }
        case .interface: tab = find(asksTabs: false)?.handle == window.handle ? .interface : .hidden
        case .title where kind == .active && canHide && probes < 2:
            if find(asksTabs: false)?.handle != window.handle { tab = .hidden }
        case .only, .title, .hidden, .unknown: break
        }
        return tab
    }

    /// Asks the terminal itself; the window, if the tab is in front there.
    private mutating func askTerminal() -> WindowList.Window? {
        var selection = tabs?.select(step)
        if selection == nil, KittyTab.select(in: step) { selection = .requested }
        switch selection {
        case nil: return nil
        case .requested:
            guard let found = find(asksTabs: false) else { return nil }
            tab = .interface
            return found
        case .selected(let number):
            let handle = number.map { "x11:0x" + String($0, radix: 16) }
            // Under Wayland its number is none of the X server's.
            let isX11 = number != nil && windows.contains { $0.handle.utf8.starts(with: "x11:".utf8) }
            let found =
                isX11 ? windows.first { $0.handle == handle } : windows.count == 1 ? windows.first : nil
            if found != nil { tab = .interface }
            return found
        }
    }

    /// The window that shows a title which is written to the terminal.
    ///
    /// - Parameter asksTabs: a hidden tab with that title is brought forward, if the process publishes its tabs.
    private mutating func find(asksTabs: Bool, within limit: Int = TitleProbe.limit) -> WindowList.Window? {
        guard let probe else { return nil }
        let (process, kind) = (step.holder.pid, kind)
        var names: [String: String] = [:]
        if canHide, KnownTerminal.forgetsTitles(step.holder.name) {
            for tab in tabs?.tabs(of: process) ?? [] { names[tab.id] = tab.name }
            // A hidden tab would keep the title.
            if names.isEmpty { return nil }
        }
        probes += 1
        let tabs = asksTabs ? tabs : nil
        var published: (any PublishedTab)?
        let found = probe.window(within: limit) { title, isFound in
            guard let tabs, !isFound || kind != .active,
                let tab = tabs.tabs(of: process).first(where: { $0.name.contains(title) }),
                tab.isSelected() || tab.select()
            else { return nil }
            published = tab
            return .init(former: names[tab.id])
        }
        if published != nil { self.published = published }
        // A window of another program that took the title is none of this terminal.
        let own = found.flatMap { found in
            windows.isEmpty || windows.contains { $0.handle == found.handle } ? found : nil
        }
        if published != nil, isPublishedInFront() {
            tab = .accessibility
        } else if own != nil {
            tab = canHide && kind != .active ? .unknown : .title
        } else if kind == .active, canHide {
            tab = .hidden
        }
        return own
    }

    private func isPublishedInFront() -> Bool {
        let deadline = Deadline(inMilliseconds: Self.limit)
        while let published {
            if published.isSelected() { return true }
            if deadline.isOver { return false }
            _ = Poll.wait(for: -1, until: Deadline(inMilliseconds: Self.pause))
        }
        return false
    }
}
