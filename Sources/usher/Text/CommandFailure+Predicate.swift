internal import UsherPredicate
internal import UsherText

extension CommandFailure {
    /// A predicate on the command line that does not parse.
    ///
    /// - Parameter name: what it was given as, such as `--can`.
    static func predicate(_ error: PredicateError, in text: String, name: String) -> CommandFailure {
        var failure = CommandFailure(
            .usage, name.isEmpty ? error.message : "\(name): \(error.message)",
            excerpt: CaretText.lines(text, offset: error.offset, length: error.length), help: error.hint)
        if failure.help == nil, !error.expected.isEmpty {
            failure.help = "expected \(error.expected.joined(separator: " or "))"
        }
        return failure
    }
}
