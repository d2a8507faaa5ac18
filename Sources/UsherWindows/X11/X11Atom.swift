/// The names that are used beyond the protocol's own: those of ICCCM and of EWMH 1.5, and some of ours. Numbered, because each
/// connection has a number of its own for each, looked up often.
enum X11Atom: Int, CaseIterable {
    case activeWindow
    case clientList
    case stackingList
    case currentDesktop
    case desktopNames
    case desktopOfWindow
    case name
    case supported
    case supportingCheck
    case restack
    case startupID
    case clientLeader
    case state
    case states
    case stateHidden
    case stateAttention
    case typeOfWindow
    case typeDesktop
    case typeDock
    case typeToolbar
    case typeMenu
    case typeUtility
    case typeSplash
    case typeDialog
    case typeNormal
    case typeNotification
    /// Where i3 answers questions of its own.
    case i3Socket
    /// On the root window: which life of the server this is. The server forgets it with all windows.
    case life
    /// On our own window: appended to, it makes the server tell its time.
    case stamp

    var text: String {
        switch self {
        case .activeWindow: "_NET_ACTIVE_WINDOW"
        case .clientList: "_NET_CLIENT_LIST"
        case .stackingList: "_NET_CLIENT_LIST_STACKING"
        case .currentDesktop: "_NET_CURRENT_DESKTOP"
        case .desktopNames: "_NET_DESKTOP_NAMES"
        case .desktopOfWindow: "_NET_WM_DESKTOP"
        case .name: "_NET_WM_NAME"
        case .supported: "_NET_SUPPORTED"
        case .supportingCheck: "_NET_SUPPORTING_WM_CHECK"
        case .restack: "_NET_RESTACK_WINDOW"
        case .startupID: "_NET_STARTUP_ID"
        case .clientLeader: "WM_CLIENT_LEADER"
        case .state: "WM_STATE"
        case .states: "_NET_WM_STATE"
        case .stateHidden: "_NET_WM_STATE_HIDDEN"
        case .stateAttention: "_NET_WM_STATE_DEMANDS_ATTENTION"
        case .typeOfWindow: "_NET_WM_WINDOW_TYPE"
        case .typeDesktop: "_NET_WM_WINDOW_TYPE_DESKTOP"
        case .typeDock: "_NET_WM_WINDOW_TYPE_DOCK"
        case .typeToolbar: "_NET_WM_WINDOW_TYPE_TOOLBAR"
        case .typeMenu: "_NET_WM_WINDOW_TYPE_MENU"
        case .typeUtility: "_NET_WM_WINDOW_TYPE_UTILITY"
        case .typeSplash: "_NET_WM_WINDOW_TYPE_SPLASH"
        case .typeDialog: "_NET_WM_WINDOW_TYPE_DIALOG"
        case .typeNormal: "_NET_WM_WINDOW_TYPE_NORMAL"
        case .typeNotification: "_NET_WM_WINDOW_TYPE_NOTIFICATION"
        case .i3Socket: "I3_SOCKET_PATH"
        case .life: "_USHER_SERVER"
        case .stamp: "_USHER_STAMP"
        }
    }

    /// Windows of these types belong to another window, or to none.
    static let helpers: [X11Atom] = [
        .typeDesktop, .typeDock, .typeToolbar, .typeMenu, .typeUtility, .typeSplash, .typeNotification,
    ]

    /// Properties of the root window that lead to a new look when they change.
    static let ofRoot: [X11Atom] = [
        .activeWindow, .clientList, .stackingList, .currentDesktop, .desktopNames, .supportingCheck,
    ]

    /// Properties of a window, apart from titles, that lead to a new look when they change.
    static let ofWindow: [X11Atom] = [
        .desktopOfWindow, .startupID, .clientLeader, .state, .states, .typeOfWindow,
    ]
}
