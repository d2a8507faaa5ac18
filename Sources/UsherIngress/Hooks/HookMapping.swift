internal import UsherHTTP
internal import UsherHook
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherTarget

/// Makes notifications of one request to a hook.
///
/// Each is an envelope with an `aps` dictionary, so that all that follows is the same as for any other push; the journal
/// keeps that envelope and not the sender's body.
struct HookMapping: Sendable {
    struct Notification: Sendable {
        var payload: Payload
        var input: [UInt8]
        var senderID: String?
    }

    /// More elements than these are not taken in one request.
    private static let elementLimit = 1000

    let hook: HookDefinition
    let request: HTTPRequest
    let query: QueryString

    init(_ hook: HookDefinition, _ request: HTTPRequest) {
        self.hook = hook
        self.request = request
        query = QueryString(of: request)
    }

    /// The notifications, in the order of the body; at least one.
    func notifications() throws(Refusal) -> [Notification] {
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(request.body)
        } catch {
            throw Refusal(PayloadError(error))
        }
        guard let root = document.root else { return [] }
        for condition in hook.conditions { try judge(condition, document, root) }
        guard let each = hook.each else { return [try notification(document, root, root, index: nil)] }
        var notifications: [Notification] = []
        for (index, element) in try elements(each, document, root).enumerated() {
            notifications.append(try notification(document, root, element, index: index))
        }
        return notifications
    }

    private func elements(
        _ each: JSONReference, _ document: JSONDocument, _ root: JSONElement
    ) throws(Refusal) -> [JSONElement] {
        guard let array = document.value(at: each, from: root), document.kind(array) == .array else {
            let found = document.value(at: each, from: root).map { document.kind($0).phrase } ?? "nothing"
            throw Refusal(422, .hookElements, "\(each.text) is \(found), not an array", at: each.text)
        }
        let elements = document.elements(array)
        guard !elements.isEmpty else { throw Refusal(422, .hookElements, "\(each.text) is empty", at: each.text) }
        guard elements.count <= HookMapping.elementLimit else {
            throw Refusal(
                422, .hookElements, "\(each.text) has more than \(HookMapping.elementLimit) elements", at: each.text)
        }
        return elements
    }

    private func notification(
        _ document: JSONDocument, _ root: JSONElement, _ element: JSONElement, index: Int?
    ) throws(Refusal) -> Notification {
        var values: [String: String] = [:]
        for value in hook.values {
            values[value.name] = try text(value.place, document, root, element) ?? value.fallback
        }
        let senderID = try senderID(values, document, root, element, index: index)
        let input = try envelope(values)
        var reader = PayloadReader(format: .envelope)
        do throws(PayloadError) {
            return Notification(payload: try reader.read(input), input: input, senderID: senderID)
        } catch {
            throw Refusal(error, status: 422)
        }
    }

    private func envelope(_ values: [String: String]) throws(Refusal) -> [UInt8] {
        let target = try hook.target.map { template throws(Refusal) in try expand(template, values) }
        var json = JSONWriter(escaping: .minimal)
        func text(_ template: HookText?) -> String? {
            guard let text = template?.expand(values), !text.isEmpty else { return nil }
            return text
        }
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
        if let level = hook.level { json.member("interruption-level", level.rawValue) }
        if let target { json.member("target-content-id", target) }
        json.endObject()
        json.endObject()
        if let collapse = text(hook.collapse) {
            json.beginObject("headers")
            json.member("apns-collapse-id", collapse)
            json.endObject()
        }
        if let app = hook.app { json.member("app", app) }
        json.endObject()
        return json.bytes
    }

    /// A target without one of its values would name something else.
    private func expand(_ template: URITemplate, _ values: [String: String]) throws(Refusal) -> String {
        for name in template.variableNames where values[name] == nil { throw missing(name, of: "the target") }
        do throws(URITemplateError) {
            return try template.expand(values.mapValues { .string($0) })
        } catch {
            throw Refusal(422, .hookTarget, "the target cannot be built: \(error.message)")
        }
    }

    private func senderID(
        _ values: [String: String], _ document: JSONDocument, _ root: JSONElement, _ element: JSONElement, index: Int?
    ) throws(Refusal) -> String? {
        let id: String
        var isOfRequest = true
        switch hook.id {
        case .none:
            guard let explicit = try ExplicitIdentity.of(request) else { return nil }
            id = explicit
        case .place(let place)?:
            guard let text = try text(place, document, root, element) else {
                throw Refusal(422, .hookValueMissing, "the id is missing: there is no \(place)", at: place.pointer)
            }
            if case .pointer = place { isOfRequest = false }
            id = text
        case .template(let template)?:
            for name in template.names where values[name] == nil { throw missing(name, of: "the id") }
            isOfRequest = false
            id = template.expand(values)
        }
        // One id for all elements would make all but the first duplicates.
        return try ExplicitIdentity.check(isOfRequest ? index.map { "\(id)/\($0)" } ?? id : id, "the id")
    }

    private func missing(_ name: String, of what: String) -> Refusal {
        let place = hook.values.first { $0.name == name }?.place
        return Refusal(
            422, .hookValueMissing, "\(what) needs `\(name)`, and there is no \(place?.description ?? name)",
            at: place?.pointer, help: "is it the right event? A value may have a `default`")
    }

    /// What is at a place, as text: numbers and booleans as they are written. Nil where there is nothing, or null.
    func text(
        _ place: HookPlace, _ document: JSONDocument, _ root: JSONElement, _ element: JSONElement
    ) throws(Refusal) -> String? {
        let found: JSONElement?
        switch place {
        case .header(let name): return request.fields[name]
        case .query(let name): return query[name]
        case .pointer(let reference): found = document.value(at: reference, from: element)
        case .bodyPointer(let reference): found = document.value(at: reference, from: root)
        }
        guard let found else { return nil }
        switch document.kind(found) {
        case .null: return nil
        case .string: return document.string(found)
        case .number, .boolean: return String(decoding: document.raw(found), as: UTF8.self)
        case .array, .object:
            throw Refusal(
                422, .hookValueType, "\(place) is \(document.kind(found).phrase), and text is needed",
                at: document.pointer(found), help: "point to a member of it")
        }
    }
}

