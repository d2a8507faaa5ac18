public import UsherPredicate

/// Identifies the windows of a scene: all given patterns must match.
///
/// Each pattern is compared as a whole, with `*` for any text and `?` for one character (`LIKE`, case and diacritics count).
public struct WindowRule: Sendable {
    /// `WM_CLASS`, class part (X11).
    public var windowClass: Pattern?
    /// `WM_CLASS`, instance part (X11).
    public var instance: Pattern?
    /// `app_id` of a Wayland window; of an X11 window its class.
    public var appID: Pattern?
    public var title: Pattern?
    /// The name of a browser, as its extension says it: `firefox`, `chromium`.
    public var browser: Pattern?
    /// The address of one of its tabs.
    public var tab: Pattern?
    public var location: SourceLocation

    public init(location: SourceLocation) { self.location = location }

    public struct Pattern: Sendable, Hashable {
        /// As it is written.
        public var text: String
        private let predicate: ScenePredicate

        public init(_ text: String) throws(PredicateError) {
            self.text = text
            var quoted = ""
            for scalar in text.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { quoted += "\\" }
                quoted.unicodeScalars.append(scalar)
            }
            predicate = try ScenePredicate(parsing: "SELF LIKE \"\(quoted)\"")
        }

        public func matches(_ value: String?) -> Bool { value.map { predicate.evaluate($0) } ?? false }
    }

    /// Whether it is about what browsers say of themselves, which no desktop knows.
    public var isOfBrowsers: Bool { browser != nil || tab != nil }

    public var isEmpty: Bool {
        [windowClass, instance, appID, title, browser, tab].allSatisfy { $0 == nil }
    }
}
