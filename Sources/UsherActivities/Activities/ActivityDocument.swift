internal import UsherEngine
internal import UsherJSON
package import UsherOperation
internal import UsherPayload
internal import UsherScene
package import UsherStore
internal import UsherTarget
internal import UsherText

/// A user activity as its app wrote it, and what was read from it.
///
/// It is read by the reader of payloads, so that an activity is valid here exactly where it is in a push.
package struct ActivityDocument {
    /// A JSON object, byte for byte as it was given.
    private let bytes: [UInt8]
    let activity: UserActivity
    /// What is probably a mistake, for people.
    let warnings: [String]

    /// A larger activity is refused.
    static let sizeLimit = 128 * 1024

    package init(_ bytes: [UInt8]) throws(ControlError) {
        try ActivityDocument.checkSize(bytes.count)
        var reader = PayloadReader(format: .activity)
        do throws(PayloadError) {
            let payload = try reader.read(bytes)
            guard case .userActivity(let activity) = payload.carrier else {
                throw PayloadError(.jsonTopLevelNotObject, "this is no user activity")
            }
            self.activity = activity
            self.bytes = Array(payload.raw)
            warnings = payload.warnings.map { "\($0.message) (\($0.help))" }
        } catch {
            throw .activity(error)
        }
    }

    /// With the members of a partial activity in place of its own; null takes a member away. Everything else stays as it
    /// was written.
    package func merging(_ patch: [UInt8]) throws(ControlError) -> ActivityDocument {
        try ActivityDocument.checkSize(patch.count)
        var (old, new) = (JSONDocument(), JSONDocument())
        do throws(JSONError) {
            try old.parse(bytes)
            try new.parse(patch)
        } catch {
            throw .activity(PayloadError(error))
        }
        guard let oldRoot = old.root, let newRoot = new.root, new.kind(newRoot) == .object else {
            throw .argument("activity is not an object", at: "/activity")
        }
        var given: [(name: ArraySlice<UInt8>, member: JSONMember, isUsed: Bool)] = new.members(newRoot).map {
            (new.stringBytes($0.key), $0, false)
        }
        // A document with a fresh userInfo counts as saved.
        let hasFresh = given.contains { $0.name.elementsEqual("userInfo".utf8) && new.kind($0.member.value) != .null }
        let saysWhether = given.contains { $0.name.elementsEqual("needsSave".utf8) }
        // New attributes are about another place than the map item of the old ones.
        let hasAttributes = given.contains { $0.name.elementsEqual("contentAttributeSet".utf8) }
        var result: [UInt8] = [UInt8(ascii: "{")]
        func append(_ member: JSONMember, key: ArraySlice<UInt8>, of document: borrowing JSONDocument) {
            if result.count > 1 { result.append(UInt8(ascii: ",")) }
            result += key
            result.append(UInt8(ascii: ":"))
            result += document.raw(member.value)
        }
        for member in old.members(oldRoot) {
            let name = old.stringBytes(member.key)
            if let place = given.firstIndex(where: { $0.name == name }) {
                given[place].isUsed = true
                guard new.kind(given[place].member.value) != .null else { continue }
                append(given[place].member, key: old.raw(member.key), of: new)
            } else if !(hasFresh && !saysWhether && name.elementsEqual("needsSave".utf8)),
                !(hasAttributes && name.elementsEqual("mapItem".utf8))
            {
                append(member, key: old.raw(member.key), of: old)
            }
        }
        for entry in given where !entry.isUsed && new.kind(entry.member.value) != .null {
            append(entry.member, key: new.raw(entry.member.key), of: new)
        }
        result.append(UInt8(ascii: "}"))
        return try ActivityDocument(result)
    }

    private static func checkSize(_ count: Int) throws(ControlError) {
        guard count <= sizeLimit else {
            throw ControlError(
                .activityTooLarge, "the activity has \(count) bytes, and may have \(sizeLimit)",
                at: "/activity",
                help: "userInfo leads back to the content; it is not the content: keep it under"
                    + " 3072 bytes")
        }
    }
}

extension ActivityDocument {
    /// What the store keeps.
    package var content: Store.ActivityContent {
        var content = Store.ActivityContent(type: activity.activityType, document: bytes)
        content.title = activity.title
        content.target = activity.targetContentIdentifier
        content.persistent = activity.persistentIdentifier
        content.webpage = activity.webpageURL
        content.needsSave = activity.needsSave
        content.expires = activity.expirationDate.map { seconds in
            Int64(exactly: (seconds * 1_000_000).rounded(.down)) ?? (seconds < 0 ? .min : .max)
        }
        if let value = activity.contentAttributeSet.flatMap({ try? JSONValue(parsing: Array($0)) }),
            let attributes = try? ContentAttributes(stored: value, mapItem: nil)
        {
            content.kinds = attributes.suggestionKinds
        }
        // What leads nowhere takes no part in a search.
        if activity.isEligibleForSearch, activity.subject != nil {
            content.searchText = Store.ActivitySearchText(
                title: activity.title ?? "", keywords: activity.keywords.joined(separator: "\n"),
                attributes: ActivityDocument.texts(in: activity.contentAttributeSet))
        }
        return content
    }

    /// All strings in an object that are values, in their order.
    private static func texts(in object: ArraySlice<UInt8>?) -> String {
        guard let object, let value = try? JSONValue(parsing: Array(object)) else { return "" }
        var texts: [String] = []
        var work = [value]
        while let next = work.popLast() {
            switch next {
            case .string(let text): texts.append(text)
            case .array(let elements): work += elements.reversed()
            case .object(let members): work += members.reversed().map(\.value)
            case .null, .boolean, .number: continue
            }
        }
        return texts.joined(separator: "\n")
    }
}

extension ContentAttributes {
    /// In which they can be offered.
    fileprivate var suggestionKinds: Set<SuggestionKind> {
        var kinds: Set<SuggestionKind> = [.text]
        if isPlace { kinds.insert(.place) }
        if isPerson { kinds.insert(.contact) }
        if isMedia { kinds.insert(.media) }
        return kinds
    }
}

extension ControlError {
    /// An activity that cannot be read.
    fileprivate static func activity(_ error: PayloadError) -> ControlError {
        ControlError(
            error.code,
            "the activity cannot be taken: \(error.message) [\(error.code)]",
            at: "/activity", offset: error.offset, help: error.help)
    }
}
