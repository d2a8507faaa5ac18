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
    case (let text?, let other?): text.utf8.elementsEqual(other.utf8)
    default: false
    }
}
