internal import CXcb
internal import Glibc
internal import UsherSystem

/// A connection to an X server; closed by `deinit`.
///
/// It has one owner at a time. Once the server is gone, or has not answered in time, every query returns nothing, and
/// `isLost` is true. Questions are sent together and their answers taken afterwards, so that a look at any number of
/// windows costs few round trips.
@safe
struct X11Connection: ~Copyable, Sendable {
    /// A server that says nothing for so long hangs.
    static let patience = 5000

    /// Of this value alone, which has one owner at a time.
    nonisolated(unsafe) let connection: OpaquePointer
    let root: UInt32
    /// An invisible window, used to read the server's time.
    let own: UInt32
    /// The bits by which the clients differ in the numbers of their windows.
    let clientMask: UInt32
    /// What the server calls each name; 0 before that is known.
    private var atoms = [UInt32](repeating: 0, count: X11Atom.allCases.count)
    private(set) var knowsProcesses = false
    private(set) var knowsIdleTime = false
    private(set) var knowsShapes = false
    private(set) var knowsScreens = false
    /// What happened since it was last read and reset.
    var eventSummary = X11EventSummary()
    /// Answers that come later are none.
    var limit: Deadline
    /// It did not answer in time. For ever: what comes late would be taken for something else.
    var isHung = false
    /// The window manager that was last seen, so that its name and abilities are asked for once.
    var manager: X11Manager?
    /// The life of the server, where it was asked for.
    var knownLife: String?
    /// The counters of the time since the user did something; nil before they were looked for.
    var idleCounters: X11IdleCounters?

    /// `environment` says where the authority file is.
    static func open(
        display: X11Display, environment: [String: String]
    ) throws(X11Problem) -> X11Connection {
        let limit = Deadline(inMilliseconds: Self.patience)
        let opened = unsafe try X11Socket.connection(to: display, environment: environment, until: limit)
        guard let setup = unsafe xcb_get_setup(opened), let screen = unsafe screen(display.screen, of: setup) else {
            unsafe xcb_disconnect(opened)
            throw .absent
        }
        var connection = unsafe X11Connection(opened, setup, root: screen, limit: limit)
        connection.introduce()
        if connection.isLost { throw connection.isHung ? .silent : .absent }
        return connection
    }

    private init(_ opened: OpaquePointer, _ setup: UnsafePointer<xcb_setup_t>, root: UInt32, limit: Deadline) {
        unsafe connection = opened
        self.limit = limit
        self.root = root
        clientMask = unsafe ~setup.pointee.resource_id_mask
        own = unsafe xcb_generate_id(opened)
        var values = [1, XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue]
        unsafe xcb_create_window(
            opened, 0, own, root, -1, -1, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0,
            XCB_CW_OVERRIDE_REDIRECT.rawValue | XCB_CW_EVENT_MASK.rawValue, &values)
    }

    deinit { unsafe xcb_disconnect(connection) }

    var isLost: Bool { unsafe isHung || xcb_connection_has_error(connection) != 0 }

    func atom(_ name: X11Atom) -> UInt32 { atoms[name.rawValue] }

    /// Names, and extensions. The library itself waits for extension data without a limit. The query sent last is
    /// therefore awaited first: X servers answer in order, so after that answer the others are there.
    private mutating func introduce() {
        let asked = X11Atom.allCases.map { name in
            unsafe (name, xcb_intern_atom(connection, 0, UInt16(name.text.utf8.count), name.text))
        }
        unsafe xcb_prefetch_extension_data(connection, usher_xcb_res())
        unsafe xcb_prefetch_extension_data(connection, usher_xcb_sync())
        unsafe xcb_prefetch_extension_data(connection, usher_xcb_shape())
        unsafe xcb_prefetch_extension_data(connection, usher_xcb_randr())
        let last = askKeyboard()
        for (name, cookie) in asked {
            guard let reply = unsafe answer(cookie.sequence, as: xcb_intern_atom_reply_t.self) else { continue }
            atoms[name.rawValue] = unsafe reply.pointee.atom
            unsafe free(reply)
        }
        _ = keyboard(last)
        if isLost { return }
        knowsProcesses = unsafe xcb_get_extension_data(connection, usher_xcb_res())?.pointee.present == 1
        knowsIdleTime = unsafe xcb_get_extension_data(connection, usher_xcb_sync())?.pointee.present == 1
        knowsShapes = unsafe xcb_get_extension_data(connection, usher_xcb_shape())?.pointee.present == 1
        knowsScreens = unsafe xcb_get_extension_data(connection, usher_xcb_randr())?.pointee.present == 1
    }

