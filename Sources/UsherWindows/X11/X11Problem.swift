/// Why no server answers at a display.
enum X11Problem: Error {
    /// No server is there, or it does not let us in.
    case absent
    /// It went away in the middle.
    case ended
    /// There is one, and it says nothing: slow is not gone.
    case silent
}
