internal import CXcb
internal import Glibc
internal import UsherActivation
internal import UsherSystem

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
            (news.isAny, news.isUrgent) = (false, false)
            let gestures = news.gestures
            news.gestures = []
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
        let clients = moment().clients
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
