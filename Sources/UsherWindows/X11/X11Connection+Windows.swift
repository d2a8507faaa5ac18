internal import CXcb
internal import Glibc
internal import UsherSystem

/// What there is.
extension X11Connection {
    /// On all desktops (EWMH 1.5, _NET_WM_DESKTOP).
    private static let everyDesktop: UInt32 = 0xFFFF_FFFF
    /// At most so many windows are asked about at once: what is sent must fit where a server that hangs lets it lie.
    private static let crowd = 128

    /// In one round trip, and a few more where the keyboard is in a part of the window.
    mutating func desktopSnapshot() -> X11DesktopSnapshot {
        let manager = self.manager
        let check = ask(.supportingCheck, of: root)
        let proof = manager.map { ask(.supportingCheck, of: $0.window) }
        let (mark, list, active) = (ask(.life, of: root), ask(.clientList, of: root), ask(.activeWindow, of: root))
        let (shown, names) = (ask(.currentDesktop, of: root), ask(.desktopNames, of: root))
        let focused = askKeyboard()
        recordManager(check, proof)
        var snapshot = X11DesktopSnapshot()
        snapshot.life = life(mark)
        snapshot.clients = numbers(list)
        snapshot.front = numbers(active).first ?? 0
        snapshot.desktop = numbers(shown).first
        snapshot.desktopNames = (bytes(names) ?? []).split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let keyboard = keyboard(focused)
        snapshot.hasKeyboard = snapshot.front != 0 && lies(keyboard, in: snapshot.front)
        snapshot.hasManyScreens = self.manager?.name == "i3"
        return snapshot
    }

