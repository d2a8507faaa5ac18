public import UsherScene

/// A quick action of an app, in Apple's property names (`UIApplicationShortcutItem`).
///
/// With `type` alone it stands for the item of that type in the app's manifest.
public struct ShortcutItem: Sendable {
    public var type: String
    public var localizedTitle: String?
    public var localizedSubtitle: String?
    public var icon: ShortcutIcon?
    /// An object's bytes as sent.
    public var userInfo: ArraySlice<UInt8>?
    /// Which window to bring forward: opaque.
    public var targetContentIdentifier: String?
}
