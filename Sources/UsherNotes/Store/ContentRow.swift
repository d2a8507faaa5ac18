public import UsherStore
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
        public var attachments: [Store.Attachment]

        public static let states = ["current", "aside", "done"]
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
    }

    public struct Identifier: Sendable {
        /// As in `link_identifier`.
        public var kind: Int64
        public var identifier: String

        /// The names of the kinds, from 1.
        public static let kinds = ["targetContentIdentifier", "persistentIdentifier", "webpageURL"]
    }

    public struct Redirect: Sendable {
        public var number: Int64
        public var source: String
        /// nil for a tombstone.
        public var destination: String?
        public var isPrefix: Bool
        public var made: Int64
        public var reason: String?
    }
}

// MARK: - Comparing

// By bytes: Swift's `==` takes canonically equivalent texts for equal.

extension ContentRow.Note: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.difference(from: right) == nil }

    /// The first member that differs.
    func difference(from other: Self) -> String? {
        if !id.hasSameBytes(as: other.id) { return "id" }
        if !text.hasSameBytes(as: other.text) { return "text" }
        if !state.hasSameBytes(as: other.state) { return "state" }
        if line != other.line { return "line" }
        if created != other.created { return "created" }
        if changed != other.changed { return "changed" }
        return attachments == other.attachments ? nil : "attachments"
    }
}

extension Store.Attachment: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.path.hasSameBytes(as: right.path) && left.digest.hasSameBytes(as: right.digest) && left.size == right.size
            && left.added == right.added
    }
}

extension ContentRow.Link: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.difference(from: right) == nil }

    /// The first member that differs.
    func difference(from other: Self) -> String? {
        if !id.hasSameBytes(as: other.id) { return "id" }
        if !note.hasSameBytes(as: other.note) { return "note" }
        if !app.hasSameBytes(as: other.app) { return "app" }
        if !title.hasSameBytes(as: other.title) { return "title" }
        if created != other.created { return "created" }
        if identifiers != other.identifiers { return "identifiers" }
        return document == other.document ? nil : "activity"
    }
}

extension ContentRow.Identifier: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.identifier.hasSameBytes(as: right.identifier)
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
        if !source.hasSameBytes(as: other.source) { return "source" }
        if !destination.hasSameBytes(as: other.destination) { return "destination" }
        if made != other.made { return "made" }
        return reason.hasSameBytes(as: other.reason) ? nil : "reason"
    }
}
