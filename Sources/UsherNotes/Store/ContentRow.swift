internal import UsherStore
internal import UsherText

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

// MARK: - Comparing

// By bytes: Swift's `==` takes canonically equivalent texts for equal.

extension ContentRow.Note: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.difference(from: right) == nil }

    /// The first member that differs.
    func difference(from other: Self) -> String? {
        if !one(id, is: other.id) { return "id" }
        if !one(text, is: other.text) { return "text" }
        if !one(state, is: other.state) { return "state" }
        if line != other.line { return "line" }
        if created != other.created { return "created" }
        if changed != other.changed { return "changed" }
        return attachments == other.attachments ? nil : "attachments"
    }
}

extension ContentRow.Attachment: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        one(left.path, is: right.path) && one(left.digest, is: right.digest) && left.size == right.size
            && left.added == right.added
    }
}

extension ContentRow.Link: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.difference(from: right) == nil }

    /// The first member that differs.
    func difference(from other: Self) -> String? {
        if !one(id, is: other.id) { return "id" }
        if !one(note, is: other.note) { return "note" }
        if !one(app, is: other.app) { return "app" }
        if !one(title, is: other.title) { return "title" }
        if created != other.created { return "created" }
        if identifiers != other.identifiers { return "identifiers" }
        return document == other.document ? nil : "activity"
    }
}

extension ContentRow.Identifier: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && one(left.identifier, is: right.identifier)
    }
}

extension ContentRow.Identifier: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        left.kind != right.kind
            ? left.kind < right.kind : left.identifier.utf8.lexicographicallyPrecedes(right.identifier.utf8)
    }
}

extension ContentRow.Redirect: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.number == right.number && left.difference(from: right) == nil
    }

    /// The first member that differs, but for the number.
    func difference(from other: Self) -> String? {
        if isPrefix != other.isPrefix { return "is_prefix" }
        if !one(source, is: other.source) { return "source" }
        if !one(destination, is: other.destination) { return "destination" }
        if made != other.made { return "made" }
        return one(reason, is: other.reason) ? nil : "reason"
    }
}

private func one(_ text: String?, is other: String?) -> Bool {
    switch (text, other) {
    case (nil, nil): true
    case (let text?, let other?): text.hasSameBytes(as: other)
    default: false
    }
}
