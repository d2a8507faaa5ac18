public import UsherJSON
internal import UsherScene
internal import UsherText

extension ControlCommand {
    /// Appends the arguments as one JSON object.
    public func writeArguments(to json: inout JSONWriter) {
        if case .content(let call) = self { return call.writeArguments(to: &json) }
        json.beginObject()
        switch self {
        case .hello(let version): json.member("protocol", version)
        case .dispatch(let dispatch): dispatch.writeMembers(to: &json)
        case .stream(let stream): stream.writeMembers(to: &json)
        case .connect(let requests, let checks):
            json.beginArray("sessions")
            for request in requests { request.write(to: &json) }
            json.endArray()
            if checks { json.member("check", true) }
        case .update(let session, let update), .activate(let session, let update), .disconnect(let session, let update):
            json.member("session", session)
            update.writeMembers(to: &json)
        case .close(let session), .session(let session): json.member("session", session)
        case .sessions(let app): json.given("app", app)
        case .deliveries(let query):
            if !query.states.isEmpty {
                json.member("states", DeliveryState.allCases.filter { query.states.contains($0) }.map(\.rawValue))
            }
            json.member("limit", query.limit)
            json.given("before", query.before)
        case .delivery(let id): json.member("delivery", id)
        case .retry(let selection), .drop(let selection):
            if selection.allFailed { json.member("failed", true) } else { json.member("deliveries", selection.ids) }
        case .explain(let request):
            switch request.subject {
            case .target(let target): json.member("target", target)
            case .payload(let bytes): json.member("payload", String(decoding: bytes, as: UTF8.self))
            case .delivery(let id): json.member("delivery", id)
            }
            json.given("app", request.app)
            if request.showsAll { json.member("all", true) }
        case .wait, .reload, .status, .yield, .windows, .content: break
        case .records(let since): json.given("since", since)
        }
        json.endObject()
    }
}

extension ControlDispatch {
    func writeMembers(to json: inout JSONWriter) {
        if isTooLong {
            json.member("too_long", true)
        } else if let text = String(validating: input, as: UTF8.self) {
            json.member("input", text)
        } else {
            json.member("input_base64", Base64.encode(input))
        }
        json.given("source", source)
        if let sequence { json.member("seq", sequence) }
        json.given("app", app)
        json.given("format", format)
        json.given("token", token)
        json.given("parent", parent)
    }
}
