import UsherJSON
internal import UsherText

/// Reads payloads: bytes in, a `Payload` or one `PayloadError` out.
///
/// A reader is made to be reused for a stream: its storage stays from payload to payload. Each payload is judged by
/// itself. The first error in the text is the one reported; warnings come in the order of the text.
public struct PayloadReader: Sendable {
    public let format: PayloadFormat
    /// The push type that holds where the payload's envelope names none.
    public let pushType: String?
    /// Whether a payload larger than its push type allows is an error; else it is a warning.
    let bindsSizeLimits: Bool

    var document = JSONDocument()
    var warnings: [PayloadError] = []

    /// Identifiers longer than this are refused.
    static let identifierLimit = 16 * 1024

    /// A payload has at most this many warnings; further ones are not reported.
    public static let warningLimit = 32

    public init(format: PayloadFormat = .auto, pushType: String? = nil, bindsSizeLimits: Bool = false) {
        self.format = format
        self.pushType = pushType
        self.bindsSizeLimits = bindsSizeLimits
    }

    /// Reads a whole array. See `read(_:in:)`.
    public mutating func read(_ bytes: [UInt8]) throws(PayloadError) -> Payload {
        try read(bytes, in: bytes.indices)
    }

    /// Reads one payload; offsets in errors and warnings count from the start of the range.
    ///
    /// The payload shares storage with `bytes`.
    ///
    /// - Parameters:
    ///   - range: the bytes of the line or file; must lie within the array.
    public mutating func read(_ bytes: [UInt8], in range: Range<Int>) throws(PayloadError) -> Payload {
        do throws(JSONError) {
            try document.parse(bytes, in: range)
        } catch {
            guard format.isReadable else { throw Self.unsupported(format, chosen: true) }
            if format == .auto || format == .apns || format == .simctl {
                try refuseOversize(range.count, pushType: pushType)
            }
            throw PayloadError(error)
        }
        return try readParsed()
    }

    /// Reads the payload that the document holds, which is empty afterwards.
    mutating func readParsed() throws(PayloadError) -> Payload {
        defer { document.reset() }
        warnings.removeAll(keepingCapacity: true)
        guard format.isReadable else { throw Self.unsupported(format, chosen: true) }
        guard let root = document.root, document.kind(root) == .object else {
            throw notAnObject()
        }
        let members = RootMembers(of: root, in: document)
        let format = format == .auto ? members.format(in: document, root: root) : format
        do throws(PayloadError) {
            return try readPayload(root, members, format)
        } catch {
            var error = error
            error.format = error.format ?? format
            throw error
        }
    }

    /// Reads an object whose format is known.
    private mutating func readPayload(
        _ root: JSONElement, _ members: RootMembers, _ format: PayloadFormat
    ) throws(PayloadError) -> Payload {
        if format == .envelope { return try readEnvelope(root) }
        let content = try readContent(root, members, format, pushType: pushType)
        return Payload(
            carrier: content.carrier, format: content.format, simulatorTargetBundle: content.simulatorTargetBundle,
            raw: document.raw(root), warnings: warnings)
    }

    /// A carrier, and what its own format says beside it.
    typealias Content = (carrier: Carrier, format: PayloadFormat, simulatorTargetBundle: String?)

    /// Reads what is not an envelope.
    mutating func readContent(
        _ element: JSONElement, _ members: RootMembers, _ format: PayloadFormat, pushType: String?
    ) throws(PayloadError) -> Content {
        switch format {
        case .apns, .auto:
            return try readNotification(element, members, .apns, pushType: pushType)
        case .simctl:
            return try readNotification(element, members, .simctl, pushType: pushType)
        case .shortcut:
            return (.shortcutItem(try readShortcutItem(element)), .shortcut, nil)
        case .activity:
            return (.userActivity(try readUserActivity(element)), .activity, nil)
        case .scene:
            return (.scene(try readSceneRequest(element)), .scene, nil)
        case .envelope:
            throw failure(.envelopeNested, element, "the payload is an envelope itself")
        case .fcm, .webpush, .ntfy, .cloudevents, .webhook, .fdo, .matrix, .gotify, .apprise, .homeAssistant, .agent,
            .github, .alertmanager:
            throw Self.unsupported(format, chosen: false)
        }
    }

