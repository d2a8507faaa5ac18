internal import UsherJSON
internal import UsherPayload
internal import UsherText

/// A request as a hook reads it: a JSON document, beside headers and query.
struct HookContent {
    /// What a `pointer` starts at: the whole document, or an element of the array of `each`.
    struct Element {
        fileprivate let value: JSONElement
        fileprivate var array: JSONReference?
        fileprivate var index = 0

        fileprivate var pointer: String { array.map { "\($0.text)/\(index)" } ?? "" }
    }

    private let request: HookRequest
    private let document: JSONDocument
    let root: Element
    /// Whether the document was made of a form or a query: its values are texts, and numbers are written in them.
    private let isText: Bool
    private let parameters: [FormParameters.Parameter]
    private let bodyPlaces = BodyPlaces()

    /// What is found at a place.
    enum Found {
        case nothing
        case text(String)
        /// Text where no other kind of value can be: in headers, queries and forms.
        case plain(String)
        case number(Int64?, Double?, String)
        case boolean(Bool)
        /// An array or an object; of an array its scalar elements.
        case container(JSONKind, [Found])

        var text: String? {
            switch self {
            case .text(let text), .plain(let text): text
            case .nothing, .number, .boolean, .container: nil
            }
        }

        var number: HookCondition.Number? {
            switch self {
            case .number(let value?, _, _): .integer(value)
            case .number(nil, let value, _): value.map { .decimal($0) }
            case .plain(let text): Found.decimal(text)
            case .nothing, .text, .boolean, .container: nil
            }
        }

        func isSame(_ constant: HookCondition.Constant) -> Bool {
            switch (self, constant) {
            case (.plain(let text), _): text.hasSameBytes(as: constant.text)
            case (.text(let text), .string(let wanted)): text.hasSameBytes(as: wanted)
            case (.number(let number, _, _), .integer(let wanted)): number == wanted
            case (.boolean(let value), .boolean(let wanted)): value == wanted
            default: false
            }
        }

        var phrase: String {
            switch self {
            case .nothing: "missing"
            case .text(let text), .plain(let text): "\"\(Excerpt.of(text))\""
            case .number(_, _, let text): Excerpt.of(text)
            case .boolean(let value): String(value)
            case .container(let kind, _): kind.phrase
            }
        }

