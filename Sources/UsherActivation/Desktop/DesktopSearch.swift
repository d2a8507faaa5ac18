/// What the search of a desktop finds.
///
/// All calls block, and may come from several threads.
public protocol DesktopSearch: Sendable {
    /// The best first, a handful at most.
    func find(_ text: String) throws(ActivationFailure) -> [FoundItem]
    /// Those of these ids that would still be found, in this order.
    func items(_ ids: [String]) throws(ActivationFailure) -> [FoundItem]
    /// Shows one in its window; returns when that is asked for.
    ///
    /// - Parameter token: the activation token of the desktop, for the window.
    func open(_ id: String, token: String?) throws(ActivationFailure)
}

/// A search result, to be shown.
public struct FoundItem: Sendable, Hashable {
    public var id: String
    public var title: String
    public var subtitle: String
    /// The absolute path of a picture.
    public var icon: String?

    public init(id: String, title: String, subtitle: String, icon: String? = nil) {
        self.id = id
        self.title = title
        self.subtitle = subtitle
        self.icon = icon
    }
}

/// The bus names of the desktop's services that Usher uses, and of its own.
public enum DesktopServiceName {
    public static let notifications = "org.freedesktop.Notifications"
    /// Usher's, for searches.
    public static let search = "org.usher.Usher"
}
