/// A note, a link or a redirect with everything that the store has of it: what is exported and imported.
public enum ContentRow: Sendable, Equatable {
    case note(Note)
    case link(Link)
    case redirect(Redirect)

    public struct Note: Sendable {
        public var id: String
        public var text: String
        public var state: String
        public var line: Int64
        public var created: Int64
        public var changed: Int64
        public var attachments: [Attachment]

        public static let states = ["current", "aside", "done"]

        public init(
            id: String, text: String, state: String, line: Int64, created: Int64, changed: Int64,
            attachments: [Attachment]
        ) {
            self.id = id
            self.text = text
            self.state = state
            self.line = line
            self.created = created
            self.changed = changed
            self.attachments = attachments
        }
    }

    public struct Attachment: Sendable {
        public var path: String?
        public var digest: String?
        public var size: Int64?
        public var added: Int64

        public init(path: String?, digest: String?, size: Int64?, added: Int64) {
            self.path = path
            self.digest = digest
            self.size = size
            self.added = added
        }
    }

    public struct Link: Sendable {
        public var id: String
        /// The id of its note.
        public var note: String
        public var app: String?
        public var title: String?
        public var created: Int64
        /// In the order of their kinds, then of their bytes.
        public var identifiers: [Identifier]
        /// The activity that it was made from, byte for byte.
        public var document: [UInt8]?

        public init(
            id: String, note: String, app: String?, title: String?, created: Int64, identifiers: [Identifier],
            document: [UInt8]?
        ) {
            self.id = id
            self.note = note
            self.app = app
            self.title = title
            self.created = created
            self.identifiers = identifiers
            self.document = document
        }
    }

    public struct Identifier: Sendable {
        /// As in `link_identifier`.
        public var kind: Int64
        public var identifier: String

        /// The names of the kinds, from 1.
        public static let kinds = ["targetContentIdentifier", "persistentIdentifier", "webpageURL"]

        public init(kind: Int64, identifier: String) {
            self.kind = kind
            self.identifier = identifier
        }
    }

    public struct Redirect: Sendable {
        public var number: Int64
        public var source: String
        /// nil for a tombstone.
        public var destination: String?
        public var isPrefix: Bool
        public var made: Int64
        public var reason: String?

        public init(
            number: Int64, source: String, destination: String?, isPrefix: Bool, made: Int64, reason: String?
        ) {
            self.number = number
            self.source = source
            self.destination = destination
            self.isPrefix = isPrefix
            self.made = made
            self.reason = reason
        }
    }
}
