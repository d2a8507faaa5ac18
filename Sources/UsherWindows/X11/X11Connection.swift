internal import CXcb
internal import Glibc

/// A connection to an X server; closed by `deinit`.
///
/// It belongs to whoever holds it, one at a time. Once the server is gone every question is answered with nothing, and
/// `isLost` says so. Questions are sent together and their answers taken afterwards, so that a look at any number of
/// windows costs as many round trips as one.
@safe
struct X11Connection: ~Copyable {
    let connection: OpaquePointer
    let root: UInt32
    /// A window that nobody sees, for the server's time.
    let own: UInt32
    let atoms: [X11Atom: UInt32]
    let knowsProcesses: Bool
    /// Something happened that a wait for events is about.
    var isWoken = false
    /// The time of the last stamp that arrived.
    var stampTime: UInt32?
    /// The window whose events are asked for beside those of the root.
    var watched: UInt32 = 0

    /// nil where there is no server, or it refuses.
    init?(display: String) {
        var number: Int32 = 0
        // It gives an object in any case.
        guard let opened = unsafe xcb_connect(display, &number) else { return nil }
        guard unsafe xcb_connection_has_error(opened) == 0,
            let screen = unsafe Self.screen(number, of: xcb_get_setup(opened))
        else {
            unsafe xcb_disconnect(opened)
            return nil
        }
        unsafe xcb_prefetch_extension_data(opened, usher_xcb_res())
        let asked = X11Atom.allCases.map { atom in
            unsafe (atom, xcb_intern_atom(opened, 0, UInt16(atom.rawValue.utf8.count), atom.rawValue))
        }
        var atoms: [X11Atom: UInt32] = [:]
        for (atom, cookie) in asked {
            guard let reply = unsafe xcb_intern_atom_reply(opened, cookie, nil) else { continue }
            atoms[atom] = unsafe reply.pointee.atom
            unsafe free(reply)
        }
        let extensionData = unsafe xcb_get_extension_data(opened, usher_xcb_res())
        knowsProcesses = unsafe (extensionData?.pointee.present ?? 0) == 1
        unsafe connection = opened
        self.root = screen
        self.atoms = atoms
        own = unsafe xcb_generate_id(opened)
        var values = [1, XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue]
        unsafe xcb_create_window(
            opened, 0, own, screen, -1, -1, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0,
            XCB_CW_OVERRIDE_REDIRECT.rawValue | XCB_CW_EVENT_MASK.rawValue, &values)
    }

    deinit { unsafe xcb_disconnect(connection) }

    var isLost: Bool { unsafe xcb_connection_has_error(connection) != 0 }

    func atom(_ name: X11Atom) -> UInt32 { atoms[name] ?? 0 }

    /// The root window of the screen with this number.
    private static func screen(_ number: Int32, of setup: UnsafePointer<xcb_setup_t>?) -> UInt32? {
        guard let setup = unsafe setup else { return nil }
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
