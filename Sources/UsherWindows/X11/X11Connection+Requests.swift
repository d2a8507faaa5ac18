internal import CXcb
internal import Glibc
internal import UsherActivation

/// Requests to the server and to the window manager; what becomes of them is looked at afterwards.
extension X11Connection {
    /// Marks a request as that of a user's own tool (a pager): window managers obey those (EWMH 1.5, source
    /// indication).
    private static let sourceIsPager: UInt32 = 2

    /// From now on changes of the desktop and of this window lead to events. Only for as long as a call waits for them:
    /// the server keeps events that no client reads.
    func watch(_ window: UInt32) {
        watchDesktop()
        selectEvents(Self.windowMask, of: window)
    }

    private static let windowMask =
        XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue | XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue

    func watchDesktop() { selectEvents(XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue, of: root) }

    /// The keyboard as well.
    func watchWindow(_ window: UInt32) {
        selectEvents(Self.windowMask | XCB_EVENT_MASK_FOCUS_CHANGE.rawValue, of: window)
    }

    mutating func stopWatching(_ window: UInt32) {
        selectEvents(0, of: root)
        selectEvents(0, of: window)
        unsafe xcb_flush(connection)
        news = X11News()
    }

    private func selectEvents(_ mask: UInt32, of window: UInt32) {
        var values = [mask]
        unsafe xcb_change_window_attributes(connection, window, XCB_CW_EVENT_MASK.rawValue, &values)
    }

    /// Goes out with the next wait.
    func send(_ wish: X11Wish, about window: UInt32, time: UInt32, instead current: UInt32) {
        switch wish {
        case .front: send(.activeWindow, about: window, [Self.sourceIsPager, time, current, 0, 0])
        case .desktop(let desktop): send(.currentDesktop, about: root, [desktop, time, 0, 0, 0])
        case .summon(let desktop): send(.desktopOfWindow, about: window, [desktop, Self.sourceIsPager, 0, 0, 0])
        case .raise:
            send(.restack, about: window, [Self.sourceIsPager, 0, XCB_STACK_MODE_ABOVE.rawValue, 0, 0])
        case .attention:
            // _NET_WM_STATE_ADD is 1.
            send(.states, about: window, [1, atom(.stateAttention), 0, Self.sourceIsPager, 0])
        }
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
    }

    /// Marks a window directly, where the window manager does not (ICCCM 4.1.2.4, UrgencyHint). The mark is removed
    /// first, because window managers react to changes only.
    func setUrgencyHint(_ hints: [UInt32], of window: UInt32) {
        // A window without hints gets nine empty ones.
        var hints = hints.isEmpty ? [UInt32](repeating: 0, count: 9) : hints
        for flags in [hints[0] & ~Self.urgencyFlag, hints[0] | Self.urgencyFlag] {
            hints[0] = flags
            unsafe xcb_change_property(
                connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, XCB_ATOM_WM_HINTS.rawValue,
                XCB_ATOM_WM_HINTS.rawValue, 32, UInt32(hints.count), hints)
        }
        unsafe xcb_flush(connection)
    }

    static let urgencyFlag: UInt32 = 256

    /// Makes the server tell its time in an event.
    func askTime() {
        unsafe xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_APPEND.rawValue), own, atom(.stamp), XCB_ATOM_CARDINAL.rawValue, 32, 0, nil)
    }

    /// The server's own time: window managers pass over requests that look old. nil where it did not come in time.
    mutating func serverTime() -> UInt32? {
        news.stamp = nil
        askTime()
        // What was asked later is answered later.
        _ = keyboard(askKeyboard())
        takeEvents()
        return news.stamp
    }
}

/// What a window manager is asked for.
enum X11Wish: Hashable {
    /// The window in front, with the keyboard.
    case front
    /// Another desktop.
    case desktop(UInt32)
    /// The window on another desktop.
    case summon(UInt32)
    /// The window above all others, the keyboard where it is.
    case raise
    /// The window marked as wanting attention.
    case attention
}