    private static func unsupported(_ format: PayloadFormat, chosen: Bool) -> PayloadError {
        let isNamed = PayloadFormat.allCases.contains(format)
        let readable = "read today: " + PayloadFormat.readable.filter { $0 != "auto" }.joined(separator: ", ")
        return PayloadError(
            .formatUnsupported,
            chosen
                ? "the format \(format.rawValue) is not read yet"
                : "this looks like \(format.phrase)\(isNamed ? " (\(format.rawValue))" : ""), a format that is not read yet",
            help: chosen
                ? readable
                : "\(format.instead); \(readable); if it is one of them, name it: --format, over HTTP ?format=")
    }

    private func notAnObject() -> PayloadError {
        guard let root = document.root else { return PayloadError(.jsonEmpty, "there is nothing to read", offset: 0) }
        let isList = document.kind(root) == .array
        return PayloadError(
            .jsonTopLevelNotObject, "the outermost value is \(document.kind(root).phrase), not an object",
            offset: document.offset(root),
            help: isList ? "send its objects one after another, without the array" : nil)
    }
}

// MARK: - Values

// Values with their checks; each names the error that is thrown when the type is wrong.

extension PayloadReader {
    func failure(
        _ code: PayloadCode, _ element: JSONElement, _ message: String, help: String? = nil
    ) -> PayloadError {
        PayloadError(
            code, message, pointer: document.pointer(element), offset: document.offset(element), help: help)
    }

    /// "badge is a string, not a number".
    func wrongType(
        _ element: JSONElement, _ code: PayloadCode = .memberType, expected: String, help: String? = nil
    ) -> PayloadError {
        failure(
            code, element, "\(label(element)) is \(document.kind(element).phrase), not \(expected)",
            help: help ?? (code == .memberType ? "send \(expected)" : nil))
    }

    mutating func warn(
        _ code: PayloadCode, _ element: JSONElement, _ message: String? = nil, help: String? = nil
    ) {
        // Each pointer costs a walk: a payload of a hundred thousand mistakes must not cost their square.
        guard takesWarnings else { return }
        warnings.append(
            PayloadError(
                code, message ?? "\(label(element)): \(code.meaning)", pointer: document.pointer(element),
                offset: document.offset(element), help: help))
    }

    var takesWarnings: Bool { warnings.count < Self.warningLimit }

    /// The value's place in words: the pointer's last part.
    private func label(_ element: JSONElement) -> String {
        let pointer = document.pointer(element)
        guard let slash = pointer.utf8.lastIndex(of: 0x2F) else { return "the value" }
        return Self.printable(String(pointer[pointer.index(after: slash)...]))
    }

    /// Text from a payload for a message: short, and without anything that disturbs a terminal.
    static func printable(_ text: String) -> String {
        Printable.text(text, limit: 80)
    }

    func string(_ element: JSONElement, _ code: PayloadCode = .memberType) throws(PayloadError) -> String {
        guard let string = document.string(element) else {
            throw wrongType(element, code, expected: "a string")
        }
        return string
    }

    func number(_ element: JSONElement, _ code: PayloadCode = .memberType) throws(PayloadError) -> Double {
        guard let number = document.double(element) else {
            let isQuoted = document.kind(element) == .string
            throw wrongType(element, code, expected: "a number", help: isQuoted ? "remove the quotes" : nil)
        }
        return number
    }

    func boolean(_ element: JSONElement, _ code: PayloadCode = .memberType) throws(PayloadError) -> Bool {
        guard let boolean = document.boolean(element) else {
            throw wrongType(element, code, expected: "a boolean")
        }
        return boolean
    }

    func strings(_ element: JSONElement, _ code: PayloadCode = .memberType) throws(PayloadError) -> [String] {
        guard document.kind(element) == .array else {
            throw wrongType(element, code, expected: "an array of strings")
        }
        var result: [String] = []
        var next = document.firstElement(element)
        while let item = next {
            guard let string = document.string(item) else {
                throw failure(
                    code, item, "\(label(element)) has \(document.kind(item).phrase) in it; all must be strings")
            }
            result.append(string)
            next = document.nextElement(item, in: element)
        }
        return result
    }

