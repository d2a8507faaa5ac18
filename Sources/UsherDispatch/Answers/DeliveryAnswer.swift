public import UsherJSON
internal import UsherLog
internal import UsherScene
public import UsherStore
internal import UsherText

/// A delivery as JSON, the same for every interface (socket, HTTP, command line).
public enum DeliveryAnswer {
    /// Everything but input, record and explanation, as in a list.
    ///
    /// - Parameter short: the shortest beginning of its id that no other delivery's has.
    static func writeSummary(of delivery: Store.StoredDelivery, short: String, to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(of: delivery, short: short, to: &json)
        json.endObject()
    }

    /// Everything about one.
    ///
    /// - Parameters:
    ///   - short: the shortest beginning of its id that no other delivery's has.
    ///   - explanation: what decided it, JSON.
    public static func write(
        _ delivery: Store.StoredDelivery, short: String, explanation: String?, to json: inout JSONWriter
    ) {
        json.beginObject()
        writeMembers(of: delivery, short: short, to: &json)
        if let original = delivery.original { json.member("duplicate_of", original) }
        if let notification = delivery.notification { write(notification, to: &json) }
        member("record", delivery.record, &json)
        json.member("input", String(decoding: delivery.input, as: UTF8.self))
        member("explanation", explanation, &json)
        json.endObject()
    }

    private static func writeMembers(of delivery: Store.StoredDelivery, short: String, to json: inout JSONWriter) {
        json.member("id", delivery.id)
        json.member("short", short)
        json.member("sender_id", delivery.senderID)
        json.member("state", delivery.state.rawValue)
        json.member("accepted", Instant(microseconds: delivery.accepted).text)
        json.member("finished", delivery.finished.map { Instant(microseconds: $0).text })
        json.member("source", delivery.source)
        json.member("format", delivery.format)
        json.member("app", delivery.app)
        json.member("target", delivery.target)
        json.member("resolved", delivery.resolved)
        json.member("scene", delivery.scene)
        json.member("session", delivery.session)
        json.member("action", delivery.action?.rawValue)
        json.member("reason", delivery.reason?.rawValue)
        json.member("attempts", delivery.attempts)
        json.member("config", delivery.configuration)
        if let parent = delivery.parent { json.member("parent", parent) }
        if let response = delivery.response { json.member("notification_action", response) }
    }

    private static func write(_ notification: Store.StoredNotification, to json: inout JSONWriter) {
        json.key("notification")
        json.beginObject()
        json.member("number", Int64(notification.number))
        json.member("server", notification.server)
        json.member("state", notification.state.rawValue)
        json.member("shown", Instant(microseconds: notification.shown).text)
        json.member("ended", notification.ended.map { Instant(microseconds: $0).text })
        json.member("action", notification.response)
        json.endObject()
    }

    /// What is stored as JSON text stays JSON.
    private static func member(_ name: String, _ text: String?, _ json: inout JSONWriter) {
        json.key(name)
        if let text, let value = try? JSONValue(parsing: Array(text.utf8), maximumDepth: 1024) {
            json.value(value)
        } else {
            json.null()
        }
    }
}
