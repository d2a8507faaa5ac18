internal import CXcb
internal import Glibc
internal import UsherActivation

/// How much of a window the user can see.
extension X11Connection {
    /// A window that lies over another one.
    private struct Above {
        var window: UInt32
        var place: ScreenRectangle
    }

    /// Of a frame, the client's window is a child, or a child of a child.
    private static let deepestFrame = 3
    /// The opacity below which what is behind a window is seen well, of 0xFFFFFFFF.
    private static let halfOpaque: UInt32 = 0x8000_0000

    /// How much of a window is on the screens, and how much of that is covered. Windows with a frame are taken without it; what
    /// covers them is taken with its frame.
    ///
    /// In three round trips, and two more where something lies over the window. nil where the window is not there.
    mutating func exposure(of window: UInt32) -> WindowExposure? {
        let (size, corner) = askPlace(of: window)
        let (outer, all) = (askTree(of: window), askTree(of: root))
        let monitors = knowsScreens ? unsafe xcb_randr_get_monitors(connection, root, 1) : nil
        let (rootSize, rootCorner) = askPlace(of: root)
        let owner = unsafe xcb_get_selection_owner(connection, atom(.compositor))

        let place = place(size, corner, hasBorder: false)
        var frame = window
        var parent = tree(outer)?.parent ?? 0
        let order = tree(all)?.children ?? []
        var screens = monitors.map { self.screens($0) } ?? []
        let rootPlace = self.place(rootSize, rootCorner, hasBorder: false)
        if screens.isEmpty, let rootPlace { screens = [rootPlace] }
        let isComposited = hasOwner(owner)
        guard let place else { return nil }
        for _ in 0..<16 where parent != root && parent != 0 {
            (frame, parent) = (parent, tree(askTree(of: parent))?.parent ?? 0)
        }
        guard let level = order.lastIndex(of: frame) else { return WindowExposure(of: place, on: screens, under: nil) }
        let above = shown(Array(order[(level + 1)...])).filter { $0.place.overlaps(place) }
        return WindowExposure(
            of: place, on: screens, under: above.flatMap { cover($0, over: window, isComposited) })
    }

    /// Of these, the windows that are shown, and where.
    private mutating func shown(_ windows: [UInt32]) -> [Above] {
        let asked = windows.map { window in
            (window: window, attributes: askAttributes(of: window), place: askPlace(of: window))
        }
        return asked.compactMap { asked in
            let isShown = isShown(asked.attributes)
            let place = place(asked.place.size, asked.place.corner, hasBorder: true)
            return isShown ? place.map { Above(window: asked.window, place: $0) } : nil
        }
    }

    /// Whether it is drawn: it is mapped, as all it lies in is, and takes output.
    private mutating func isShown(_ cookie: xcb_get_window_attributes_cookie_t) -> Bool {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_get_window_attributes_reply_t.self) else {
            return false
        }
        defer { unsafe free(reply) }
        return unsafe UInt32(reply.pointee.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue
            && UInt32(reply.pointee._class) == XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue
    }

    /// The client's window in a frame (ICCCM 4.1.3.1: window managers give it WM_STATE).
    private mutating func client(inFrame frame: UInt32) -> UInt32? {
        var level = [frame]
        for _ in 0..<Self.deepestFrame where !level.isEmpty {
            let states = level.map { ask(.state, of: $0) }
            let trees = level.map { askTree(of: $0) }
            let found = states.map { !numbers($0).isEmpty }
            let children = trees.map { tree($0)?.children ?? [] }
            if let place = found.firstIndex(of: true) { return level[place] }
            level = children.flatMap(\.self)
        }
        return nil
    }