        /// A number in decimal text: sign, digits, fraction. Nothing around it, no exponent.
        private static func decimal(_ text: String) -> HookCondition.Number? {
            let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            let isDecimal =
                text.utf8.count - digits.count <= 1 && digits.first.map { (0x30...0x39).contains($0) } == true
                && digits.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } && digits.count <= 40
            guard isDecimal else { return nil }
            return Int64(text).map { .integer($0) } ?? Double(text).map { .decimal($0) }
        }
    }

    /// Reads a request in the first of the hook's forms that fits its Content-Type.
    ///
    /// - Throws: 415 where none fits, 413 for a form of too many fields, 400 for a body that is not what it should be.
    init(_ request: HookRequest, as inputs: [HookInput]) throws(HookRefusal) {
        self.request = request
        parameters = request.parameters
        let chosen = try HookContent.choose(inputs, for: request)
        let bytes: [UInt8]
        switch chosen {
        case .json: bytes = request.body
        case .query: bytes = HookContent.object(try HookContent.fields(Array((request.query ?? "").utf8)))
        case .form: bytes = HookContent.object(try HookContent.fields(request.body))
        case .formJSON(let field):
            let fields = try HookContent.fields(request.body)
            guard let value = fields.first(where: { $0.name.hasSameBytes(as: field) })?.value else {
                throw HookRefusal(
                    400, .hookValueMissing, "the form has no field \(field)",
                    help: "its JSON text is expected there")
            }
            bytes = Array(value.utf8)
        }
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(bytes)
        } catch {
            throw HookRefusal(
                400, PayloadError(error).positioned(in: bytes, bytes.indices, begin: LinePosition()))
        }
        guard let root = document.root else {
            throw HookRefusal(400, PayloadError(.jsonEmpty, "the body is empty", offset: 0))
        }
        self.document = document
        self.root = Element(value: root)
        switch chosen {
        case .json, .formJSON: isText = false
        case .form, .query: isText = true
        }
    }

    // MARK: Forms of input

    /// More fields than these are not read.
    private static let fieldLimit = 1000

    private static func fields(_ bytes: [UInt8]) throws(HookRefusal) -> [FormParameters.Parameter] {
        if let fields = FormParameters.parse(bytes, limit: fieldLimit) { return fields }
        throw HookRefusal(
            413, .hookFormFields, "the form has more than \(fieldLimit) fields", help: "send fewer fields")
    }

    private static func choose(_ inputs: [HookInput], for request: HookRequest) throws(HookRefusal) -> HookInput {
        if request.method == "GET" || request.method == "HEAD", inputs.contains(.query) { return .query }
        if let coding = request.header("Content-Encoding"), coding.lowercased() != "identity" {
            throw HookRefusal(
                415, .webhookMediaType, "the body is encoded as \(Excerpt.of(coding))",
                help: "send the body without a content encoding")
        }
        let type = MediaTypeName(request.header("Content-Type") ?? "")
        switch type {
        case .json: if inputs.contains(.json) { return .json }
        case .form:
            if request.isAuthenticated, inputs.contains(.json), request.hasDocument { return .json }
            var field: String?
            for case .formJSON(let name) in inputs where field == nil { field = name }
            if let field {
                guard inputs.contains(.form) else { return .formJSON(field: field) }
                let isThere = try fields(request.body).contains { $0.name.hasSameBytes(as: field) }
                return isThere ? .formJSON(field: field) : .form
            }
            if inputs.contains(.form) { return .form }
        case .none, .other: break
        }
        if inputs.contains(.query), request.body.isEmpty || inputs == [.query] { return .query }
        if request.isLocal, type == .none, inputs.contains(.json) { return .json }
        let accepted = inputs.reduce(into: [String]()) { types, input in
            if !types.contains(input.mediaType) { types.append(input.mediaType) }
        }
        throw HookRefusal(
            415, .webhookMediaType,
            request.header("Content-Type").map { "this hook does not read \(Excerpt.of($0))" }
                ?? "the request has no Content-Type",
            help: type == .form && inputs.contains(.json)
                ? "with curl, add -H 'Content-Type: application/json'; in a sender's settings, choose application/json"
                : "send \(accepted.joined(separator: " or "))")
    }

    /// Fields as an object, in the order in which they come first; a repeated field is an array.
    private static func object(_ fields: [FormParameters.Parameter]) -> [UInt8] {
        var order: [String] = []
        var values: [[UInt8]: [String]] = [:]
        for field in fields {
            let key = Array(field.name.utf8)
            if values[key] == nil { order.append(field.name) }
            values[key, default: []].append(field.value)
        }
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        for name in order {
            let all = values[Array(name.utf8)] ?? []
            if all.count == 1 { json.member(name, all[0]) } else { json.member(name, all) }
        }
        json.endObject()
        return json.bytes
    }

    // MARK: Places

    func found(at place: HookSelector, from element: Element) -> Found {
        switch place {
        case .header(let name): request.header(name).map { .plain($0) } ?? .nothing
        case .query(let name): parameters.first { $0.name == name }.map { .plain($0.value) } ?? .nothing
        case .pointer(let reference): found(document.value(at: reference, from: element.value))
        case .bodyPointer(let reference): found(bodyPlaces.element(at: reference, in: document, from: root.value))
        }
    }

    private func found(_ element: JSONElement?) -> Found {
        guard let element else { return .nothing }
        switch document.kind(element) {
        case .null: return .nothing
        case .string:
            let text = document.string(element) ?? ""
            return isText ? .plain(text) : .text(text)
        case .number:
            return .number(document.int64(element), document.double(element), document.numberText(element) ?? "")
        case .boolean: return .boolean(document.boolean(element) ?? false)
        case .object: return .container(.object, [])
        case .array:
            let scalars = document.elements(element).filter {
                let kind = document.kind($0)
                return kind != .array && kind != .object
            }
            return .container(.array, scalars.map { found($0) })
        }
    }

    /// The pointer of a place from the root of the document; nil for headers and the query.
    func pointer(of place: HookSelector, from element: Element) -> String? {
        switch place {
        case .header, .query: nil
        case .pointer(let reference): element.pointer + reference.text
        case .bodyPointer(let reference): reference.text
        }
    }

    /// The elements of the array that a pointer leads to; nil where there is none.
    func elements(at reference: JSONReference) -> [Element]? {
        guard let array = document.value(at: reference, from: root.value), document.kind(array) == .array else {
            return nil
        }
        return document.elements(array).enumerated().map { Element(value: $1, array: reference, index: $0) }
    }

    /// The kind of value that a pointer leads to, for a message.
    func phrase(at reference: JSONReference) -> String {
        document.value(at: reference, from: root.value).map { document.kind($0).phrase } ?? "nothing"
    }

    /// The bytes of an element, as they came.
    func raw(_ element: Element) -> [UInt8] { Array(document.raw(element.value)) }

    /// The text at a place: numbers and booleans as they are written. nil where there is nothing, or null.
    ///
    /// - Throws: 422 `hook.value-type` for an array or an object.
    func text(at place: HookSelector, from element: Element) throws(HookRefusal) -> String? {
        switch found(at: place, from: element) {
        case .nothing: return nil
        case .text(let text), .plain(let text): return text
        case .number(_, _, let text): return text
        case .boolean(let value): return String(value)
        case .container(let kind, _):
            throw HookRefusal(
                422, .hookValueType, "\(place) is \(kind.phrase), and text is needed",
                at: pointer(of: place, from: element), help: "point to a member of it")
        }
    }

    /// The text of a source, decoded and mapped; nil where no place of it has anything and there is no `default`.
    ///
    /// - Parameter isInList: there are other places to look at: an empty text counts as nothing.
    private func text(
        of source: HookSource, isInList: Bool, from element: Element
    ) throws(HookRefusal) -> String? {
        for place in source.places {
            guard var text = try text(at: place, from: element) else { continue }
            if let decoding = source.decoding {
                let pointer = pointer(of: place, from: element)
                guard let decoded = try HookContent.decode(text, decoding, at: place, pointer) else { continue }
                text = decoded
            }
            if isInList, text.isEmpty { continue }
            if source.map.isEmpty { return text }
            return source.map.first { $0.key.hasSameBytes(as: text) }?.value ?? source.mapDefault ?? text
        }
        return source.fallback
    }

    /// The text of the first source that has one.
    func text(of value: HookValue, from element: Element) throws(HookRefusal) -> String? {
        let isInList = value.sources.reduce(0) { $0 + $1.places.count } > 1
        for source in value.sources {
            if let text = try text(of: source, isInList: isInList, from: element) { return text }
        }
        return nil
    }

    private static func decode(
        _ text: String, _ decoding: HookSource.Decoding, at place: HookSelector, _ pointer: String?
    ) throws(HookRefusal) -> String? {
        switch decoding {
        case .base64: return base64(text).flatMap { String(validating: $0, as: UTF8.self) }
        case .json(let reference, let isBase64):
            guard let bytes = isBase64 ? base64(text) : Array(text.utf8) else { return nil }
            var document = JSONDocument()
            guard (try? document.parse(bytes)) != nil, let root = document.root,
                let value = document.value(at: reference, from: root)
            else { return nil }
            switch document.kind(value) {
            case .null: return nil
            case .string: return document.string(value)
            case .number, .boolean: return String(decoding: document.raw(value), as: UTF8.self)
            case .array, .object:
                throw HookRefusal(
                    422, .hookValueType,
                    "\(reference.text.isEmpty ? "the JSON text" : reference.text) in \(place) is "
                        + "\(document.kind(value).phrase), and text is needed",
                    at: pointer, help: "point to a member of it with `at`")
            }
        }
    }

    /// Either alphabet, with or without padding.
    private static func base64(_ text: String) -> [UInt8]? {
        let isURL = text.utf8.contains(UInt8(ascii: "-")) || text.utf8.contains(UInt8(ascii: "_"))
        return isURL
            ? Base64.decode(text[...], .url, requiresPadding: false)
            : Base64.decode(text[...], requiresPadding: false)
    }
}

