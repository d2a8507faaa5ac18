public import UsherJSON
internal import UsherText

/// One payload to be shown in its window.
public struct DispatchPayload: Call, Hashable {
    /// A decision record.
    public typealias Answer = JSONValue

    /// The raw line or document.
    public var input: [UInt8] = []
    /// It was longer than a payload may be, and is left out.
    public var isTooLong = false
    /// The `source` in the records; `control` if it is not given.
    public var source: String?
    /// Its place in the input, for the record's `seq`.
    public var sequence: Int?
    /// Goes before what the payload says.
    public var app: String?
    /// The name of a payload format; else it is found out.
    public var format: String?
    /// The token that a desktop gave the client (xdg-activation, startup notification). Of several requests with the same one, the
    /// first that opens a window uses it.
    public var token: String?
    /// The delivery whose handler sends this, if one does: it does not wait behind that one.
    public var parent: String?
    /// What the record waits for: `action`, the answer to its notification.
    public var wait: String?
    /// For how long; nil for the longest time.
    public var timeout: String?

    public static let name = "dispatch"
    public static let operation = Operation<Self>(
        "shows one payload in its window; answered by the decision record, when it is on disk", .act,
        [
            Field(
                "input", .text, "the payload, a line or a document", read: readInput, write: { $0.writeInput(to: &$1) }),
            Field(
                "input_base64", .text, "the same in Base64, for bytes that are not UTF-8", read: { _, _ in },
                write: { _, _ in }),
            Field(
                "too_long", .flag, "it was longer than a payload may be, and is left out", read: { _, _ in },
                write: { _, _ in }),
            Field("source", \.source, "where records say that it came from"),
            Field("seq", \.sequence, in: 1...Int.max, "its number in the input, for the record"),
            Field("app", \.app, "overrides the payload's app"),
            Field("format", \.format, "the payload format; else it is recognised"),
            .token(\.token),
            Field("parent", \.parent, "the delivery whose handler sends this: it does not wait behind that one"),
            .wait(\.wait), .timeout(\.timeout),
        ])

    public func checkCombination(at place: String) throws(ControlError) {
        try DispatchPayload.checkTimeout(timeout, wait, at: place)
    }

    static func checkTimeout(_ timeout: String?, _ wait: String?, at place: String) throws(ControlError) {
        guard timeout != nil, wait == nil else { return }
        throw .argument("timeout goes with wait", at: "\(place)/timeout", help: "say \"wait\":\"action\"")
    }

    public init() {}

    /// Whether a text can be a token: short, and of characters that an environment variable and a line may have.
    public static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1024 && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    public init(
        input: [UInt8], isTooLong: Bool = false, source: String? = nil, sequence: Int? = nil, app: String? = nil,
        format: String? = nil, token: String? = nil, parent: String? = nil
    ) {
        self.input = input
        self.isTooLong = isTooLong
        self.source = source
        self.sequence = sequence
        self.app = app
        self.format = format
        self.token = token
        self.parent = parent
    }

    private static func readInput(_ reader: MemberReader, _ call: inout Self) throws(ControlError) {
        call.isTooLong = try reader.flag("too_long")
        switch (try reader.text("input"), try reader.text("input_base64")) {
        case (let text?, nil): call.input = Array(text.utf8)
        case (nil, let encoded?):
            guard let bytes = Base64.decode(encoded) else {
                throw .argument("input_base64 is not Base64 (RFC 4648)", at: reader.pointer("input_base64"))
            }
            call.input = bytes
        case (nil, nil):
            guard call.isTooLong else { throw reader.missing("input") }
        case (_?, _?): throw .argument("input and input_base64 exclude each other", at: reader.pointer("input_base64"))
        }
    }

    private func writeInput(to json: inout JSONWriter) {
        if isTooLong {
            json.member("too_long", true)
        } else if let text = String(validating: input, as: UTF8.self) {
            json.member("input", text)
        } else {
            json.member("input_base64", Base64.encode(input))
        }
    }
}

extension Field {
    /// What records wait for.
    static func wait(_ path: @autoclosure @escaping Path<String?>) -> Field {
        Field(
            "wait", path(), oneOf: ["action"],
            "action: answered when the notifications are, or cannot be any more")
    }

    /// How long they wait.
    static func timeout(_ path: @autoclosure @escaping Path<String?>) -> Field {
        Field("timeout", path(), "with wait: for so long at most, such as 90s; 600s is the most, and usual")
    }

    /// An activation token.
    public static func token(_ path: @autoclosure @escaping Path<String?>) -> Field {
        Field(
            "token", .text, "an activation token, for the first window that is opened",
            read: { (reader, arguments) throws(ControlError) in
                guard let token = try reader.text("token") else { return }
                guard DispatchPayload.isToken(token) else {
                    throw .argument(
                        "token is no activation token: it is empty, longer than 1024 bytes, or holds control characters",
                        at: reader.pointer("token"))
                }
                arguments[keyPath: path()] = token
            },
            write: { arguments, json in
                if let token = arguments[keyPath: path()] { json.member("token", token) }
            })
    }
}
