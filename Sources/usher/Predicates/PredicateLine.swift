internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherText

/// A line of `predicate eval`: `{"format": TEXT, "self": STRING|null}` in, the same with the judgement out.
enum PredicateLine {
    /// Writes the answer to a line.
    ///
    /// - Returns: false where the answer has an error.
    static func evaluate(
        _ line: Result<[UInt8], PayloadError>, _ document: inout JSONDocument, _ json: inout JSONWriter
    ) -> Bool {
        let bytes: [UInt8]
        switch line {
        case .success(let line): bytes = line
        case .failure(let error): return refuse([], error.code.name, error.message, at: nil, &json)
        }
        do throws(JSONError) {
            try document.parse(bytes)
        } catch {
            return refuse([], error.code.rawValue, error.message, at: error.offset, &json)
        }
        guard let root = document.root, document.kind(root) == .object else {
            let kind = document.root.map { document.kind($0).phrase } ?? "nothing"
            return refuse([], "json.type", "the line is \(kind), not an object", at: 0, &json)
        }
        let members = document.value(root).members ?? []
        guard let format = document.value("format", in: root) else {
            return refuse(members, "format.missing", "the line has no format", at: 0, &json)
        }
        guard let text = document.string(format) else {
            let kind = document.kind(format).phrase
            return refuse(
                members, "format.type", "format is \(kind), not a string", at: document.offset(format), &json)
        }
        var subject: String?
        if let value = document.value("self", in: root), document.kind(value) != .null {
            guard let string = document.string(value) else {
                let kind = document.kind(value).phrase
                return refuse(
                    members, "self.type", "self is \(kind), not a string or null", at: document.offset(value), &json)
            }
            subject = string
        }
        let judgement = PredicateJudgement(text, subject: subject)
        answer(
            members, result: { judgement.writeResult(to: &$0) }, canonical: judgement.canonicalText,
            error: { judgement.writeError(to: &$0) }, &json)
        return judgement.error == nil
    }

    /// The line itself cannot be used.
    private static func refuse(
        _ members: [JSONValue.Member], _ name: String, _ message: String, at offset: Int?, _ json: inout JSONWriter
    ) -> Bool {
        answer(
            members, result: { $0.null() }, canonical: nil,
            error: { json in
                json.beginObject()
                json.member("name", name)
                json.member("message", message)
                json.member("offset", offset)
                json.endObject()
            }, &json)
        return false
    }

    /// The members of the line in their order; those that the answer names are replaced where they stand.
    private static func answer(
        _ members: [JSONValue.Member], result: (inout JSONWriter) -> Void, canonical: String?,
        error: (inout JSONWriter) -> Void, _ json: inout JSONWriter
    ) {
        var missing = ["result", "canonical", "error"]
        func value(of name: String) {
            switch name {
            case "result": result(&json)
            case "canonical": if let canonical { json.value(canonical) } else { json.null() }
            default: error(&json)
            }
        }
        json.beginObject()
        for member in members {
            json.key(member.name)
            if let place = missing.firstIndex(where: { $0.hasSameBytes(as: member.name) }) {
                value(of: missing.remove(at: place))
            } else {
                json.value(member.value)
            }
        }
        for name in missing {
            json.key(name)
            value(of: name)
        }
        json.endObject()
    }
}