/// Where pointers from the root lead to, each looked for once: every element of `each` may ask for them.
private final class BodyPlaces {
    private var known: [JSONReference: JSONElement?] = [:]

    func element(at reference: JSONReference, in document: JSONDocument, from root: JSONElement) -> JSONElement? {
        if let element = known[reference] { return element }
        let element = document.value(at: reference, from: root)
        known[reference] = .some(element)
        return element
    }
}

/// The kind of body that a Content-Type names (RFC 9110, 8.3).
private enum MediaTypeName: Equatable {
    case none, json, form, other

    init(_ value: String) {
        let name = value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        switch name {
        case "": self = .none
        case "application/json": self = .json
        case "application/x-www-form-urlencoded": self = .form
        default: self = name.hasPrefix("application/") && name.hasSuffix("+json") ? .json : .other
        }
    }
}

extension HookInput {
    /// What a sender has to send for it.
    fileprivate var mediaType: String {
        switch self {
        case .json: "application/json"
        case .form, .formJSON: "application/x-www-form-urlencoded"
        case .query: "the query"
        }
    }
}

/// Text of a request for a message: short. The writer of the message escapes it.
enum Excerpt {
    static func of(_ text: some StringProtocol) -> String {
        let short = String(String.UnicodeScalarView(text.unicodeScalars.prefix(80)))
        return short.utf8.count < text.utf8.count ? short + "…" : short
    }
}
