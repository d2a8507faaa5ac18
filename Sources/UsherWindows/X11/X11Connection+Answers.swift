internal import CXcb
internal import Glibc
internal import UsherActivation
internal import UsherSystem

/// Taking what the server sends, with an end to all waiting.
extension X11Connection {
    /// The answer to a question, which its taker frees; nil where it is an error, or did not come before `limit`.
    mutating func answer<Answer>(_ question: UInt32, as type: Answer.Type) -> UnsafeMutablePointer<Answer>? {
        var isSent = false
        while true {
            var reply: UnsafeMutableRawPointer?
            var error: UnsafeMutablePointer<xcb_generic_error_t>?
            if unsafe xcb_poll_for_reply(connection, question, &reply, &error) != 0 {
                // A window that is gone, mostly.
                unsafe free(error)
                return unsafe reply?.assumingMemoryBound(to: type)
            }
            if isLost { return nil }
            // The library may read while it writes, so the answer may be there after that.
            guard isSent else {
                unsafe xcb_flush(connection)
                isSent = true
                continue
            }
            if limit.isOver {
                isHung = true
                return nil
            }
            pause(until: limit, or: -1)
            // Answers come in by this too: only events make the library read.
            takeEvents()
        }
    }

    /// Comes back when something happened since the last call, at the deadline, when the descriptor can be read, or when
    /// the server is gone.
    mutating func wait(until deadline: Deadline, or descriptor: Int32 = -1) {
        wait(until: deadline, or: descriptor) { $0.isAny }
    }

    /// The same, where not all news are worth coming back for.
    mutating func wait(until deadline: Deadline, or descriptor: Int32 = -1, for isEnough: (X11News) -> Bool) {
        unsafe xcb_flush(connection)
        while true {
            takeEvents()
            if isEnough(news) || isLost || deadline.isOver { return }
            if pause(until: deadline, or: descriptor) { return }
        }
    }

    /// The library may have read events along with answers, so this stands before every pause for events. It reads once.
    mutating func takeEvents() {
        var next = unsafe xcb_poll_for_event(connection)
        while let event = unsafe next {
            unsafe take(event)
            unsafe free(event)
            unsafe next = xcb_poll_for_queued_event(connection)
        }
    }

    /// Whether the other descriptor can be read.
    @discardableResult
    private func pause(until deadline: Deadline, or descriptor: Int32) -> Bool {
        var signs = unsafe [
            pollfd(fd: xcb_get_file_descriptor(connection), events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&signs, 2, deadline.remainingMilliseconds)
        return signs[1].revents != 0
    }

    private mutating func take(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let kind = unsafe Int32(event.pointee.response_type & 0x7F)
        switch kind {
        case XCB_PROPERTY_NOTIFY:
            let (window, name, time) = unsafe event.withMemoryRebound(
                to: xcb_property_notify_event_t.self, capacity: 1
            ) { unsafe ($0.pointee.window, $0.pointee.atom, $0.pointee.time) }
            take(name, of: window, time)
        case XCB_FOCUS_IN, XCB_FOCUS_OUT:
            // The keyboard goes elsewhere, not the window.
            (news.isAny, news.isUrgent, news.keyboard) = (true, true, true)
        // The same place in all of them.
        case XCB_MAP_NOTIFY, XCB_UNMAP_NOTIFY, XCB_DESTROY_NOTIFY, XCB_REPARENT_NOTIFY:
            let window = unsafe event.withMemoryRebound(to: xcb_map_notify_event_t.self, capacity: 1) {
                unsafe $0.pointee.window
            }
            (news.isAny, news.isUrgent, news.place) = (true, true, true)
            news.changed.insert(window)
            if kind == XCB_DESTROY_NOTIFY { news.destroyed.insert(window) }
        case XCB_BUTTON_PRESS:
            let (button, child) = unsafe event.withMemoryRebound(
                to: xcb_button_press_event_t.self, capacity: 1
            ) { unsafe ($0.pointee.detail, $0.pointee.child) }
            take(.press(button: button, over: child))
        case XCB_BUTTON_RELEASE: take(.release)
        case XCB_KEY_PRESS:
            take(
                .key(
                    unsafe event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) {
                        unsafe $0.pointee.detail
                    }))
        // An error (0) is the answer to a request about a window that is gone, which the next look shows.
        default: break
        }
    }

    private mutating func take(_ name: UInt32, of window: UInt32, _ time: UInt32) {
        if window == own {
            if name == atom(.stamp) { news.stamp = time }
            return
        }
        if window == root {
            guard X11Atom.ofRoot.contains(where: { atom($0) == name }) else { return }
            (news.isAny, news.isUrgent) = (true, true)
            if name == atom(.activeWindow) { news.front = true }
            if name == atom(.currentDesktop) { news.place = true }
            return
        }
        let isTitle = name == atom(.name) || name == XCB_ATOM_WM_NAME.rawValue
        guard isTitle || name == XCB_ATOM_WM_CLASS.rawValue || X11Atom.ofWindow.contains(where: { atom($0) == name })
        else { return }
        news.isAny = true
        news.changed.insert(window)
        guard !isTitle else { return }
        news.isUrgent = true
        // The state also marks the window that has the keyboard.
        if name != atom(.states) { news.place = true }
    }

    private mutating func take(_ gesture: X11News.Gesture) {
        news.isAny = true
        news.gestures.append(gesture)
    }
}
