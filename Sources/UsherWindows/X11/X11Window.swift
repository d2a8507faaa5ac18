internal import CXcb
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
    /// The window that it is a dialog of (ICCCM 4.1.2.6, WM_TRANSIENT_FOR).
    var owner: UInt32?
    var isHidden = false
    var wantsAttention = false
    var view: View = .unmapped

    var handle: String { X11Handle(id).text }

    /// For messages.
    var text: String { "\(title.isEmpty ? windowClass ?? "a window" : title) (\(handle))" }

    /// - Parameter life: of the server, as `X11WindowSystem.server` names it.
    func listed(at snapshot: X11DesktopSnapshot, life: String?) -> WindowList.Window {
        let group = desktop.map { snapshot.name(ofDesktop: $0) } ?? windowClass ?? ""
        let server = life.map { WindowServer.text($0, client: process) }
        var window = WindowList.Window(handle: handle, title: title, group: group, server: server)
        window.windowClass = windowClass
        window.instance = instance
        window.process = process
        window.startupID = startupID
        window.sharesStartupID = sharesStartupID
        window.activation = activation(at: snapshot)
        return window
    }

    /// The window that it is part of: a dialog is part of its owner, where that is one of the windows; else it stands for itself.
    static func scene(of id: UInt32, among windows: (UInt32) -> X11Window?) -> UInt32 {
        var current = id
        // In a circle of owners each stands for itself.
        for _ in 0..<8 {
            guard let owner = windows(current)?.owner, let next = windows(owner), !next.isHelper else { break }
            current = owner
            if owner == id { break }
        }
        return current
    }

    private func activation(at snapshot: X11DesktopSnapshot) -> ActivationState {
        if snapshot.front == id, snapshot.hasKeyboard { return .foregroundActive }
        guard view == .viewable, !isHidden else { return .background }
        // Where windows are composed, those of other desktops stay mapped.
        let isHere = desktop == nil || snapshot.desktop == nil || desktop == snapshot.desktop
        return isHere || snapshot.hasManyScreens ? .foregroundInactive : .background
    }
}

/// A window of an X server: `x11:0x1400007`.
struct X11Handle: Sendable, Hashable {
    private static let prefix = "x11:0x"

    let window: UInt32

    init(_ window: UInt32) { self.window = window }

    init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let digits = Substring(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard digits.utf8.first != UInt8(ascii: "+"), let window = UInt32(digits, radix: 16), window != 0 else {
            return nil
        }
        self.window = window
    }

    var text: String { Self.prefix + String(window, radix: 16) }
}

/// Further facts about a window, which can be queried while its window manager is still busy with it.
struct X11Facts {
    var title: String
    var process: Int32?
    var children: [UInt32]

    /// Answers that are on their way.
    struct Asked {
        fileprivate var name, oldName: xcb_get_property_cookie_t
        fileprivate var process: xcb_res_query_client_ids_cookie_t?
        fileprivate var tree: xcb_query_tree_cookie_t
    }
}

extension X11Connection {
    func askFacts(of window: UInt32) -> X11Facts.Asked {
        X11Facts.Asked(
            name: ask(.name, of: window, atMost: Self.longestText),
            oldName: ask(XCB_ATOM_WM_NAME.rawValue, of: window, atMost: Self.longestText),
            process: askProcess(of: window), tree: askTree(of: window))
    }

    /// Every answer is to be taken once: the library keeps it otherwise.
    mutating func facts(_ asked: X11Facts.Asked) -> X11Facts {
        let (name, oldName) = (text(asked.name), text(asked.oldName))
        return X11Facts(
            title: name ?? oldName ?? "", process: process(asked.process), children: tree(asked.tree)?.children ?? [])
    }
}
