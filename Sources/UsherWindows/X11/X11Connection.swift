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
    /// What happened since it was last read and reset.
    var news = X11News()
    /// Answers that come later are none.
    var limit: Deadline
    /// It did not answer in time. For ever: what comes late would be taken for something else.
    var isHung = false
    /// The window manager that was last seen, so that its name and abilities are asked for once.
    var manager: X11Manager?
    /// The life of the server, where it was asked for.
    var knownLife: String?
    /// The counter of the time since a key was pressed; nil before it was looked for, 0 where there is none.
    var idleCounter: UInt32?

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
