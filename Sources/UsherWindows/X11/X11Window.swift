internal import UsherActivation
internal import UsherScene

/// A window that the window manager takes care of.
struct X11Window: Sendable {
    /// What the server says of its being seen.
    enum View: Sendable {
        case unmapped
        /// It would be seen, were what it lies in not hidden: minimised, on another desktop, behind a tab.
        case inside
        case viewable
    }

    var id: UInt32
    var title = ""
    /// The words of WM_CLASS (ICCCM 4.1.2.5).
    var windowClass: String?
    var instance: String?
    var process: Int32?
    var startupID: String?
    var sharesStartupID = false
    /// nil on all desktops, or where there is only one.
    var desktop: UInt32?
    var isHelper = false
    var isHidden = false
    var wantsAttention = false
    var view: View = .unmapped

    var handle: String { X11Handle(id).text }

    /// For messages.
    var text: String { "\(title.isEmpty ? windowClass ?? "a window" : title) (\(handle))" }

    /// - Parameter life: of the server, as `X11WindowSystem.server` names it.
    func listed(at moment: X11Moment, life: String?) -> WindowList.Window {
        let group = desktop.map { moment.name(ofDesktop: $0) } ?? windowClass ?? ""
        let server = life.map { WindowServer.text($0, client: process) }
        var window = WindowList.Window(handle: handle, title: title, group: group, server: server)
        window.windowClass = windowClass
        window.instance = instance
        window.process = process
        window.startupID = startupID
        window.sharesStartupID = sharesStartupID
        window.activation = activation(at: moment)
        return window
    }

    private func activation(at moment: X11Moment) -> ActivationState {
        if moment.front == id, moment.hasKeyboard { return .foregroundActive }
        guard view == .viewable, !isHidden else { return .background }
        // Where windows are composed, those of other desktops stay mapped.
        let isHere = desktop == nil || moment.desktop == nil || desktop == moment.desktop
        return isHere || moment.hasManyScreens ? .foregroundInactive : .background
    }
}
