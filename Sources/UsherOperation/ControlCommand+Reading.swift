public import UsherJSON
internal import UsherScene
internal import UsherText

extension ControlCommand {
    /// A command by its name and arguments; what it does not take is an error, with the closest there is.
    public init(name text: String, arguments: JSONValue?) throws(ControlError) {
        if let type = ContentOperations.type(named: text) {
            self = .content(try type.init(reading: arguments))
            return
        }
        guard let name = Name(rawValue: text) else {
            let known = Name.allCases.map(\.rawValue) + ContentOperations.names
            throw .unknown(
                .controlCommand, "command", text, among: known, at: "/command",
                otherwise: "there is: \(known.joined(separator: ", "))")
        }
        func reader(_ allowed: [String]) throws(ControlError) -> MemberReader {
            try MemberReader(arguments, at: "/arguments", allowed: allowed)
        }
        switch name {
        case .hello:
            self = .hello(
                protocolVersion: try reader(["protocol"]).integer("protocol", in: 1...1_000_000)
                    ?? ControlCommand.protocolVersion)
        case .dispatch:
            self =
                arguments?["stream"] == nil
                ? .dispatch(try ControlDispatch(try reader(ControlDispatch.members)))
                : .stream(try ControlStream(try reader(ControlStream.members)))
        case .connect:
            let reader = try reader(["sessions", "check"])
            guard let elements = try reader.elements("sessions") else { throw reader.missing("sessions") }
            var requests: [SessionRequest] = []
            requests.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                requests.append(try SessionRequest(reading: element, at: reader.pointer("sessions/\(index)")))
            }
            self = .connect(requests, checks: try reader.flag("check"))
        case .update, .activate, .disconnect:
            let reader = try reader(["session"] + SessionUpdate.members)
            let session = try reader.requiredText("session")
            let update = try SessionUpdate(reader)
            self =
                switch name {
                case .update: .update(session: session, update)
                case .activate: .activate(session: session, update)
                default: .disconnect(session: session, update)
                }
        case .close: self = .close(session: try reader(["session"]).requiredText("session"))
        case .sessions: self = .sessions(app: try reader(["app"]).text("app"))
        case .session: self = .session(id: try reader(["session"]).requiredText("session"))
        case .deliveries: self = .deliveries(try DeliveryQuery(try reader(DeliveryQuery.members)))
        case .delivery: self = .delivery(id: try reader(["delivery"]).requiredText("delivery"))
        case .retry: self = .retry(try DeliverySelection(try reader(DeliverySelection.members)))
        case .drop: self = .drop(try DeliverySelection(try reader(DeliverySelection.members)))
        case .explain: self = .explain(try ExplainRequest(try reader(ExplainRequest.members)))
        case .wait:
            _ = try reader([])
            self = .wait
        case .yield:
            _ = try reader([])
            self = .yield
        case .reload:
            _ = try reader([])
            self = .reload
        case .windows:
            _ = try reader([])
            self = .windows
        case .status:
            _ = try reader([])
            self = .status
        case .records: self = .records(since: try reader(["since"]).text("since"))
        }
    }
}

extension ControlDispatch {
    static let members = ["input", "input_base64", "too_long", "source", "seq", "app", "format", "token", "parent"]

    init(_ reader: MemberReader) throws(ControlError) {
        let isTooLong = try reader.flag("too_long")
        let text = try reader.text("input")
        let encoded = try reader.text("input_base64")
        var input: [UInt8] = []
        switch (text, encoded) {
        case (let text?, nil): input = Array(text.utf8)
        case (nil, let encoded?):
            guard let bytes = Base64.decode(encoded) else {
                throw .argument("input_base64 is not Base64 (RFC 4648)", at: reader.pointer("input_base64"))
            }
            input = bytes
        case (nil, nil):
            guard isTooLong else { throw reader.missing("input") }
        case (_?, _?): throw .argument("input and input_base64 exclude each other", at: reader.pointer("input_base64"))
        }
        self.init(
            input: input, isTooLong: isTooLong, source: try reader.text("source"),
            sequence: try reader.integer("seq", in: 1...Int.max), app: try reader.text("app"),
            format: try reader.text("format"), token: try Self.token(reader), parent: try reader.text("parent"))
    }

    static func token(_ reader: MemberReader) throws(ControlError) -> String? {
        guard let token = try reader.text("token") else { return nil }
        guard isToken(token) else {
            throw .argument(
                "token is no activation token: it is empty, longer than 1024 bytes, or holds control characters",
                at: reader.pointer("token"))
        }
        return token
    }
}

extension DeliveryQuery {
    static let members = ["states", "limit", "before"]

    init(_ reader: MemberReader) throws(ControlError) {
        var states: Set<DeliveryState> = []
        for (index, text) in (try reader.texts("states")).enumerated() {
            guard let state = DeliveryState(rawValue: text) else {
                throw .unknown(
                    .controlArgument, "state", text, among: DeliveryState.allCases.map(\.rawValue),
                    at: reader.pointer("states/\(index)"))
            }
            states.insert(state)
        }
        self.init(
            states: states, limit: try reader.integer("limit", in: DeliveryQuery.limits) ?? 100,
            before: try reader.text("before"))
    }
}

extension DeliverySelection {
    static let members = ["deliveries", "failed"]

    init(_ reader: MemberReader) throws(ControlError) {
        self.init(ids: try reader.texts("deliveries"), allFailed: try reader.flag("failed"))
        guard ids.isEmpty == allFailed else {
            throw .argument(
                ids.isEmpty ? "which deliveries?" : "deliveries and failed exclude each other",
                at: reader.pointer("deliveries"), help: "give their ids, or \"failed\":true for all that failed")
        }
    }
}

extension ExplainRequest {
    static let members = ["target", "payload", "delivery", "app", "all"]

    init(_ reader: MemberReader) throws(ControlError) {
        let given = [
            try reader.text("target").map { Subject.target($0) },
            try reader.text("payload").map { Subject.payload(Array($0.utf8)) },
            try reader.text("delivery").map { Subject.delivery($0) },
        ].compactMap(\.self)
        guard given.count == 1 else {
            throw .argument("explain takes one of target, payload and delivery", at: reader.place)
        }
        self.init(given[0], app: try reader.text("app"), showsAll: try reader.flag("all"))
    }
}