extension HookPlace {
    /// The pointer, for `at`.
    var pointer: String? {
        switch self {
        case .pointer(let reference), .bodyPointer(let reference): reference.text
        case .header, .query: nil
        }
    }
}

// MARK: - Conditions

extension HookMapping {
    /// What is found at a place, with its kind.
    private enum Found {
        case nothing
        case text(String)
        case number(Int64?, String)
        case boolean(Bool)
        case container(JSONKind)
    }

    /// Throws what was found and what was wanted, where a condition does not hold.
    func judge(_ condition: HookCondition, _ document: JSONDocument, _ root: JSONElement) throws(Refusal) {
        let found = found(condition.place, document, root)
        let holds =
            switch condition.test {
            case .exists(let isWanted): if case .nothing = found { !isWanted } else { isWanted }
            case .prefix(let prefix):
                if case .text(let text) = found { text.utf8.starts(with: prefix.utf8) } else { false }
            case .equals(let constants): constants.contains { HookMapping.isSame(found, $0, condition.place) }
            }
        guard !holds else { return }
        throw Refusal(
            422, .hookNoMatch,
            "\(condition.place) is \(HookMapping.phrase(found)), and \(HookMapping.phrase(condition.test)) is wanted",
            at: condition.place.pointer,
            help: "this is the condition at \(condition.location); nothing was done")
    }

    private func found(_ place: HookPlace, _ document: JSONDocument, _ root: JSONElement) -> Found {
        switch place {
        case .header(let name): return request.fields[name].map { .text($0) } ?? .nothing
        case .query(let name): return query[name].map { .text($0) } ?? .nothing
        case .pointer(let reference), .bodyPointer(let reference):
            guard let element = document.value(at: reference, from: root) else { return .nothing }
            switch document.kind(element) {
            case .null: return .nothing
            case .string: return .text(document.string(element) ?? "")
            case .number: return .number(document.int64(element), document.numberText(element) ?? "")
            case .boolean: return .boolean(document.boolean(element) ?? false)
            case .array, .object: return .container(document.kind(element))
            }
        }
    }

    private static func isSame(_ found: Found, _ constant: HookCondition.Constant, _ place: HookPlace) -> Bool {
        switch (found, constant) {
        case (.text(let text), .string(let wanted)): text.utf8.elementsEqual(wanted.utf8)
        case (.number(let number, _), .integer(let wanted)): number == wanted
        case (.boolean(let value), .boolean(let wanted)): value == wanted
        // Headers and queries have text only.
        case (.text(let text), _) where place.pointer == nil: text.utf8.elementsEqual(constant.text.utf8)
        default: false
        }
    }

    private static func phrase(_ found: Found) -> String {
        switch found {
        case .nothing: "missing"
        case .text(let text): "\"\(Refusal.printable(text))\""
        case .number(_, let text): Refusal.printable(text)
        case .boolean(let value): String(value)
        case .container(let kind): kind.phrase
        }
    }

    private static func phrase(_ test: HookCondition.Test) -> String {
        switch test {
        case .exists(let isWanted): isWanted ? "anything" : "nothing"
        case .prefix(let prefix): "text that begins with \"\(prefix)\""
        case .equals(let constants):
            (constants.count > 1 ? "one of " : "") + constants.map(\.description).joined(separator: ", ")
        }
    }
}
