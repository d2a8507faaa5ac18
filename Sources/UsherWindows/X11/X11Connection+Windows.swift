internal import CXcb
internal import Glibc

/// What there is.
extension X11Connection {
    /// On all desktops (EWMH 1.5, _NET_WM_DESKTOP).
    private static let everyDesktop: UInt32 = 0xFFFF_FFFF

    /// Every window with what is known of it, in two round trips, in the order in which they were opened.
    func windows() -> [X11Window] { describe(numbers(ask(.clientList, of: root))) }

    /// In one round trip.
    func describe(_ windows: [UInt32]) -> [X11Window] {
        let helpers = Set(X11Atom.helpers.compactMap { atoms[$0] })
        let types = helpers.union([atom(.typeNormal), atom(.typeDialog)])
        let asked = windows.map { window in
            (
                window, ask(.name, of: window), ask(XCB_ATOM_WM_NAME.rawValue, of: window),
                ask(XCB_ATOM_WM_CLASS.rawValue, of: window), ask(.desktopOfWindow, of: window),
                ask(.typeOfWindow, of: window), askProcess(of: window)
            )
        }
        return asked.map { window, name, oldName, kind, desktop, type, process in
            // Every answer is taken, wanted or not: the library keeps it otherwise.
            let titles = [text(name), text(oldName)]
            let words = (bytes(kind) ?? []).split(separator: 0, omittingEmptySubsequences: false)
            let desktops = numbers(desktop)
            // The first type that is known is the one meant (EWMH 1.5, _NET_WM_WINDOW_TYPE).
            let firstType = numbers(type).first { types.contains($0) }
            return X11Window(
                id: window, title: titles.compactMap(\.self).first ?? "",
                kind: words.count > 1 ? String(decoding: words[1], as: UTF8.self) : "", process: self.process(process),
                desktop: desktops.first == Self.everyDesktop ? nil : desktops.first,
                isHelper: firstType.map(helpers.contains) ?? false)
        }
    }

    /// Whether a window manager runs that says what it does: its window points to itself (EWMH 1.5).
    func hasWindowManager() -> Bool {
        guard let window = numbers(ask(.supportingCheck, of: root)).first, window != 0 else { return false }
        return numbers(ask(.supportingCheck, of: window)).first == window
    }

    /// A name for this life of the server: a mark on the root window, which goes when the windows go. Made by whoever asks
    /// first.
    func life() -> String? {
        if let bytes = bytes(ask(.life, of: root)), !bytes.isEmpty { return String(decoding: bytes, as: UTF8.self) }
        // Nobody else is served between the look and the mark.
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
