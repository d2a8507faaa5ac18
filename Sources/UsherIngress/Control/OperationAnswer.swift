internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation
internal import UsherText

extension OperationRoute.Meaning {
    /// The response for an operation's result: JSON text.
    func response(_ json: [UInt8]) -> HTTPResponse {
        var result: JSONValue?
        var text = json
        if form.unwraps != nil || form.made != nil { result = try? JSONValue(parsing: json) }
        if let member = form.unwraps, let value = result, let one = unwrapped(member, value) {
            result = one
            var writer = JSONWriter(escaping: .minimal)
            writer.value(one)
            text = writer.bytes
        }
        guard let made = form.made else { return HTTPResponse.json(200, text) }
        // The same redirect again changes nothing.
        let isNew = result?["is_new"]?.boolean ?? true
        var response = HTTPResponse.json(isNew ? 201 : 200, text)
        if let id = made.members.reduce(result, { $0?[$1] })?.string {
            response.fields.append("Location", made.path + PercentEncoding.encode(id.utf8))
        }
        return response
    }

    /// The member with the result's warnings; nil for a list, which stays as it is.
    private func unwrapped(_ member: String, _ result: JSONValue) -> JSONValue? {
        var one = result[member] ?? .null
        var warnings = result["warnings"]?.elements ?? []
        if let elements = one.elements {
            guard isOne else { return nil }
            one = elements.first ?? .null
            warnings = warnings.compactMap { $0["message"] }
        }
        if case .object(let members) = one, !warnings.isEmpty {
            one = .object(members + [.init("warnings", .array(warnings))])
        }
        return one
    }

    /// The response for an operation that failed: one object of a list that was sent by itself has its own error.
    func response(_ error: ControlError, in target: RequestTarget) -> HTTPResponse {
        // That of a single element has its place in the element.
        if isOne, let single = error.problems.first?.error { return single.response() }
        return error.placed(in: target, form, isOne: isOne).response()
    }
}

extension HTTPResponse {
    fileprivate static func json(_ status: Int, _ text: [UInt8]) -> HTTPResponse {
        HTTPResponse(status, type: RequestBody.json, body: text + [0x0A])
    }
}
