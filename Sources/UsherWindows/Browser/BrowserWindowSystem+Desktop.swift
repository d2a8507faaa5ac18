internal import UsherActivation
internal import UsherScene
internal import UsherSystem

extension BrowserWindowSystem {
    /// Brings the desktop's own window of a tab forward, and hears from both whether it is there.
    func raise(
        _ place: Place, _ answer: BrowserAnswer, _ request: FocusRequest, on desktop: any WindowSystem
    ) throws(ActivationFailure) -> WindowSighting {
        let seen = try desktopWindow(of: place, answer, on: desktop)
        var window = seen.window
        if window == nil, request.policy.prominence == .focus {
            // Among equals, it is the one that comes forward when the browser brings its own.
            if try confirm(place, answer, .focus).isFocused {
                window = try frontmost(among: seen.alike, on: desktop)
            }
        }
        guard let window else {
            let problem =
                seen.alike.isEmpty
                ? "\(desktop.name) has no window of it" : "\(seen.alike.count) windows of it look the same"
            return sighting(place, answer, view: .hidden(seen: problem))
        }
        let sighting = try desktop.focus(
            FocusRequest(
                .handle(window.handle, server: window.server), policy: request.policy, token: request.token))
        var result = self.sighting(
            place, answer, view: answer.isActive ? sighting.view : .hidden(seen: "another tab is in front"))
        result.sparedTyping = sighting.sparedTyping
        guard case .shown = result.view, request.policy.prominence == .focus, !sighting.sparedTyping else {
            return result
        }
        // What the browser saw before says nothing about now.
        let front = try confirm(place, answer, .raise)
        if !front.isActive { result.view = .hidden(seen: "another tab is in front") }
        if !front.isFocused { result.view = .hidden(seen: "the browser says that its window has no keyboard") }
        return result
    }

    /// What the browser sees a little later.
    private func confirm(
        _ place: Place, _ answer: BrowserAnswer, _ prominence: FocusPolicy.Prominence
    ) throws(ActivationFailure) -> BrowserAnswer {
        var wish = BrowserRequest(
            window: place.handle.window, tab: answer.tab, prominence: prominence, wait: limits.seen)
        wish.needsFocus = true
        return try ask(place, wish)
    }

    /// The desktop's window that has the tab's title, when it has it; the windows in question where there are several.
    private func desktopWindow(
        of place: Place, _ answer: BrowserAnswer, on desktop: any WindowSystem
    ) throws(ActivationFailure) -> (window: WindowList.Window?, alike: [WindowList.Window]) {
        let deadline = Deadline(inMilliseconds: limits.title)
        var list = try desktop.windows()
        while true {
            let own = list.windows.filter { $0.process == place.client.process }
            let client = hub.client(named: place.handle.client)?.client ?? place.client
            // One window here and there: nothing can be mistaken.
            if own.count == 1, client.windows?.count == 1 { return (own[0], own) }
            // A page may change its title all the time.
            let tab = client.windows?.first { $0.id == place.handle.window }?.tabs.first { $0.id == answer.tab }
            let alike = own.filter {
                Self.title($0.title, isOf: answer.title) || Self.title($0.title, isOf: tab?.title ?? "")
            }
            if alike.count == 1 { return (alike[0], alike) }
            if !alike.isEmpty || deadline.isOver { return (nil, alike.isEmpty ? own : alike) }
            // The title follows the tab a moment later.
            list = try desktop.change(after: list, until: deadline, or: nil)
        }
    }

    private func frontmost(
        among windows: [WindowList.Window], on desktop: any WindowSystem
    ) throws(ActivationFailure) -> WindowList.Window? {
        let handles = Set(windows.map(\.handle))
        let deadline = Deadline(inMilliseconds: limits.title)
        var list = try desktop.windows()
        while true {
            if let found = list.windows.first(where: {
                $0.activation == .foregroundActive && handles.contains($0.handle)
            }) {
                return found
            }
            guard !deadline.isOver else { return nil }
            list = try desktop.change(after: list, until: deadline, or: nil)
        }
    }

    /// Whether a window's title begins with a page's, up to space and what is not shown: `Page — Mozilla Firefox`.
    static func title(_ window: String, isOf page: String) -> Bool {
        let page = words(page)
        return !page.isEmpty && words(window).starts(with: page)
    }

    private static func words(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        // Window managers cut long titles off.
        for scalar in text.unicodeScalars.prefix(200) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: continue
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return bytes
    }
}
