internal import UsherJSON
internal import UsherPredicate
internal import UsherText

/// What `predicate eval` says about one predicate and subject.
struct PredicateJudgement {
    /// nil where the text is no scene condition.
    private var result: Bool?
    var canonicalText: String?
    var error: PredicateError?

    /// The condition's truth for the subject; nil is NULL.
    init(_ text: String, subject: String?) {
        do throws(PredicateError) {
            let predicate = try ScenePredicate(parsing: text)
            result = predicate.evaluate(subject)
            canonicalText = predicate.canonicalText
        } catch {
            self.error = error
        }
    }

    /// `true`, `false`, `parse-error` or `unsupported`.
    var resultText: String {
        switch (result, error?.kind) {
        case (let result?, _): result ? "true" : "false"
        case (nil, .unsupported): "unsupported"
        case (nil, _): "parse-error"
        }
    }

    var escapedCanonicalText: String { Printable.escaped(canonicalText ?? "") }

    /// The members `result`, `canonical` and `error`.
    func write(to json: inout JSONWriter) {
        json.key("result")
        writeResult(to: &json)
        json.member("canonical", canonicalText)
        json.key("error")
        writeError(to: &json)
    }

    func writeResult(to json: inout JSONWriter) {
        if let result { json.value(result) } else { json.value(resultText) }
    }

    func writeError(to json: inout JSONWriter) {
        guard let error else { return json.null() }
        PredicateJudgement.write(error, to: &json)
    }

    static func write(_ error: PredicateError, to json: inout JSONWriter) {
        json.beginObject()
        json.member("name", error.code)
        json.member("message", error.message)
        json.member("offset", error.offset)
        json.member("length", error.length)
        json.member("found", error.found)
        json.member("expected", error.expected)
        json.member("help", error.hint)
        json.endObject()
    }
}
