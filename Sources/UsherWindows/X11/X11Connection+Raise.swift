internal import CXcb
internal import Glibc
internal import UsherActivation

/// What lies over a window.
extension X11Connection {
    private struct Place {
        var left, top, right, bottom: Int32

        func overlaps(_ other: Place) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }
    }

    /// The first window that is above this one and covers a part of it; nil where it is seen whole. Docks and the like stay
    /// above everything.
    mutating func cover(of window: UInt32, _ look: X11Look) -> UInt32? {
        guard look.view == .viewable, look.desktop == nil else { return nil }
        let order = numbers(ask(.stackingList, of: root))
        guard let place = order.lastIndex(of: window) else { return nil }
        let above = describe(Array(order[(place + 1)...])).filter {
            !$0.isHelper && $0.view == .viewable && !$0.isHidden
        }
        let all = [window] + above.map(\.id)
        let asked = all.map { window in
            unsafe (xcb_get_geometry(connection, window), xcb_translate_coordinates(connection, window, root, 0, 0))
        }
        let places = zip(all, asked).map { (window: $0.0, place: self.place($0.1.0, $0.1.1)) }
        guard let own = places.first?.place else { return nil }
        return places.dropFirst().last { $0.place?.overlaps(own) ?? false }?.window
    }

    private mutating func place(
        _ size: xcb_get_geometry_cookie_t, _ corner: xcb_translate_coordinates_cookie_t
    ) -> Place? {
        let sized = unsafe answer(size.sequence, as: xcb_get_geometry_reply_t.self)
        defer { unsafe free(sized) }
        let placed = unsafe answer(corner.sequence, as: xcb_translate_coordinates_reply_t.self)
        defer { unsafe free(placed) }
        guard let sized = unsafe sized?.pointee, let placed = unsafe placed?.pointee else { return nil }
        let (left, top) = (Int32(placed.dst_x), Int32(placed.dst_y))
        return Place(left: left, top: top, right: left + Int32(sized.width), bottom: top + Int32(sized.height))
    }
}