    /// The root window of the screen with this number.
    private static func screen(_ number: Int32, of setup: UnsafePointer<xcb_setup_t>) -> UInt32? {
        var iterator = unsafe xcb_setup_roots_iterator(setup)
        var left = number
        while unsafe iterator.rem > 0 {
            if left == 0 { return unsafe iterator.data.pointee.root }
            left -= 1
            unsafe xcb_screen_next(&iterator)
        }
        return nil
    }
}

// MARK: - Requests

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
        eventSummary = X11EventSummary()
    }

    private func selectEvents(_ mask: UInt32, of window: UInt32) {
        var values = [mask]
        unsafe xcb_change_window_attributes(connection, window, XCB_CW_EVENT_MASK.rawValue, &values)
    }

    /// Goes out with the next wait.
    func send(_ message: X11ClientMessage, about window: UInt32, time: UInt32, instead current: UInt32) {
        switch message {
        case .front: send(.activeWindow, about: window, [Self.sourceIsPager, time, current, 0, 0])
        case .desktop(let desktop): send(.currentDesktop, about: root, [desktop, time, 0, 0, 0])
        case .summon(let desktop): send(.desktopOfWindow, about: window, [desktop, Self.sourceIsPager, 0, 0, 0])
        case .raise:
            send(.restack, about: window, [Self.sourceIsPager, 0, XCB_STACK_MODE_ABOVE.rawValue, 0, 0])
        case .attention:
            // _NET_WM_STATE_ADD is 1.
            send(.states, about: window, [1, atom(.stateAttention), 0, Self.sourceIsPager, 0])
        case .close: send(.closeWindow, about: window, [time, Self.sourceIsPager, 0, 0, 0])
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
        eventSummary.stamp = nil
        askTime()
        // What was asked later is answered later.
        _ = keyboard(askKeyboard())
        takeEvents()
        return eventSummary.stamp
    }
}

/// What a window manager is asked for.
enum X11ClientMessage: Hashable {
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
    /// The window closed.
    case close
}

