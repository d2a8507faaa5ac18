internal import CXcb
internal import Glibc

/// What there is.
extension X11Connection {
    /// On all desktops (EWMH 1.5, _NET_WM_DESKTOP).
    private static let everyDesktop: UInt32 = 0xFFFF_FFFF
    /// At most so many windows are asked about at once: what is sent must fit where a server that hangs lets it lie.
    private static let crowd = 128

    /// In one round trip, and a few more where the keyboard is in a part of the window.
    mutating func moment() -> X11Moment {
        let manager = self.manager
        let check = ask(.supportingCheck, of: root)
        let proof = manager.map { ask(.supportingCheck, of: $0.window) }
        let (mark, list, active) = (ask(.life, of: root), ask(.clientList, of: root), ask(.activeWindow, of: root))
        let (shown, names) = (ask(.currentDesktop, of: root), ask(.desktopNames, of: root))
        let focused = askKeyboard()
        take(check, proof)
        var moment = X11Moment()
        moment.life = life(mark)
        moment.clients = numbers(list)
        moment.front = numbers(active).first ?? 0
        moment.desktop = numbers(shown).first
        moment.desktopNames = (bytes(names) ?? []).split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let keyboard = keyboard(focused)
        moment.hasKeyboard = moment.front != 0 && lies(keyboard, in: moment.front)
        moment.hasManyScreens = self.manager?.name == "i3"
        return moment
    }

    /// What is known of windows; none of those that are gone.
    mutating func describe(_ windows: [UInt32]) -> [X11Window] {
        var found: [X11Window] = []
        found.reserveCapacity(windows.count)
        var processes = X11Processes()
        for start in stride(from: 0, to: windows.count, by: Self.crowd) where !isLost {
            found += describe(windows[start..<min(start + Self.crowd, windows.count)], &processes)
        }
        return found
    }

    /// The processes of clients, by the numbers that their windows have in common.
    private struct X11Processes {
        var clients: Set<UInt32> = []
        var found: [UInt32: Int32] = [:]
    }

    /// Answers that are on their way.
    private struct Asked {
        var window: UInt32
        var attributes: xcb_get_window_attributes_cookie_t
        var name, oldName, kind, desktop, type, state, states, startup, leader: xcb_get_property_cookie_t
        var process: xcb_res_query_client_ids_cookie_t?
    }

    private mutating func describe(_ windows: ArraySlice<UInt32>, _ processes: inout X11Processes) -> [X11Window] {
        var asked: [Asked] = []
        asked.reserveCapacity(windows.count)
        for window in windows {
            // Windows of one client are of one process.
            let isNew = processes.clients.insert(window & clientMask).inserted
            asked.append(
                Asked(
                    window: window, attributes: askAttributes(of: window),
                    name: ask(.name, of: window, atMost: Self.longestText),
                    oldName: ask(XCB_ATOM_WM_NAME.rawValue, of: window, atMost: Self.longestText),
                    kind: ask(XCB_ATOM_WM_CLASS.rawValue, of: window, atMost: Self.longestText),
                    desktop: ask(.desktopOfWindow, of: window), type: ask(.typeOfWindow, of: window),
                    state: ask(.state, of: window), states: ask(.states, of: window),
                    startup: ask(.startupID, of: window, atMost: Self.longestText),
                    leader: ask(.clientLeader, of: window), process: isNew ? askProcess(of: window) : nil))
        }
        let helpers = Set(X11Atom.helpers.map { atom($0) })
        let types = helpers.union([atom(.typeNormal), atom(.typeDialog)])
        var found: [X11Window] = []
        found.reserveCapacity(windows.count)
        var leaders: [(place: Int, leader: UInt32)] = []
        for question in asked {
            var window = X11Window(id: question.window)
            // Every answer is taken, wanted or not: the library keeps it otherwise.
            let view = view(question.attributes)
            let (title, oldTitle) = (text(question.name), text(question.oldName))
            let words = (bytes(question.kind) ?? []).split(separator: 0, omittingEmptySubsequences: false)
            let (desktop, type) = (numbers(question.desktop).first, numbers(question.type))
            let (state, states) = (numbers(question.state).first ?? 0, numbers(question.states))
            let (startup, leader) = (text(question.startup), numbers(question.leader).first)
            if let asked = question.process { processes.found[window.id & clientMask] = process(asked) }
            guard let view, view != .unmapped || state != 0 || desktop != nil else { continue }
            window.view = view
            window.title = title ?? oldTitle ?? ""
            if words.count > 1 {
                window.instance = String(decoding: words[0], as: UTF8.self)
                window.windowClass = String(decoding: words[1], as: UTF8.self)
            }
            window.desktop = desktop == Self.everyDesktop ? nil : desktop
            // The first type that is known is the one meant (EWMH 1.5, _NET_WM_WINDOW_TYPE).
            window.isHelper = type.first { types.contains($0) }.map(helpers.contains) ?? false
            window.isHidden = states.contains(atom(.stateHidden))
            window.wantsAttention = states.contains(atom(.stateAttention))
            window.startupID = startup
            window.process = processes.found[window.id & clientMask]
            if startup == nil, let leader, leader != 0, leader != window.id { leaders.append((found.count, leader)) }
            found.append(window)
        }
        // Some toolkits put it on a window that leads all of theirs (ICCCM 5.1).
        let more = leaders.map { ($0.place, ask(.startupID, of: $0.leader, atMost: Self.longestText)) }
        for (place, question) in more {
            found[place].startupID = text(question)
            found[place].sharesStartupID = found[place].startupID != nil
        }
        return found
    }

