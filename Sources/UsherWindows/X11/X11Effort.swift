internal import UsherScene
internal import UsherSystem

/// A window on its way forward.
struct X11Effort {
    let window: UInt32
    let prominence: FocusPolicy.Prominence
    let placement: FocusPolicy.Placement
    /// When it is given up.
    let deadline: Deadline
    var last: X11Wish?
    private var patience = Self.wishPatience
    var isDesktopUnheeded = false
    /// The process that made the window, as it was first seen.
    private let client: Int32?
    /// What is known of the window besides.
    var facts: X11Facts?
    /// When the same is asked for again.
    private(set) var nextWish = Deadline(inMilliseconds: 0)

    /// A request is a wish: unheeded it is said again, with a new time, and each time less soon. A window manager that is slow
    /// because it draws hundreds of windows gets no slower by it.
    private static let wishPatience = 80
    /// Some window managers lose what is asked for in the same breath as another desktop.
    private static let desktopPatience = 250

    init(
        _ window: UInt32, of client: Int32?, _ prominence: FocusPolicy.Prominence, _ placement: FocusPolicy.Placement,
        until deadline: Deadline
    ) {
        self.window = window
        self.client = client
        self.prominence = prominence
        self.placement = placement
        self.deadline = deadline
    }

    /// Whether this can still be the window: its number may have been given to another client's meanwhile.
    func isOf(client: Int32?) -> Bool { client == nil || self.client == nil || client == self.client }

    mutating func note(_ wish: X11Wish) {
        patience = wish == last ? patience * 2 : Self.wishPatience
        last = wish
        if case .desktop = wish {
            nextWish = Deadline(inMilliseconds: Self.desktopPatience)
        } else {
            nextWish = Deadline(inMilliseconds: patience)
        }
    }
}