// MARK: - Answers

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

    /// The same, but returns only for events for which `isEnough` is true.
    mutating func wait(until deadline: Deadline, or descriptor: Int32 = -1, for isEnough: (X11EventSummary) -> Bool) {
        unsafe xcb_flush(connection)
        while true {
            takeEvents()
            if isEnough(eventSummary) || isLost || deadline.isOver { return }
            if pause(until: deadline, or: descriptor) { return }
        }
    }

    /// The library may have read events along with answers, so this stands before every pause for events. It reads once.
    mutating func takeEvents() {
        var next = unsafe xcb_poll_for_event(connection)
        while let event = unsafe next {
            unsafe handle(event)
            unsafe free(event)
            unsafe next = xcb_poll_for_queued_event(connection)
        }
    }

    /// Whether the other descriptor can be read.
    @discardableResult
    private func pause(until deadline: Deadline, or descriptor: Int32) -> Bool {
        Poll.wait(for: unsafe xcb_get_file_descriptor(connection), or: descriptor, until: deadline) == .ended
    }

    private mutating func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let kind = unsafe Int32(event.pointee.response_type & 0x7F)
        switch kind {
        case XCB_PROPERTY_NOTIFY:
            let (window, name, time) = unsafe event.withMemoryRebound(
                to: xcb_property_notify_event_t.self, capacity: 1
            ) { unsafe ($0.pointee.window, $0.pointee.atom, $0.pointee.time) }
            handle(name, of: window, time)
        case XCB_FOCUS_IN, XCB_FOCUS_OUT:
            // The keyboard goes elsewhere, not the window.
            (eventSummary.isAny, eventSummary.isUrgent, eventSummary.inputFocus) = (true, true, true)
        // The same place in all of them.
        case XCB_MAP_NOTIFY, XCB_UNMAP_NOTIFY, XCB_DESTROY_NOTIFY, XCB_REPARENT_NOTIFY:
            let window = unsafe event.withMemoryRebound(to: xcb_map_notify_event_t.self, capacity: 1) {
                unsafe $0.pointee.window
            }
            (eventSummary.isAny, eventSummary.isUrgent, eventSummary.place) = (true, true, true)
            eventSummary.changed.insert(window)
            if kind == XCB_DESTROY_NOTIFY { eventSummary.destroyed.insert(window) }
        case XCB_BUTTON_PRESS:
            let (button, child) = unsafe event.withMemoryRebound(
                to: xcb_button_press_event_t.self, capacity: 1
            ) { unsafe ($0.pointee.detail, $0.pointee.child) }
            handle(.press(button: button, over: child))
        case XCB_BUTTON_RELEASE: handle(.release)
        case XCB_KEY_PRESS:
            handle(
                .key(
                    unsafe event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) {
                        unsafe $0.pointee.detail
                    }))
        // An error (0) is the answer to a request about a window that is gone, which the next look shows.
        default: break
        }
    }

    private mutating func handle(_ name: UInt32, of window: UInt32, _ time: UInt32) {
        if window == own {
            if name == atom(.stamp) { eventSummary.stamp = time }
            return
        }
        if window == root {
            guard X11Atom.ofRoot.contains(where: { atom($0) == name }) else { return }
            (eventSummary.isAny, eventSummary.isUrgent) = (true, true)
            if name == atom(.activeWindow) { eventSummary.activeWindow = true }
            if name == atom(.currentDesktop) { eventSummary.place = true }
            return
        }
        let isTitle = name == atom(.name) || name == XCB_ATOM_WM_NAME.rawValue
        guard
            isTitle || name == XCB_ATOM_WM_CLASS.rawValue || name == XCB_ATOM_WM_TRANSIENT_FOR.rawValue
                || X11Atom.ofWindow.contains(where: { atom($0) == name })
        else { return }
        eventSummary.isAny = true
        eventSummary.changed.insert(window)
        guard !isTitle else { return }
        eventSummary.isUrgent = true
        // The state also marks the window that has the keyboard.
        if name != atom(.states) { eventSummary.place = true }
    }

    private mutating func handle(_ gesture: X11EventSummary.Gesture) {
        eventSummary.isAny = true
        eventSummary.gestures.append(gesture)
    }
}

// MARK: - Properties

/// Questions, and their answers: each is asked first and read later.
extension X11Connection {
    /// More of a property than this is never read, in units of four bytes: a list of 64 000 windows.
    private static let longestProperty: UInt32 = 64 * 1024
    /// The same limit for texts: any client may set one of any length. Four bytes more than the longest title that `content`
    /// reads, so that a longer one is known to be too long.
    static let longestText: UInt32 = 1025

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

/// The names that are used beyond the protocol's own: those of ICCCM and of EWMH 1.5, and some of ours. Numbered, because each
/// connection has a number of its own for each, looked up often.
enum X11Atom: Int, CaseIterable {
    case activeWindow
    case clientList
    case stackingList
    case currentDesktop
    case desktopNames
    case desktopOfWindow
    case name
    case supported
    case supportingCheck
    case restack
    case closeWindow
    case startupID
    case clientLeader
    case state
    case states
    case stateHidden
    case stateAttention
    case stateFullscreen
    case typeOfWindow
    case typeDesktop
    case typeDock
    case typeToolbar
    case typeMenu
    case typeUtility
    case typeSplash
    case typeDialog
    case typeNormal
    case typeNotification
    case opacity
    /// Whose owner composes the first screen (EWMH 1.5, _NET_WM_CM_Sn).
    case compositor
    /// Where i3 answers questions of its own.
    case i3Socket
    /// On the root window: which life of the server this is. The server forgets it with all windows.
    case life
    /// On our own window: appended to, it makes the server tell its time.
    case stamp