    /// What of these is seen, by the server. Those that are gone are missing.
    mutating func views(of windows: [UInt32]) -> [UInt32: X11Window.View] {
        var views: [UInt32: X11Window.View] = [:]
        for start in stride(from: 0, to: windows.count, by: Self.crowd) where !isLost {
            let asked = windows[start..<min(start + Self.crowd, windows.count)].map { ($0, askAttributes(of: $0)) }
            for (window, question) in asked { views[window] = view(question) }
        }
        return views
    }

    /// Reads which window the root names as the window manager's, and whether that window confirms it. Where it is
    /// another one than before, asks for its name and abilities.
    mutating func take(_ check: xcb_get_property_cookie_t, _ proof: xcb_get_property_cookie_t?) {
        let window = numbers(check).first ?? 0
        let proven = proof.map { numbers($0).first }
        if let manager, window == manager.window, proven == .some(.some(window)) { return }
        manager = nil
        guard window != 0 else { return }
        let (itself, name, supported) = (
            ask(.supportingCheck, of: window), ask(.name, of: window, atMost: Self.longestText),
            ask(.supported, of: root)
        )
        let (own, title, abilities) = (numbers(itself).first, text(name), numbers(supported))
        if own == window { manager = X11Manager(window: window, name: title ?? "", supported: Set(abilities)) }
    }

    /// Whether a window manager runs that says what it does: its window points to itself (EWMH 1.5).
    mutating func hasWindowManager() -> Bool {
        let proof = manager.map { ask(.supportingCheck, of: $0.window) }
        take(ask(.supportingCheck, of: root), proof)
        return manager != nil
    }

    /// A name for this life of the server: a mark on the root window, which goes when the windows go. The first caller
    /// sets it.
    mutating func life() -> String? { life(ask(.life, of: root)) }

    mutating func life(_ asked: xcb_get_property_cookie_t) -> String? {
        if let bytes = bytes(asked), !bytes.isEmpty {
            knownLife = String(decoding: bytes, as: UTF8.self)
            return knownLife
        }
        if isLost { return nil }
        // The server handles no other client between the read and the write.
        unsafe xcb_grab_server(connection)
        let found = bytes(ask(.life, of: root))
        var mark = found ?? []
        if mark.isEmpty {
            mark = Array(String(UInt64.random(in: .min ... .max), radix: 16).utf8)
            unsafe xcb_change_property(
                connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), root, atom(.life), XCB_ATOM_STRING.rawValue, 8,
                UInt32(mark.count), mark)
        }
        unsafe xcb_ungrab_server(connection)
        unsafe xcb_flush(connection)
        return isLost ? nil : String(decoding: mark, as: UTF8.self)
    }
}