    /// An object's bytes as sent.
    func object(_ element: JSONElement, _ code: PayloadCode = .memberType) throws(PayloadError) -> ArraySlice<UInt8> {
        guard document.kind(element) == .object else { throw wrongType(element, code, expected: "an object") }
        return document.raw(element)
    }

    /// A flag that is documented as the number 1; many senders write true.
    mutating func flag(_ element: JSONElement, type: PayloadCode = .memberType) throws(PayloadError) -> Bool {
        if let boolean = document.boolean(element) {
            warn(
                .apsFlagIsBoolean, element, "\(label(element)) is \(boolean), documented is a number",
                help: "send \(boolean ? 1 : 0)")
            return boolean
        }
        guard document.kind(element) == .number else {
            throw wrongType(element, type, expected: "a number")
        }
        switch document.int64(element) {
        case 0: return false
        case 1: return true
        default:
            throw failure(
                .memberValue, element, "\(label(element)) is \(document.numberText(element) ?? ""), neither 0 nor 1",
                help: "send 0 or 1")
        }
    }

    /// An identifier: an opaque string, never trimmed, folded or normalised.
    mutating func identifier(
        _ element: JSONElement, type: PayloadCode = .targetType
    ) throws(PayloadError) -> String {
        guard document.kind(element) == .string else {
            let digits = document.numberText(element).map { "quote it: \"\(Self.printable($0))\"" }
            throw wrongType(element, type, expected: "a string", help: digits)
        }
        let bytes = document.stringBytes(element)
        guard let first = bytes.first else {
            throw failure(.targetEmpty, element, "\(label(element)) is an empty string")
        }
        guard bytes.count <= Self.identifierLimit else {
            throw failure(
                .targetTooLong, element,
                "\(label(element)) has \(bytes.count) bytes, the limit is \(Self.identifierLimit)")
        }
        let isPlain = first > 0x20 && ByteWord.isPrintableASCII(bytes.span)
        let identifier = String(decoding: bytes, as: UTF8.self)
        if !isPlain { try judge(identifier, element) }
        return identifier
    }

    /// The rare identifiers: blank, or with characters outside printable ASCII.
    private mutating func judge(_ identifier: String, _ element: JSONElement) throws(PayloadError) {
        var isBlank = true
        var hasControl = false
        var hasBidirectional = false
        for scalar in identifier.unicodeScalars {
            switch scalar.value {
            case 0:
                throw failure(.targetNul, element, "\(label(element)) contains a NUL character")
            case 0x01...0x1F, 0x7F...0x9F, 0x2028, 0x2029: hasControl = true
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: hasBidirectional = true
            default: break
            }
            if !scalar.properties.isWhitespace { isBlank = false }
        }
        if isBlank { warn(.targetBlank, element) }
        if hasControl { warn(.targetControlCharacter, element) }
        if hasBidirectional { warn(.targetBidi, element) }
    }
}

// MARK: - Sizes

// The size limits of push types: an error where they bind, else a warning.

extension PayloadReader {
    /// Judges the size of a notification.
    mutating func judgeSize(_ count: Int, pushType: String?) throws(PayloadError) {
        try refuseOversize(count, pushType: pushType)
        let limit = APNsHeaders.sizeLimit(pushType: pushType)
        if count > limit { warnings.append(PayloadError(.sizeTooLarge, Self.oversize(count, limit, pushType))) }
    }

    /// Where limits bind, the size is judged before anything else, as the real service does.
    private func refuseOversize(_ count: Int, pushType: String?) throws(PayloadError) {
        let limit = APNsHeaders.sizeLimit(pushType: pushType)
        guard bindsSizeLimits, count > limit else { return }
        throw PayloadError(.sizeTooLarge, Self.oversize(count, limit, pushType), limit: limit)
    }

