internal import UsherJSON
public import UsherPayload
internal import UsherTarget
internal import UsherText

/// Makes the notification of one event.
///
/// It is an envelope with an `aps` dictionary, so that all that follows is the same as for any other push; the journal
/// keeps that envelope and not the sender's body.
struct HookMapping {
    let hook: HookDefinition
    let content: HookContent
    let request: HookRequest
    /// Seconds since 1970.
    let now: Int64

    /// - Parameter index: of an element of `each`.
    func notification(of element: HookContent.Element, index: Int?) throws(HookRefusal) -> HookNotification {
        var values: [String: String] = [:]
        for value in hook.values { values[value.name] = try content.text(of: value, from: element) }
        let senderID = try senderID(values, element, index: index)
        let (input, warning) = try envelope(values, of: element)
        var reader = PayloadReader(format: .envelope)
        do throws(PayloadError) {
            var payload = try reader.read(input)
            if let warning { payload = payload.adding(warning) }
            return HookNotification(payload: payload, input: input, senderID: senderID, values: values)
        } catch {
            throw HookRefusal(422, error)
        }
    }

    private func envelope(
        _ values: [String: String], of element: HookContent.Element
    ) throws(HookRefusal) -> ([UInt8], PayloadError?) {
        let target = try hook.target.map { template throws(HookRefusal) in try expand(template, values, element) }
        var json = JSONWriter(escaping: .minimal)
        func text(_ template: HookText?) -> String? {
            guard let text = template?.expand(values), !text.isEmpty else { return nil }
            return text
        }
        let (level, warning) = judged(level: text(hook.level))
        json.beginObject()
        json.beginObject("payload")
        json.beginObject("aps")
        let texts = [("title", text(hook.title)), ("subtitle", text(hook.subtitle)), ("body", text(hook.body))]
        if texts.contains(where: { $0.1 != nil }) {
            json.beginObject("alert")
            for (name, text) in texts { if let text { json.member(name, text) } }
            json.endObject()
        }
        if let thread = text(hook.thread) { json.member("thread-id", thread) }
        if let level { json.member("interruption-level", level) }
        if let target { json.member("target-content-id", target) }
        json.endObject()
        if hook.run != nil { writeRequest(values, to: &json) }
        json.endObject()
        let collapse = text(hook.collapse)
        let expiration = try text(hook.expires).map { text throws(HookRefusal) in try instant(text) }
        if collapse != nil || expiration != nil {
            json.beginObject("headers")
            if let collapse { json.member("apns-collapse-id", collapse) }
            if let expiration { json.member("apns-expiration", String(expiration)) }
            json.endObject()
        }
        if let app = text(hook.app) { json.member("app", app) }
        if let session = text(hook.session) { json.member("session", session) }
        json.endObject()
        return (json.bytes, warning)
    }

    /// What the command of `run` is given, beside the aps dictionary.
    private func writeRequest(_ values: [String: String], to json: inout JSONWriter) {
        json.beginObject(HookCommandInput.member)
        json.beginObject("values")
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        json.endObject()
        if let text = String(validating: request.body, as: UTF8.self) {
            json.member("body", text)
        } else {
            json.member("body_base64", Base64.encode(request.body))
        }
        json.endObject()
    }

    /// A level that is none counts as `active`.
    private func judged(level text: String?) -> (String?, PayloadError?) {
        guard let text, Notification.InterruptionLevel(rawValue: text) == nil else { return (text, nil) }
        let known = Notification.InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
        return (
            Notification.InterruptionLevel.active.rawValue,
            PayloadError(
                .memberValue, "the hook's level is \"\(Excerpt.of(text))\": active is used",
                pointer: "/payload/aps/interruption-level", help: "the levels are \(known); `map` can translate")
        )
    }

    /// Seconds since 1970.
    private func instant(_ text: String) throws(HookRefusal) -> Int64 {
        if text.utf8.count <= 12, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(text) {
            return now + seconds
        }
        if let date = InternetDate.secondsSince1970(text), date.magnitude < 1e12 { return Int64(date.rounded(.down)) }
        throw HookRefusal(
            422, .hookValueType, "`expires` is \"\(Excerpt.of(text))\", which is no number of seconds and no date",
            help: "seconds from now, or a date such as 2026-11-25T09:00:00Z")
    }

    /// A target without one of its values would name something else.
    private func expand(
        _ template: URITemplate, _ values: [String: String], _ element: HookContent.Element
    ) throws(HookRefusal) -> String {
        for name in template.variableNames where values[name] == nil {
            throw missing(name, of: "the target", in: element)
        }
        return try Result { () throws(URITemplateError) in try template.expand(values.mapValues { .string($0) }) }
            .mapError { HookRefusal(422, .hookTarget, "the target cannot be built: \($0.message)") }.get()
    }

