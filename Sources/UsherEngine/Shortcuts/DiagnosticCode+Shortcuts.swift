public import UsherScene

// U64xx: dynamic shortcut items that an app cannot have. Nothing is changed then.
extension DiagnosticCode {
    /// The app declares an item of that type in its manifest.
    /// Remedy: give the dynamic item another type, or change the manifest.
    public static let shortcutStatic = DiagnosticCode("U6401", "shortcut.static")
    /// Two items of one call have the same type.
    /// Remedy: give each item a type of its own.
    public static let shortcutDuplicate = DiagnosticCode("U6402", "shortcut.duplicate")
    /// The item has no title.
    /// Remedy: add `localizedTitle`.
    public static let shortcutNoTitle = DiagnosticCode("U6403", "shortcut.localized-title.missing")
    /// The app would have more than 100 dynamic items.
    /// Remedy: remove some first: `usher shortcut remove TYPE`.
    public static let shortcutTooMany = DiagnosticCode("U6404", "shortcut.too-many")
    /// An item is longer than 16 KiB.
    /// Remedy: put less into its `userInfo`.
    public static let shortcutTooLarge = DiagnosticCode("U6405", "shortcut.too-large")
}