    /// What of a window hides what is behind it: its shape. A dialog or a menu of the window behind it is a part of that. Under a
    /// compositor, what takes no clicks or is more than half transparent is no cover.
    private mutating func cover(_ above: Above, over window: UInt32, _ isComposited: Bool) -> [ScreenRectangle] {
        let client = client(inFrame: above.window)
        let both = [above.window] + (client == above.window ? [] : [client].compactMap(\.self))
        if both.contains(where: { belongs($0, to: window) }) { return [] }
        // Window managers copy it to the frame, or leave it with the client.
        let opacity = isComposited ? both.map { ask(.opacity, of: $0, atMost: 1) } : []
        let shapes = knowsShapes ? askShape(XCB_SHAPE_SK_BOUNDING, of: above.window) : nil
        let input = knowsShapes && isComposited ? askShape(XCB_SHAPE_SK_INPUT, of: above.window) : nil
        let isFaint = opacity.map { numbers($0).first ?? .max }.contains { $0 < Self.halfOpaque }
        let bounding = shapes.flatMap { rectangles($0) }
        let clicks = input.flatMap { rectangles($0) }
        if isFaint || clicks?.isEmpty ?? false { return [] }
        guard let bounding else { return [above.place] }
        return bounding.map { part in
            ScreenRectangle(
                left: above.place.left + part.left, top: above.place.top + part.top, width: part.right - part.left,
                height: part.bottom - part.top)
        }
    }

    // MARK: Questions

    func askPlace(
        of window: UInt32
    ) -> (size: xcb_get_geometry_cookie_t, corner: xcb_translate_coordinates_cookie_t) {
        unsafe (xcb_get_geometry(connection, window), xcb_translate_coordinates(connection, window, root, 0, 0))
    }

    /// On the root window. nil where there is no such window.
    mutating func place(
        _ size: xcb_get_geometry_cookie_t, _ corner: xcb_translate_coordinates_cookie_t, hasBorder: Bool
    ) -> ScreenRectangle? {
        let sized = unsafe answer(size.sequence, as: xcb_get_geometry_reply_t.self)
        defer { unsafe free(sized) }
        let placed = unsafe answer(corner.sequence, as: xcb_translate_coordinates_reply_t.self)
        defer { unsafe free(placed) }
        guard let sized = unsafe sized?.pointee, let placed = unsafe placed?.pointee else { return nil }
        // The corner is that of the inside of the border.
        let border = hasBorder ? Int(sized.border_width) : 0
        return ScreenRectangle(
            left: Int(placed.dst_x) - border, top: Int(placed.dst_y) - border, width: Int(sized.width) + 2 * border,
            height: Int(sized.height) + 2 * border)
    }

    private func askShape(_ kind: xcb_shape_sk_t, of window: UInt32) -> xcb_shape_get_rectangles_cookie_t {
        unsafe xcb_shape_get_rectangles(connection, window, xcb_shape_kind_t(kind.rawValue))
    }

    /// In the window. A window without a shape has one rectangle.
    private mutating func rectangles(_ cookie: xcb_shape_get_rectangles_cookie_t) -> [ScreenRectangle]? {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_shape_get_rectangles_reply_t.self) else { return nil }
        defer { unsafe free(reply) }
        let count = unsafe Int(xcb_shape_get_rectangles_rectangles_length(reply))
        let all = unsafe UnsafeBufferPointer(start: xcb_shape_get_rectangles_rectangles(reply), count: count)
        return unsafe all.map {
            ScreenRectangle(left: Int($0.x), top: Int($0.y), width: Int($0.width), height: Int($0.height))
        }
    }

    private mutating func screens(_ cookie: xcb_randr_get_monitors_cookie_t) -> [ScreenRectangle] {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_randr_get_monitors_reply_t.self) else { return [] }
        defer { unsafe free(reply) }
        var found: [ScreenRectangle] = []
        var iterator = unsafe xcb_randr_get_monitors_monitors_iterator(reply)
        while unsafe iterator.rem > 0 {
            let monitor = unsafe iterator.data.pointee
            found.append(
                ScreenRectangle(
                    left: Int(monitor.x), top: Int(monitor.y), width: Int(monitor.width), height: Int(monitor.height)))
            unsafe xcb_randr_monitor_info_next(&iterator)
        }
        return found
    }

    private mutating func hasOwner(_ cookie: xcb_get_selection_owner_cookie_t) -> Bool {
        guard let reply = unsafe answer(cookie.sequence, as: xcb_get_selection_owner_reply_t.self) else {
            return false
        }
        defer { unsafe free(reply) }
        return unsafe reply.pointee.owner != 0
    }
}
