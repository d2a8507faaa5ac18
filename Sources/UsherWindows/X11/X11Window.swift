internal import UsherActivation

/// A window that the window manager takes care of.
struct X11Window: Sendable {
    var id: UInt32
    var title: String
    /// The second word of WM_CLASS.
    var kind: String
    var process: Int32?
    /// nil on all desktops, or where there is only one.
    var desktop: UInt32?
    var isHelper: Bool

    var handle: String { X11Handle(id).text }

    /// For messages.
    var text: String { "\(title.isEmpty ? kind : title) (\(handle))" }

    var listed: WindowList.Window {
        WindowList.Window(handle: handle, title: title, group: desktop.map { "desktop \(UInt64($0) + 1)" } ?? kind)
    }
}