    private static func oversize(_ count: Int, _ limit: Int, _ pushType: String?) -> String {
        "the payload has \(count) bytes; \(pushType.map { "push type \($0)" } ?? "APNs") takes \(limit)"
    }
}

// MARK: - Envelope

// Envelopes: a carrier, and beside it what a transport would have said.

extension PayloadReader {
    private enum Member: String, CaseIterable, Sendable {
        case payload, shortcutItem, userActivity, url, headers, app, session, traceparent, title
    }

    private static let members = MemberTable<Member>()

    /// An envelope taken apart, nothing in it read yet.
    private struct Parts {
        var carrier: (member: Member, value: JSONElement)?
        var headers: JSONElement?
        var app: JSONElement?
        var session: JSONElement?
        var traceparent: JSONElement?
        var title: String?
    }

    private mutating func readEnvelope(_ root: JSONElement) throws(PayloadError) -> Payload {
        let parts = try takeApart(root)
        guard let (member, value) = parts.carrier else {
            throw failure(
                .envelopeNoCarrier, root, "there is neither payload, shortcutItem, userActivity nor url")
        }
        // The headers' push type decides how the payload is judged.
        let headers = try parts.headers.map { element throws(PayloadError) in try readHeaders(element) }
        let app = try parts.app.map { element throws(PayloadError) in try string(element) }
        let session = try parts.session.map { element throws(PayloadError) in
            try string(element)
        }
        let traceparent = try parts.traceparent.map { element throws(PayloadError) in try readTraceparent(element) }
        let content = try readCarrier(member, value, pushType: headers?.apnsPushType ?? pushType)
        return Payload(
            carrier: content.carrier, format: content.format, app: app, session: session,
            traceparent: traceparent ?? nil, headers: headers, simulatorTargetBundle: content.simulatorTargetBundle,
            raw: document.raw(value), isEnvelope: true, title: parts.title, warnings: warnings)
    }

    private mutating func takeApart(_ root: JSONElement) throws(PayloadError) -> Parts {
        var parts = Parts()
        var next = document.firstMember(root)
        while let member = next {
            next = document.nextMember(member, in: root)
            let value = member.value
            guard let known = Self.members.key(member.key, in: document) else {
                warnUnknownEnvelopeMember(member)
                continue
            }
            if document.kind(value) == .null {
                warn(.memberNull, value)
                continue
            }
            switch known {
            case .payload, .shortcutItem, .userActivity, .url:
                if let earlier = parts.carrier?.member {
                    throw failure(
                        .envelopeSeveralCarriers, value, "there is \(known.rawValue) after \(earlier.rawValue)")
                }
                parts.carrier = (known, value)
            case .headers: parts.headers = value
            case .app: parts.app = value
            case .session: parts.session = value
            case .traceparent: parts.traceparent = value
            case .title:
                // A title that is no text belongs to another format.
                if let text = document.string(value) {
                    parts.title = text
                } else {
                    warnUnknownEnvelopeMember(member)
                }
            }
        }
        return parts
    }

    private mutating func readCarrier(
        _ member: Member, _ value: JSONElement, pushType: String?
    ) throws(PayloadError) -> Content {
        switch member {
        case .shortcutItem:
            guard document.kind(value) == .object else {
                throw wrongType(value, expected: "an object")
            }
            return (.shortcutItem(try readShortcutItem(value)), .shortcut, nil)
        case .userActivity:
            guard document.kind(value) == .object else {
                throw wrongType(value, expected: "an object")
            }
            return (.userActivity(try readUserActivity(value)), .activity, nil)
        case .url:
            return (.url(try identifier(value, type: .memberType)), .envelope, nil)
        case .payload, .headers, .app, .session, .traceparent, .title:
            guard document.kind(value) == .object else {
                throw wrongType(value, expected: "an object")
            }
            let members = RootMembers(of: value, in: document)
            let format = members.format(in: document, root: value)
            return try readContent(value, members, format, pushType: pushType)
        }
    }