    /// The sender's id of an element that cannot be mapped, if that is there.
    func senderIDIfAny(of element: HookContent.Element, index: Int) -> String? {
        var values: [String: String] = [:]
        for value in hook.values { values[value.name] = (try? content.text(of: value, from: element)) ?? nil }
        return (try? senderID(values, element, index: index)) ?? nil
    }

    private func senderID(
        _ values: [String: String], _ element: HookContent.Element, index: Int?
    ) throws(HookRefusal) -> String? {
        let id: String
        var isOfRequest = true
        switch hook.id {
        case .none:
            let found = hook.defaultID.pointer.flatMap { try? content.text(at: .bodyPointer($0), from: content.root) }
            if let found, HookSenderID.isOne(found) {
                id = found
                break
            }
            guard let explicit = try HookSenderID.of(request, hook.defaultID) else { return nil }
            id = explicit
        case .place(let place)?:
            guard let text = try content.text(at: place, from: element) else {
                throw HookRefusal(
                    422, .hookValueMissing, "the id is missing: \(place) is not there",
                    at: content.pointer(of: place, from: element))
            }
            if case .pointer = place { isOfRequest = false }
            id = text
        case .template(let template)?:
            for name in template.names where values[name] == nil { throw missing(name, of: "the id", in: element) }
            isOfRequest = false
            id = template.expand(values)
        }
        // One id for all elements would make all but the first duplicates.
        return try HookSenderID.check(isOfRequest ? index.map { "\(id)/\($0)" } ?? id : id, "the id")
    }

    private func missing(_ name: String, of what: String, in element: HookContent.Element) -> HookRefusal {
        let places = hook.values.first { $0.name == name }?.sources.flatMap(\.places) ?? []
        let names = places.map(\.description)
        let missing =
            names.count > 1
            ? names.dropLast().joined(separator: ", ") + " and \(names[names.count - 1]) are missing or empty"
            : "\(names.first ?? name) is missing"
        return HookRefusal(
            422, .hookValueMissing, "\(what) needs `\(name)`, and \(missing)",
            at: places.first.flatMap { content.pointer(of: $0, from: element) },
            help: "is it the right event? A value may have a `default`")
    }
}

/// The sender's own id of an event, in the head of a request.
public enum HookSenderID {
    /// The headers that have one; the first that is there counts.
    public static let headers = ["webhook-id", "svix-id", "Idempotency-Key"]

    /// More bytes than these are no id.
    private static let limit = 256

    /// - Parameter place: where the sender has ids of its own.
    public static func of(_ request: HookRequest, _ place: HookDefaultID) throws(HookRefusal) -> String? {
        try of(place.headers) { request.values(ofHeader: $0) }
    }

    /// - Parameters:
    ///   - own: headers that are looked at first; of several, one that is empty counts as missing.
    ///   - values: all values of a header.
    /// - Throws: 400 `webhook.header` for an id that is empty, too long, or there several times.
    public static func of(
        _ own: [String] = [], _ values: (String) -> [String]
    ) throws(HookRefusal) -> String? {
        for name in own + headers {
            let values = values(name)
            guard let value = values.first else { continue }
            guard values.count == 1 else {
                throw HookRefusal(
                    400, .webhookHeader, "\(name) is there \(values.count) times", help: "keep one of them")
            }
            // Of several places, an empty one counts as missing.
            if value.isEmpty, own.count > 1, own.contains(name) { continue }
            return try check(name == "Idempotency-Key" ? unquoted(value) : value, name)
        }
        return nil
    }

    /// Whether a text can be an id.
    static func isOne(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= limit }

    static func check(_ value: String, _ name: String) throws(HookRefusal) -> String {
        guard isOne(value) else {
            throw HookRefusal(
                400, .webhookHeader, value.isEmpty ? "\(name) is empty" : "\(name) is longer than \(limit) bytes")
        }
        return value
    }

    /// A string of structured fields (RFC 9651, 3.3.3), as the draft of Idempotency-Key has it, or the value as it is.
    private static func unquoted(_ value: String) -> String {
        guard value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        return String(value.dropFirst().dropLast())
    }
}

/// What the command of a hook's `run` is given: written into the payload by the hook, and read again when it runs.
public struct HookCommandInput: Sendable, Hashable {
    /// The payload's member beside `aps` that has it.
    static let member = "usher-hook"

    public var values: [String: String] = [:]
    /// The body of the request, as it came.
    public var body: [UInt8] = []

    /// nil where the payload has no such member.
    public init?(_ payload: Payload) {
        guard let member = (try? JSONValue(parsing: Array(payload.raw)))?[HookCommandInput.member] else { return nil }
        for value in member["values"]?.members ?? [] { values[value.name] = value.value.string }
        if let text = member["body"]?.string {
            body = Array(text.utf8)
        } else if let text = member["body_base64"]?.string {
            body = Base64.decode(text[...]) ?? []
        }
    }
}
