/// What an X server reported by events: every change that may require a new look.
struct X11News {
    /// What the user did with the pointer or the keyboard while this client had grabbed both.
    enum Gesture {
        /// A button, and the child of the root that the pointer was over.
        case press(button: UInt8, over: UInt32)
        case release
        case key(UInt8)
    }

    /// Something happened that a call may wait for.
    var isAny = false
    /// Not just titles and the like, which may change many times a second.
    var isUrgent = false
    /// Another window may be the active one.
    var front = false
    /// The keyboard may go elsewhere.
    var keyboard = false
    /// A window, or its user, may be elsewhere: shown, minimised, on another desktop, closed.
    var place = false
    /// The windows with changed properties or a changed state.
    var changed: Set<UInt32> = []
    /// The windows that are gone; new ones may have their numbers already.
    var destroyed: Set<UInt32> = []
    var gestures: [Gesture] = []
    /// The time of the last stamp that arrived.
    var stamp: UInt32?
}