    var text: String {
        switch self {
        case .activeWindow: "_NET_ACTIVE_WINDOW"
        case .clientList: "_NET_CLIENT_LIST"
        case .stackingList: "_NET_CLIENT_LIST_STACKING"
        case .currentDesktop: "_NET_CURRENT_DESKTOP"
        case .desktopNames: "_NET_DESKTOP_NAMES"
        case .desktopOfWindow: "_NET_WM_DESKTOP"
        case .name: "_NET_WM_NAME"
        case .supported: "_NET_SUPPORTED"
        case .supportingCheck: "_NET_SUPPORTING_WM_CHECK"
        case .restack: "_NET_RESTACK_WINDOW"
        case .closeWindow: "_NET_CLOSE_WINDOW"
        case .startupID: "_NET_STARTUP_ID"
        case .clientLeader: "WM_CLIENT_LEADER"
        case .state: "WM_STATE"
        case .states: "_NET_WM_STATE"
        case .stateHidden: "_NET_WM_STATE_HIDDEN"
        case .stateAttention: "_NET_WM_STATE_DEMANDS_ATTENTION"
        case .stateFullscreen: "_NET_WM_STATE_FULLSCREEN"
        case .typeOfWindow: "_NET_WM_WINDOW_TYPE"
        case .typeDesktop: "_NET_WM_WINDOW_TYPE_DESKTOP"
        case .typeDock: "_NET_WM_WINDOW_TYPE_DOCK"
        case .typeToolbar: "_NET_WM_WINDOW_TYPE_TOOLBAR"
        case .typeMenu: "_NET_WM_WINDOW_TYPE_MENU"
        case .typeUtility: "_NET_WM_WINDOW_TYPE_UTILITY"
        case .typeSplash: "_NET_WM_WINDOW_TYPE_SPLASH"
        case .typeDialog: "_NET_WM_WINDOW_TYPE_DIALOG"
        case .typeNormal: "_NET_WM_WINDOW_TYPE_NORMAL"
        case .typeNotification: "_NET_WM_WINDOW_TYPE_NOTIFICATION"
        case .opacity: "_NET_WM_WINDOW_OPACITY"
        case .compositor: "_NET_WM_CM_S0"
        case .i3Socket: "I3_SOCKET_PATH"
        case .life: "_USHER_SERVER"
        case .stamp: "_USHER_STAMP"
        }
    }

    /// Windows of these types belong to another window, or to none.
    static let helpers: [X11Atom] = [
        .typeDesktop, .typeDock, .typeToolbar, .typeMenu, .typeUtility, .typeSplash, .typeNotification,
    ]

    /// Properties of the root window that lead to a new look when they change.
    static let ofRoot: [X11Atom] = [
        .activeWindow, .clientList, .stackingList, .currentDesktop, .desktopNames, .supportingCheck,
    ]

    /// Properties of a window, apart from titles, that lead to a new look when they change.
    static let ofWindow: [X11Atom] = [
        .desktopOfWindow, .startupID, .clientLeader, .state, .states, .typeOfWindow,
    ]
}

/// Why no server answers at a display.
enum X11Problem: Error {
    /// No server is there, or it does not let us in.
    case absent
    /// It went away in the middle.
    case ended
    /// There is one, and it says nothing: slow is not gone.
    case silent
}