    /// The windows as a user counts them: neither helpers nor dialogs. While a dialog is in front, its owner is.
    mutating func scenes(of snapshot: inout X11DesktopSnapshot) -> [X11Window] {
        let windows = describe(snapshot.clients)
        guard windows.contains(where: { $0.owner != nil }) else { return windows.filter { !$0.isHelper } }
        let known = Dictionary(windows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        snapshot.front = X11Window.scene(of: snapshot.front) { known[$0] }
        return windows.filter { window in !window.isHelper && X11Window.scene(of: window.id) { known[$0] } == window.id
        }
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
        var name, oldName, kind, desktop, type, state, states, startup, leader, owner: xcb_get_property_cookie_t
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
                    leader: ask(.clientLeader, of: window),
                    owner: ask(XCB_ATOM_WM_TRANSIENT_FOR.rawValue, of: window),
                    process: isNew ? askProcess(of: window) : nil))
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
            let owner = numbers(question.owner).first
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
            let meant = type.first { types.contains($0) }
            window.isHelper = meant.map(helpers.contains) ?? false
            if let owner, owner != 0, owner != root, meant == nil || meant == atom(.typeDialog) { window.owner = owner }
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
    mutating func recordManager(_ check: xcb_get_property_cookie_t, _ proof: xcb_get_property_cookie_t?) {
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
        recordManager(ask(.supportingCheck, of: root), proof)
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

// MARK: - Pick

/// Lets the user point at a window.
extension X11Connection {
    /// The place of the cross hair in the cursor font, and of its mask (X11/cursorfont.h).
    private static let crosshair: UInt16 = 34
    private static let escape: UInt32 = 0xFF1B
    private static let grabPatience = 100

    /// How it ended.
    enum PickEnd {
        case window(X11Window)
        /// They thought better of it, pointed at nothing, or took too long.
        case nothing
        /// Another program has the pointer, and does not let go.
        case busy
    }

    mutating func pick(until deadline: Deadline) -> PickEnd {
        let cursor = makeCursor()
        while !grabPointer(cursor) {
            if isLost || deadline.isOver { return .busy }
            // An open menu has it, which closes at some time.
            _ = poll(nil, 0, min(deadline.remainingMilliseconds, Int32(Self.grabPatience)))
            limit = Deadline(inMilliseconds: Self.patience)
        }
        // Without the keyboard, there is still the other button.
        let hasKeyboard = grabKeyboard()
        let escape = hasKeyboard ? escapeKeys() : []
        defer {
            unsafe xcb_ungrab_pointer(connection, 0)
            unsafe xcb_ungrab_keyboard(connection, 0)
            unsafe xcb_free_cursor(connection, cursor)
            unsafe xcb_flush(connection)
        }
        var chosen: UInt32?
        while true {
            (eventSummary.isAny, eventSummary.isUrgent) = (false, false)
            let gestures = eventSummary.gestures
            eventSummary.gestures = []
            for gesture in gestures {
                switch gesture {
                case .press(let button, let window) where chosen == nil:
                    guard button == 1 else { return .nothing }
                    chosen = window
                case .key(let key) where escape.contains(key): return .nothing
                // The button is let go before the window gets the pointer back: it must not take this for a click.
                case .release:
                    guard let chosen else { continue }
                    limit = Deadline(inMilliseconds: Self.patience)
                    return client(in: chosen).map { .window($0) } ?? .nothing
                case .press, .key: continue
                }
            }
            if isLost || deadline.isOver { return .nothing }
            wait(until: deadline)
        }
    }

    private func makeCursor() -> UInt32 {
        let (font, cursor) = unsafe (xcb_generate_id(connection), xcb_generate_id(connection))
        unsafe xcb_open_font(connection, font, 6, "cursor")
        unsafe xcb_create_glyph_cursor(
            connection, cursor, font, font, Self.crosshair, Self.crosshair + 1, 0, 0, 0, .max, .max, .max)
        unsafe xcb_close_font(connection, font)
        return cursor
    }

    private mutating func grabPointer(_ cursor: UInt32) -> Bool {
        let mask = XCB_EVENT_MASK_BUTTON_PRESS.rawValue | XCB_EVENT_MASK_BUTTON_RELEASE.rawValue
        let asked = unsafe xcb_grab_pointer(
            connection, 0, root, UInt16(mask), UInt8(XCB_GRAB_MODE_ASYNC.rawValue),
            UInt8(XCB_GRAB_MODE_ASYNC.rawValue), 0, cursor, 0)
        guard let reply = unsafe answer(asked.sequence, as: xcb_grab_pointer_reply_t.self) else { return false }
        defer { unsafe free(reply) }
        return unsafe UInt32(reply.pointee.status) == XCB_GRAB_STATUS_SUCCESS.rawValue
    }

    private mutating func grabKeyboard() -> Bool {
        let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
        let asked = unsafe xcb_grab_keyboard(connection, 0, root, 0, mode, mode)
        guard let reply = unsafe answer(asked.sequence, as: xcb_grab_keyboard_reply_t.self) else { return false }
        defer { unsafe free(reply) }
        return unsafe UInt32(reply.pointee.status) == XCB_GRAB_STATUS_SUCCESS.rawValue
    }

    /// The keys that mean Escape.
    private mutating func escapeKeys() -> Set<UInt8> {
        guard let setup = unsafe xcb_get_setup(connection) else { return [] }
        let (least, greatest) = unsafe (setup.pointee.min_keycode, setup.pointee.max_keycode)
        guard greatest >= least else { return [] }
        let asked = unsafe xcb_get_keyboard_mapping(connection, least, greatest - least + 1)
        guard let reply = unsafe answer(asked.sequence, as: xcb_get_keyboard_mapping_reply_t.self) else { return [] }
        defer { unsafe free(reply) }
        let width = unsafe Int(reply.pointee.keysyms_per_keycode)
        let count = unsafe Int(xcb_get_keyboard_mapping_keysyms_length(reply))
        guard width > 0, let symbols = unsafe xcb_get_keyboard_mapping_keysyms(reply) else { return [] }
        var keys: Set<UInt8> = []
        for place in 0..<count where unsafe symbols[place] == Self.escape {
            if let key = UInt8(exactly: Int(least) + place / width) { keys.insert(key) }
        }
        return keys
    }

    /// The client's own window within the frame that the window manager put around it.
    private mutating func client(in outer: UInt32) -> X11Window? {
        guard outer != 0 else { return nil }
        let clients = desktopSnapshot().clients
        var within = Dictionary(clients.map { ($0, $0) }, uniquingKeysWith: { first, _ in first })
        for _ in 0..<16 where !within.isEmpty {
            if let found = within[outer] { return describe([found]).first }
            let asked = within.map { (client: $0.value, question: askTree(of: $0.key)) }
            within = [:]
            for (client, question) in asked {
                if let parent = tree(question)?.parent, parent != 0, parent != root { within[parent] = client }
            }
        }
        return nil
    }
}

// MARK: - Typing

/// Whether the user is typing.
///
/// The server keeps, for each input device, how long ago it was used (SYNC extension, system counters). Usher reads the
/// counter of the core keyboard, which pointers don't affect, so no client has to listen to keys. A server without that
/// counter has one for all devices together, in which a moving pointer counts as typing.
extension X11Connection {
    /// The number of the core keyboard in every server with XInput 2.
    private static let keyboardCounter = "DEVICEIDLETIME 3"
    private static let commonCounter = "IDLETIME"

    /// In milliseconds, since a key was pressed; nil where the server has no such counter or does not answer.
    mutating func timeSinceKey() -> Int64? { time(of: \.keyboard) }

    /// In milliseconds, since the keyboard or the pointer was used.
    mutating func timeSinceInput() -> Int64? { time(of: \.all) }

    private mutating func time(of counter: KeyPath<X11IdleCounters, UInt32?>) -> Int64? {
        let counters = idleCounters ?? findIdleCounters()
        idleCounters = counters
        guard let counter = counters[keyPath: counter] else { return nil }
        let asked = unsafe xcb_sync_query_counter(connection, counter)
        guard let reply = unsafe answer(asked.sequence, as: xcb_sync_query_counter_reply_t.self) else { return nil }
        defer { unsafe free(reply) }
        let value = unsafe reply.pointee.counter_value
        return Int64(value.hi) << 32 | Int64(value.lo)
    }

    private mutating func findIdleCounters() -> X11IdleCounters {
        guard knowsIdleTime else { return X11IdleCounters() }
        let greeting = unsafe xcb_sync_initialize(connection, 3, 1)
        let asked = unsafe xcb_sync_list_system_counters(connection)
        unsafe free(answer(greeting.sequence, as: xcb_sync_initialize_reply_t.self))
        guard let reply = unsafe answer(asked.sequence, as: xcb_sync_list_system_counters_reply_t.self) else {
            return X11IdleCounters()
        }
        defer { unsafe free(reply) }
        var found: [String: UInt32] = [:]
        var iterator = unsafe xcb_sync_list_system_counters_counters_iterator(reply)
        while unsafe iterator.rem > 0 {
            let length = unsafe Int(xcb_sync_systemcounter_name_length(iterator.data))
            if let data = unsafe iterator.data {
                // The library's own structure is two bytes longer than what is sent, and its name begins too late.
                let name = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(data) + 14, count: length)
                found[unsafe String(decoding: name, as: UTF8.self)] = unsafe data.pointee.counter
            }
            unsafe xcb_sync_systemcounter_next(&iterator)
        }
        let all = found[Self.commonCounter]
        return X11IdleCounters(keyboard: found[Self.keyboardCounter] ?? all, all: all)
    }
}

/// Counters of the time since the user did something, by their numbers; nil where the server has none.
struct X11IdleCounters {
    var keyboard: UInt32?
    /// Of all devices together.
    var all: UInt32?
}
