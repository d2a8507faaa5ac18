internal import CXcb
internal import Glibc
internal import UsherActivation

/// Requests to the window manager, and the wait for what becomes of them.
extension X11Connection {
    /// Says that a user's own tool asks, whom window managers obey (EWMH 1.5, source indication).
    private static let sourceIsPager: UInt32 = 2

    /// From now on changes of the desktop and of this window wake `wait(until:)`. Only for as long as somebody waits: the
    /// server keeps events that nobody reads.
    mutating func watch(_ window: UInt32) {
        watched = window
        selectEvents(XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue, of: root)
        selectEvents(XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_FOCUS_CHANGE.rawValue, of: window)
    }

    mutating func stopWatching() {
        selectEvents(0, of: root)
        selectEvents(0, of: watched)
        watched = 0
        unsafe xcb_flush(connection)
    }

    private func selectEvents(_ mask: UInt32, of window: UInt32) {
        var values = [mask]
        unsafe xcb_change_window_attributes(connection, window, XCB_CW_EVENT_MASK.rawValue, &values)
    }

    func askForFront(_ window: UInt32, time: UInt32, instead current: UInt32) {
        send(.activeWindow, about: window, [Self.sourceIsPager, time, current, 0, 0])
    }

    func askForDesktop(_ desktop: UInt32, time: UInt32) {
        send(.currentDesktop, about: root, [desktop, time, 0, 0, 0])
    }

    /// A message for the window manager: to the root, about a window (EWMH 1.5, root window messages).
    private func send(_ type: X11Atom, about window: UInt32, _ data: [UInt32]) {
        // The layout of a ClientMessage in the protocol: 32 bytes, in the order of this machine.
        var message: [UInt32] = [UInt32(XCB_CLIENT_MESSAGE) | 32 << 8, window, atom(type)]
        message += data
        let mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue
        unsafe message.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            _ = unsafe xcb_send_event(connection, 0, root, mask, start)
        }
        unsafe xcb_flush(connection)
    }

    /// The server's own time: window managers pass over requests that look old. nil where it did not come in time.
    mutating func serverTime(until deadline: Deadline) -> UInt32? {
        stampTime = nil
        unsafe xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_APPEND.rawValue), own, atom(.stamp), XCB_ATOM_CARDINAL.rawValue, 32, 0, nil)
        unsafe xcb_flush(connection)
        while true {
            takeEvents()
            if let stampTime { return stampTime }
            if isLost || deadline.isOver { return nil }
            pause(until: deadline)
        }
    }

    /// Comes back when something happened since the last call, the deadline is over or the server is gone.
    mutating func wait(until deadline: Deadline) {
        unsafe xcb_flush(connection)
        while true {
            takeEvents()
            if isWoken || isLost || deadline.isOver { break }
            pause(until: deadline)
        }
        isWoken = false
    }

    /// The library may have read events along with answers, so this stands before every pause.
    private mutating func takeEvents() {
        while let event = unsafe xcb_poll_for_event(connection) {
            unsafe take(event)
            unsafe free(event)
        }
    }

    private mutating func take(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        switch unsafe Int32(event.pointee.response_type & 0x7F) {
        case XCB_PROPERTY_NOTIFY:
            let (window, name, time) = unsafe event.withMemoryRebound(
                to: xcb_property_notify_event_t.self, capacity: 1
            ) { unsafe ($0.pointee.window, $0.pointee.atom, $0.pointee.time) }
            if window == own, name == atom(.stamp) { stampTime = time }
            if window == root, [atom(.activeWindow), atom(.currentDesktop), atom(.clientList)].contains(name) {
                isWoken = true
            }
        case XCB_FOCUS_IN, XCB_FOCUS_OUT, XCB_MAP_NOTIFY, XCB_UNMAP_NOTIFY, XCB_DESTROY_NOTIFY: isWoken = true
        // An error (0) is the answer to a request about a window that is gone, which the next look shows.
        default: break
        }
    }

    private func pause(until deadline: Deadline) {
        var descriptor = unsafe pollfd(fd: xcb_get_file_descriptor(connection), events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&descriptor, 1, deadline.remainingMilliseconds)
    }
}
