internal import UsherJSON
internal import UsherLog
internal import UsherPayload
internal import UsherStore
internal import UsherText

/// An activity as JSON, the same for every interface (socket, HTTP, command line).
enum ActivityAnswer {
    /// - Parameter isCurrent: whether it is the system's.
    static func value(_ activity: Store.StoredActivity, isCurrent: Bool) -> JSONValue {
        let document = (try? JSONValue(parsing: activity.document)).map(filled)
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        func time(_ microseconds: Int64?) -> JSONValue {
            text(microseconds.map { Instant(microseconds: $0).text })
        }
        let members: KeyValuePairs<String, JSONValue> = [
            "id": .string(activity.id), "app": .string(activity.app), "session": text(activity.session),
            "state": .string(activity.state.rawValue), "is_current": .boolean(isCurrent),
            "type": .string(activity.type), "title": text(activity.title), "target": text(activity.target),
            "persistent": text(activity.persistent), "webpage": text(activity.webpage),
            "needs_save": .boolean(activity.needsSave), "became": time(activity.became),
            "changed": time(activity.changed), "resigned": time(activity.resigned), "expires": time(activity.expires),
            "version": document?["version"] ?? .null, "activity": document ?? .null,
        ]
        return .object(members.map { JSONValue.Member($0.key, $0.value) })
    }
    /// The activity as it was given; where it has a map item, with the attributes that this fills.
    private static func filled(_ document: JSONValue) -> JSONValue {
        guard let mapItem = document["mapItem"], var members = document.members,
            let attributes = try? ContentAttributes(document["contentAttributeSet"], mapItem: mapItem)
        else { return document }
        let name = "contentAttributeSet"
        if let place = members.firstIndex(where: { $0.name == name }) {
            members[place].value = attributes.json
        } else {
            members.append(.init(name, attributes.json))
        }
        return .object(members)
    }
}
