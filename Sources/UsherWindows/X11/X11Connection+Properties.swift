internal import CXcb
internal import Glibc

/// Questions, and their answers: each is asked first and read later.
extension X11Connection {
    /// More of a property than this is never read, in units of four bytes: a list of 64 000 windows.
    private static let longestProperty: UInt32 = 64 * 1024
    /// The same limit for texts: any client may set one of any length.
    static let longestText: UInt32 = 1024

    func ask(_ name: X11Atom, of window: UInt32, atMost count: UInt32 = longestProperty) -> xcb_get_property_cookie_t {
        ask(atom(name), of: window, atMost: count)
    }

    /// By the number of a name; those of the protocol itself are constants of the library.
    func ask(
        _ property: UInt32, of window: UInt32, atMost count: UInt32 = longestProperty
    ) -> xcb_get_property_cookie_t {
        unsafe xcb_get_property(connection, 0, window, property, 0, 0, count)
    }

    /// nil where there is no such window or property, or it is no text.
    mutating func bytes(_ cookie: xcb_get_property_cookie_t) -> [UInt8]? { value(cookie)?.bytes }

    /// Text of the type STRING is Latin-1 (ICCCM 2.7.1); any other is read as UTF-8.
    mutating func text(_ cookie: xcb_get_property_cookie_t) -> String? {
        guard let (type, bytes) = value(cookie) else { return nil }
        guard type == XCB_ATOM_STRING.rawValue else { return String(decoding: bytes, as: UTF8.self) }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private mutating func value(_ cookie: xcb_get_property_cookie_t) -> (type: UInt32, bytes: [UInt8])? {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_get_property_reply_t.self) else { return nil }
        defer { unsafe free(reply) }
        guard unsafe reply.pointee.format == 8, let value = unsafe xcb_get_property_value(reply) else { return nil }
        let count = unsafe Int(xcb_get_property_value_length(reply))
        return unsafe (reply.pointee.type, [UInt8](UnsafeRawBufferPointer(start: value, count: count)))
    }

    /// Windows, atoms, numbers; none where there is no such window or property.
    mutating func numbers(_ cookie: xcb_get_property_cookie_t) -> [UInt32] {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_get_property_reply_t.self) else { return [] }
        defer { unsafe free(reply) }
        guard unsafe reply.pointee.format == 32, let value = unsafe xcb_get_property_value(reply) else { return [] }
        let count = unsafe Int(xcb_get_property_value_length(reply)) / 4
        return unsafe [UInt32](
            UnsafeBufferPointer(start: value.assumingMemoryBound(to: UInt32.self), count: count))
    }

    func askProcess(of window: UInt32) -> xcb_res_query_client_ids_cookie_t? {
        guard knowsProcesses else { return nil }
        var wanted = xcb_res_client_id_spec_t(
            client: window, mask: XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID.rawValue)
        return unsafe xcb_res_query_client_ids(connection, 1, &wanted)
    }

    /// The process at the other end of the connection that the window came by: no claim of its own.
    mutating func process(_ cookie: xcb_res_query_client_ids_cookie_t?) -> Int32? {
        guard let cookie, let reply = unsafe answer(cookie.sequence, as: xcb_res_query_client_ids_reply_t.self) else {
            return nil
        }
        defer { unsafe free(reply) }
        var iterator = unsafe xcb_res_query_client_ids_ids_iterator(reply)
        while unsafe iterator.rem > 0 {
            let mask = unsafe iterator.data.pointee.spec.mask
            if mask & XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID.rawValue != 0,
                unsafe xcb_res_client_id_value_value_length(iterator.data) > 0,
                let value = unsafe xcb_res_client_id_value_value(iterator.data)
            {
                return unsafe Int32(bitPattern: value.pointee)
            }
            unsafe xcb_res_client_id_value_next(&iterator)
        }
        return nil
    }

    /// The process of the client that made a window, where the server reports it.
    mutating func client(of window: UInt32) -> Int32? { process(askProcess(of: window)) }

    func askAttributes(of window: UInt32) -> xcb_get_window_attributes_cookie_t {
        unsafe xcb_get_window_attributes(connection, window)
    }

    /// nil where there is no such window.
    mutating func view(_ cookie: xcb_get_window_attributes_cookie_t) -> X11Window.View? {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_get_window_attributes_reply_t.self) else { return nil }
        defer { unsafe free(reply) }
        switch unsafe UInt32(reply.pointee.map_state) {
        case XCB_MAP_STATE_UNMAPPED.rawValue: return .unmapped
        case XCB_MAP_STATE_VIEWABLE.rawValue: return .viewable
        default: return .inside
        }
    }

    func askKeyboard() -> xcb_get_input_focus_cookie_t { unsafe xcb_get_input_focus(connection) }

    /// The window that the keyboard goes to.
    mutating func keyboard(_ cookie: xcb_get_input_focus_cookie_t) -> UInt32 {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_get_input_focus_reply_t.self) else { return 0 }
        defer { unsafe free(reply) }
        return unsafe reply.pointee.focus
    }

    /// Whether a window is another one or lies in it: programs give the keyboard to a part of their window. `children` are
    /// those of the window, where they are known.
    mutating func lies(_ part: UInt32, in window: UInt32, children: [UInt32] = []) -> Bool {
        if children.contains(part) { return true }
        var current = part
        // No program nests windows deeper. The limit also ends the loop where a server gives wrong answers.
        for _ in 0..<64 where current > 1 && current != root {
            if current == window { return true }
            current = tree(askTree(of: current))?.parent ?? 0
        }
        return false
    }

    func askTree(of window: UInt32) -> xcb_query_tree_cookie_t { unsafe xcb_query_tree(connection, window) }

    /// nil where there is no such window.
    mutating func tree(_ cookie: xcb_query_tree_cookie_t) -> (parent: UInt32, children: [UInt32])? {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_query_tree_reply_t.self) else { return nil }
        defer { unsafe free(reply) }
        let count = unsafe Int(xcb_query_tree_children_length(reply))
        let children = unsafe [UInt32](UnsafeBufferPointer(start: xcb_query_tree_children(reply), count: count))
        return unsafe (reply.pointee.parent, children)
    }
}
