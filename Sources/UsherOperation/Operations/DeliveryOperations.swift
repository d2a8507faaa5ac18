internal import UsherJSON
public import UsherScene
internal import UsherText

/// One payload to be shown in its window.
public struct DispatchPayload: Call, Hashable {
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
        ])

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
    /// An activation token.
    static func token(_ path: any (WritableKeyPath<Arguments, String?> & Sendable)) -> Field {
        Field(
            "token", .text, "an activation token, for the first window that is opened",
            read: { (reader, arguments) throws(ControlError) in
                guard let token = try reader.text("token") else { return }
                guard DispatchPayload.isToken(token) else {
                    throw .argument(
                        "token is no activation token: it is empty, longer than 1024 bytes, or holds control characters",
                        at: reader.pointer("token"))
                }
                arguments[keyPath: path] = token
            },
            write: { arguments, json in
                if let token = arguments[keyPath: path] { json.member("token", token) }
            })
    }
}

/// Deliveries that are retried or dropped: by their ids (ours or their senders'), or all that failed.
public struct DeliverySelection: RecordValue, Hashable {
    public var ids: [String] = []
    public var allFailed = false

    public init() {}
    public init(ids: [String] = [], allFailed: Bool = false) { (self.ids, self.allFailed) = (ids, allFailed) }

    public static let fields = [
        Field<Self>("deliveries", \.ids, "their ids, or their senders' ids", identifies: .delivery),
        Field<Self>("failed", \.allFailed, "all that failed, instead of ids"),
    ]

    public func checkCombination(at place: String) throws(ControlError) {
        guard ids.isEmpty == allFailed else {
            throw .argument(
                ids.isEmpty ? "which deliveries?" : "deliveries and failed exclude each other",
                at: "\(place)/deliveries", help: "give their ids, or \"failed\":true for all that failed")
        }
    }
}

public struct DeliveriesRetry: Call {
    public var selection = DeliverySelection()

    public init() {}
    public init(_ selection: DeliverySelection) { self.selection = selection }

    public static let name = "deliveries.retry"
    public static let operation = Operation<Self>(
        "tries deliveries again", .act, DeliverySelection.fields.map { $0.within(\.selection) },
        http: [
            HTTPForm(
                .post, "/v1/deliveries/{deliveries}/retry", answer: .one("DeliveryList"), refusals: [409],
                hidden: ["failed"])
        ])

    public func checkCombination(at place: String) throws(ControlError) { try selection.checkCombination(at: place) }
}

public struct DeliveriesDrop: Call {
    public var selection = DeliverySelection()

    public init() {}
    public init(_ selection: DeliverySelection) { self.selection = selection }

    public static let name = "deliveries.drop"
    public static let operation = Operation<Self>(
        "forgets finished deliveries, and ends those that have not begun", .edit,
        DeliverySelection.fields.map { $0.within(\.selection) },
        http: [
            HTTPForm(
                .delete, "/v1/deliveries/{deliveries}", answer: .one("DeliveryList"), refusals: [409],
                hidden: ["failed"])
        ])

    public func checkCombination(at place: String) throws(ControlError) { try selection.checkCombination(at: place) }
}

public struct DeliveriesList: Call, Hashable {
    /// All where empty.
    public var states: Set<DeliveryState> = []
    public var limit = 100
    /// Those that arrived before this one: the next page.
    public var before: String?

    public init() {}
    public init(states: Set<DeliveryState> = [], limit: Int = 100, before: String? = nil) {
        (self.states, self.limit, self.before) = (states, limit, before)
    }

    public static let name = "deliveries.list"
    public static let operation = Operation<Self>(
        "deliveries, the newest first", .read,
        [
            Field(
                "states", .texts, "in these states only", choices: DeliveryState.allCases.map(\.rawValue),
                read: { (reader, call) throws(ControlError) in
                    for (index, text) in (try reader.texts("states")).enumerated() {
                        guard let state = DeliveryState(rawValue: text) else {
                            throw .unknown(
                                .controlArgument, "state", text, among: DeliveryState.allCases.map(\.rawValue),
                                at: reader.pointer("states/\(index)"))
                        }
                        call.states.insert(state)
                    }
                },
                write: { call, json in
                    guard !call.states.isEmpty else { return }
                    json.member("states", DeliveryState.allCases.filter { call.states.contains($0) }.map(\.rawValue))
                }),
            Field("limit", \.limit, in: 1...1_000_000, "at most so many (100)"),
            Field("before", \.before, "older than this delivery: the next page", identifies: .delivery),
        ],
        http: [
            HTTPForm(
                .get, "/v1/deliveries", answer: .list("Delivery"), renamed: ["state": "states"],
                separators: ["states": ","])
        ])
}

public struct DeliveriesShow: Call {
    public var delivery = ""

    public init() {}
    public init(_ delivery: String) { self.delivery = delivery }

    public static let name = "deliveries.show"
    public static let operation = Operation<Self>(
        "one delivery, with its record and explanation", .read,
        [Field("delivery", \.delivery, "its id or the beginning of it, or its sender's id")],
        http: [HTTPForm(.get, "/v1/deliveries/{delivery}", answer: .one("Delivery"))])
}

/// Answered when no delivery is in a lane, or waits for one.
public struct DeliveriesWait: Call {
    public init() {}

    public static let name = "deliveries.wait"
    public static let operation = Operation<Self>("waits until no delivery is in progress", .read, [])
    public var waits: Bool { true }
}

/// Decision records as events from now on.
public struct Records: Call {
    /// First those that followed this delivery.
    public var since: String?

    public init() {}
    public init(since: String?) { self.since = since }

    public static let name = "records"
    public static let operation = Operation<Self>(
        "decision records as they are made", .read, [Field("since", \.since, "first those after this delivery")],
        http: [HTTPForm(.get, "/v1/records", answer: .events)])
}
