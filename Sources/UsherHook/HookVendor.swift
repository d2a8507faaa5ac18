internal import UsherJSON
internal import UsherScene
internal import UsherText

/// A sender whose name is a set of defaults over a general scheme, and for other keys of a hook.
public struct HookVendor: Sendable, Hashable {
    /// As it is written for `scheme`.
    public let name: String
    /// The signature where nothing is written beside the name.
    public let scheme: HookSignature.Scheme
    /// The default of `input`; nil where the sender has none of its own.
    public let input: [HookInput]?
    /// The default of `answers`.
    public let answers: [Answer]
    /// The status for an accepted event; nil where the sender has none of its own.
    let acceptedStatus: Int?
    /// Where the sender's id of an event is.
    public let id: HookDefaultID

    /// An answer to a request that tests the endpoint: `[[hooks.NAME.answers]]` with one condition.
    public struct Answer: Sendable, Hashable {
        /// A JSON pointer to what tells such a request from an event.
        public let pointer: String
        /// The value there.
        public let equals: HookCondition.Constant
        /// JSON pointers of the values for templates, by name.
        public let values: [String: String]
        /// The members of the JSON that is answered; strings are templates.
        public let json: [String: HookCondition.Constant]
    }

    private init(
        _ name: String, _ scheme: HookSignature.Scheme, input: [HookInput]? = nil, answers: [Answer] = [],
        acceptedStatus: Int? = nil, id: HookDefaultID = HookDefaultID()
    ) {
        self.name = name
        self.id = id
        self.scheme = scheme
        self.input = input
        self.answers = answers
        self.acceptedStatus = acceptedStatus
    }

    private init(
        _ name: String, _ code: HookCode, input: [HookInput]? = nil, answers: [Answer] = [],
        acceptedStatus: Int? = nil, id: HookDefaultID = HookDefaultID()
    ) {
        self.init(name, .code(code), input: input, answers: answers, acceptedStatus: acceptedStatus, id: id)
    }

    /// The vendor of a name; nil where there is none.
    public static func named(_ name: String) -> HookVendor? {
        all.first { $0.name.hasSameBytes(as: name) }
    }

    public static let all = [
        HookVendor(
            "github",
            HookCode(header: "X-Hub-Signature-256", prefix: "sha256=", weakHeader: "X-Hub-Signature"),
            input: [.json, .formJSON(field: "payload")], id: HookDefaultID(headers: ["X-GitHub-Delivery"])),
        HookVendor(
            "gitea", HookCode(header: "X-Gitea-Signature"), id: HookDefaultID(headers: ["X-Gitea-Delivery"])),
        HookVendor(
            "sentry", HookCode(header: "Sentry-Hook-Signature"), id: HookDefaultID(headers: ["Request-ID"])),
        HookVendor(
            "gitlab", .bearer(.header("X-Gitlab-Token", prefix: "")),
            id: HookDefaultID(headers: ["Idempotency-Key", "X-Gitlab-Event-UUID"])),
        HookVendor(
            "stripe",
            HookCode(header: "Stripe-Signature", prefix: "v1=", separator: ",", time: SignedTime(.item(prefix: "t="))),
            id: HookDefaultID(pointer: "/id")),
        HookVendor(
            "pagerduty", HookCode(header: "X-PagerDuty-Signature", prefix: "v1=", separator: ","),
            id: HookDefaultID(pointer: "/event/id")),
        HookVendor(
            "slack", chat(header: "X-Slack-Signature", time: "X-Slack-Request-Timestamp"),
            input: [.json, .form, .formJSON(field: "payload")],
            answers: [
                Answer(
                    pointer: "/type", equals: .string("url_verification"), values: ["challenge": "/challenge"],
                    json: ["challenge": .string("{challenge}")])
            ], id: HookDefaultID(pointer: "/event_id")),
        HookVendor(
            "zoom", chat(header: "x-zm-signature", time: "x-zm-request-timestamp"),
            answers: [
                Answer(
                    pointer: "/event", equals: .string("endpoint.url_validation"),
                    values: ["plainToken": "/payload/plainToken"],
                    json: ["plainToken": .string("{plainToken}"), "encryptedToken": .string("{hmac.plainToken}")])
            ]),
        HookVendor(
            "shopify", HookCode(header: "X-Shopify-Hmac-Sha256", encoding: .base64),
            id: HookDefaultID(headers: ["X-Shopify-Webhook-Id"])),
        HookVendor(
            "linear", HookCode(header: "Linear-Signature", time: linearTime),
            id: HookDefaultID(headers: ["Linear-Delivery"])),
        HookVendor(
            "twilio",
            HookCode(
                .hmac(.sha1), header: "X-Twilio-Signature", encoding: .base64, content: [.url, .form],
                digestParameter: "bodySHA256"),
            input: [.form, .json], acceptedStatus: 204),
        HookVendor(
            "discord",
            HookCode(
                .publicKey(), header: "X-Signature-Ed25519", time: SignedTime(.header("X-Signature-Timestamp")),
                content: [.timestamp, .body], mismatchStatus: 401),
            answers: [Answer(pointer: "/type", equals: .integer(1), values: [:], json: ["type": .integer(1)])]),
        HookVendor(
            "sendgrid",
            HookCode(
                .publicKey(.p256), header: "X-Twilio-Email-Event-Webhook-Signature", encoding: .base64,
                time: SignedTime(.header("X-Twilio-Email-Event-Webhook-Timestamp")), content: [.timestamp, .body])),
    ]

    private static func chat(header: String, time: String) -> HookCode {
        HookCode(
            header: header, prefix: "v0=", time: SignedTime(.header(time)),
            content: [.literal("v0:"), .timestamp, .literal(":"), .body])
    }

    private static let linearTime = JSONReference("/webhookTimestamp").map {
        SignedTime(.pointer($0), format: .milliseconds, tolerance: 60)
    }
}

/// Where a sender's id of an event is, where the hook names no place: the pointer first, then the headers. `webhook-id` and the like
/// follow.
public struct HookDefaultID: Sendable, Hashable {
    /// Into the body.
    var pointer: JSONReference?
    public var headers: [String] = []

    public init(pointer: String? = nil, headers: [String] = []) {
        self.pointer = pointer.flatMap { JSONReference($0) }
        self.headers = headers
    }
}

extension HookDefinition {
    /// Takes over what a sender's name sets beside the signature.
    public mutating func takeDefaults(of vendor: HookVendor) {
        if let input = vendor.input { self.input = input }
        if let status = vendor.acceptedStatus { accepted = HookReply(status: status, body: status == 204 ? [] : nil) }
        answers = vendor.answers.map { HookAnswer($0) }
        defaultID = vendor.id
    }
}

extension HookAnswer {
    fileprivate init(_ answer: HookVendor.Answer) {
        let place = SourceLocation(path: "built-in", line: 1, column: 1)
        let conditions = JSONReference(answer.pointer).map {
            [HookCondition(.bodyPointer($0), .equals([answer.equals]), location: place)]
        }
        let values = answer.values.sorted { $0.key < $1.key }.map { name, pointer in
            HookValue(name: name, sources: JSONReference(pointer).map { [HookSource([.bodyPointer($0)])] } ?? [])
        }
        let members = answer.json.sorted { $0.key < $1.key }.map { name, value in
            JSONValue.Member(name, value.json)
        }
        self.init(conditions: conditions ?? [], values: values, content: .json(.object(members)))
    }
}

extension HookCondition.Constant {
    fileprivate var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let value): .number(String(value))
        case .boolean(let value): .boolean(value)
        }
    }
}