    private mutating func warnUnknownEnvelopeMember(_ member: JSONMember) {
        guard takesWarnings else { return }
        let name = document.string(member.key) ?? ""
        if NameSpelling.looksLikeTarget(document.stringBytes(member.key), loosely: false) {
            warn(
                .targetMisplaced, member.value,
                "\(Self.printable(name)) is in the envelope: it belongs into the carrier",
                help: "in a payload write {\"aps\":{\"target-content-id\": …}}, elsewhere targetContentIdentifier")
            return
        }
        warn(
            .memberUnknown, member.value, "\(Self.printable(name)) is not defined here and is ignored",
            help: Self.members.suggestion(for: name).map { "did you mean \($0)?" })
    }

    /// The trace context where it is well formed (W3C Trace Context, version 00), else nil and a warning.
    private mutating func readTraceparent(_ element: JSONElement) throws(PayloadError) -> String? {
        let text = try string(element)
        let fields = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
        let isHexadecimal = fields.allSatisfy { field in
            field.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        guard isHexadecimal, fields.map(\.count) == [2, 32, 16, 2], !fields[0].elementsEqual("ff".utf8),
            fields[1].contains(where: { $0 != 0x30 }), fields[2].contains(where: { $0 != 0x30 })
        else {
            warn(.envelopeTraceparentSyntax, element)
            return nil
        }
        return text
    }
}

// MARK: - Headers

// The headers of an envelope: Apple's request headers, by their names in any case.

extension PayloadReader {
    private enum Header: String, CaseIterable, Sendable {
        case topic = "apns-topic"
        case id = "apns-id"
        case pushType = "apns-push-type"
        case priority = "apns-priority"
        case expiration = "apns-expiration"
        case collapseID = "apns-collapse-id"
    }

    private static let headers = MemberTable<Header>()

    private mutating func readHeaders(_ element: JSONElement) throws(PayloadError) -> APNsHeaders {
        guard document.kind(element) == .object else {
            throw wrongType(element, expected: "an object")
        }
        var headers = APNsHeaders()
        var next = document.firstMember(element)
        while let member = next {
            next = document.nextMember(member, in: element)
            let name = document.stringBytes(member.key).map { $0.lowercasedASCII }
            guard let known = Self.headers.key(name[...]) else {
                warnUnknownHeader(member)
                continue
            }
            if document.kind(member.value) == .null {
                warn(.memberNull, member.value)
                continue
            }
            guard let value = document.string(member.value) else {
                let digits = document.numberText(member.value).map { "quote it: \"\(Self.printable($0))\"" }
                throw wrongType(member.value, expected: "a string", help: digits)
            }
            judge(known, value, member.value)
            switch known {
            case .topic: headers.apnsTopic = value
            case .id: headers.apnsID = value
            case .pushType: headers.apnsPushType = value
            case .priority: headers.apnsPriority = value
            case .expiration: headers.apnsExpiration = value
            case .collapseID: headers.apnsCollapseID = value
            }
        }
        return headers
    }

    /// Warns about values the real service refuses.
    private mutating func judge(_ header: Header, _ value: String, _ element: JSONElement) {
        let problem: String? =
            switch header {
            case .topic: value.isEmpty ? "is empty" : nil
            case .id: UUIDText.isOne(value) ? nil : "is not a UUID"
            case .pushType: APNsHeaders.pushTypes.contains(value) ? nil : "is not one of Apple's push types"
            case .priority: ["10", "5", "1"].contains(value) ? nil : "is none of 10, 5 and 1"
            case .expiration:
                Int64(value) != nil && !value.hasPrefix("-") && !value.hasPrefix("+")
                    ? nil : "is not a number of seconds"
            case .collapseID: value.utf8.count <= 64 ? nil : "is longer than 64 bytes"
            }
        if let problem {
            warn(.envelopeHeaderValue, element, "\(header.rawValue) \"\(Self.printable(value))\" \(problem)")
        }
    }

    private mutating func warnUnknownHeader(_ member: JSONMember) {
        guard takesWarnings else { return }
        let name = document.string(member.key) ?? ""
        warn(
            .memberUnknown, member.value, "\(Self.printable(name)) is not defined here and is ignored",
            help: Self.headers.suggestion(for: name).map { "did you mean \($0)?" })
    }
}
