extension Notification {
    /// The text of a notification, literal or as keys into the app's string table.
    public struct Alert: Hashable, Sendable {
        public var title: String?
        public var subtitle: String?
        public var body: String?
        public var titleLocalization: Localization?
        public var subtitleLocalization: Localization?
        public var bodyLocalization: Localization?
        /// The image shown while the app is launched.
        public var launchImage: String?
        /// Titles of the one button of older systems.
        public var action: String?
        public var actionLocalizationKey: String?

        public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
        }

        /// Says whether there is any text, or a key that stands for one.
        public var isDisplayable: Bool {
            title?.isEmpty == false || subtitle?.isEmpty == false || body?.isEmpty == false
                || titleLocalization != nil || subtitleLocalization != nil || bodyLocalization != nil
        }
    }

    /// A key of the app's string table and what replaces its `%@`, left to right.
    public struct Localization: Hashable, Sendable {
        public var key: String
        public var arguments: [String]

        public init(key: String, arguments: [String] = []) {
            self.key = key
            self.arguments = arguments
        }
    }
}
