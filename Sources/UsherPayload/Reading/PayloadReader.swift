import UsherJSON

/// Reads payloads: bytes in, a `Payload` or one `PayloadError` out.
///
/// A reader is made to be reused for a stream: its storage stays from payload to payload. Each payload is judged by
/// itself. The first error in the text is the one reported; warnings come in the order of the text.
public struct PayloadReader: Sendable {
    public let format: PayloadFormat
    /// The push type that holds where the payload's envelope names none.
    public let pushType: String?
    /// Whether a payload larger than its push type allows is an error; else it is a warning.
    public let bindsSizeLimits: Bool

    var document = JSONDocument()
    var warnings: [PayloadWarning] = []

    /// Identifiers longer than this are refused.
    public static let identifierLimit = 16 * 1024

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
        warnings.removeAll(keepingCapacity: true)
        guard format.isReadable else { throw Self.unsupported(format, chosen: true) }
        do throws(JSONError) {
            try document.parse(bytes, in: range)
        } catch {
            if format == .auto || format == .apns || format == .simctl {
                try refuseOversize(range.count, pushType: pushType)
            }
            throw PayloadError(error)
        }
        defer { document.reset() }
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
    struct Content {
        var carrier: Carrier
        var format: PayloadFormat
        var simulatorTargetBundle: String?
    }

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
            return Content(carrier: .shortcutItem(try readShortcutItem(element)), format: .shortcut)
        case .activity:
            return Content(carrier: .userActivity(try readUserActivity(element)), format: .activity)
        case .envelope:
            throw failure(.envelopeNested, element, "the payload is an envelope itself")
        case .fcm, .webpush, .ntfy, .cloudevents, .webhook, .fdo:
            throw Self.unsupported(format, chosen: false)
        }
    }

    private static func unsupported(_ format: PayloadFormat, chosen: Bool) -> PayloadError {
        PayloadError(
            .formatUnsupported,
            chosen
                ? "the format \(format.rawValue) is not read yet"
                : "this looks like \(format.phrase) (\(format.rawValue)), a format that is not read yet",
            help: "read today: apns, simctl, shortcut, activity, envelope"
                + (chosen ? "" : "; if it is one of them, name it with --format"))
    }

    private func notAnObject() -> PayloadError {
        guard let root = document.root else { return PayloadError(.jsonEmpty, "there is nothing to read", offset: 0) }
        let isList = document.kind(root) == .array
        return PayloadError(
            .jsonTopLevelNotObject, "the outermost value is \(document.kind(root).phrase), not an object",
            offset: document.offset(root),
            help: isList ? "send one object a line instead of an array" : nil)
    }
}
