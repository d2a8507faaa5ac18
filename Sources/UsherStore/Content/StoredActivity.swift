extension Store {
    /// A user activity as it is kept. See the table `activity`.
    public struct StoredActivity: Sendable {
        public enum State: String, Sendable, CaseIterable {
            /// The one of its session.
            case current
            /// Its session lost its window or process: it is handed back when that is launched again.
            case kept
            case resigned
        }

        /// A UUIDv7, 36 characters.
        public var id: String
        public var app: String
        /// nil once the session was closed.
        public var session: String?
        public var state: State
        public var type: String
        public var title: String?
        public var target: String?
        public var persistent: String?
        public var webpage: String?
        /// Whether `userInfo` is older than what the app has. The app is asked for the newer value when it is needed.
        public var needsSave: Bool
        /// Whether a search finds it, as long as it has not expired.
        public var isSearchable: Bool
        public var expires: Int64?
        /// When it last became current: later than any session was used before, whatever the clock says.
        public var became: Int64
        /// When it was last written: later each time.
        public var changed: Int64
        public var resigned: Int64?
        /// The whole activity, a JSON object, as it was given.
        public var document: [UInt8]

        /// Which content it is about: the first of its three durable identifiers.
        public var subject: String? { target ?? persistent ?? webpage }

        /// Each of them once, the preferred first.
        public var identifiers: [String] {
            var list: [String] = []
            for case let id? in [target, persistent, webpage]
            where !list.contains(where: { $0.utf8.elementsEqual(id.utf8) }) {
                list.append(id)
            }
            return list
        }
    }

    /// What is kept of an activity beside its circumstances.
    public struct ActivityContent: Sendable {
        public var type: String
        public var title: String?
        public var target: String?
        public var persistent: String?
        public var webpage: String?
        public var needsSave = false
        /// What a search finds it by; nil where it is not eligible for one.
        public var searchText: ActivitySearchText?
        /// In microseconds since 1970.
        public var expires: Int64?
        /// A JSON object.
        public var document: [UInt8]

        public init(type: String, document: [UInt8]) {
            self.type = type
            self.document = document
        }

        var subject: String? { target ?? persistent ?? webpage }
    }

    public struct ActivitySearchText: Sendable {
        public var title: String
        public var keywords: String
        /// The texts of `contentAttributeSet`.
        public var attributes: String

        public init(title: String, keywords: String, attributes: String) {
            self.title = title
            self.keywords = keywords
            self.attributes = attributes
        }
    }
}

/// Makes activities from rows.
enum ActivityReader {
    static let columns = """
        activity.id, activity.app, activity.session, activity.state, activity.type, activity.title, activity.target, \
        activity.persistent, activity.webpage, activity.needs_save, activity.is_searchable, activity.expires, \
        activity.became, activity.changed, activity.resigned, activity.document
        """

    static func activity(from row: borrowing Statement, path: String) throws(StoreError) -> Store.StoredActivity {
        let id = try row.identifier(0)
        guard let state = Store.StoredActivity.State(rawValue: row.text(3)) else {
            throw .unreadable("activity \(id) has no known state", path: path)
        }
        return Store.StoredActivity(
            id: id, app: row.text(1), session: row.optionalText(2), state: state, type: row.text(4),
            title: row.optionalText(5), target: row.optionalText(6), persistent: row.optionalText(7),
            webpage: row.optionalText(8), needsSave: row.integer(9) != 0, isSearchable: row.integer(10) != 0,
            expires: row.optionalInteger(11), became: row.integer(12), changed: row.integer(13),
            resigned: row.optionalInteger(14), document: row.blob(15))
    }
}
