internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherStore
internal import UsherTarget
internal import UsherText

/// Redirects as JSON, the same for every interface (socket, HTTP, command line).
enum RedirectAnswer {
    /// `{"number","kind","source","destination","made","reason"}`.
    static func redirect(_ redirect: Store.Redirect) -> JSONValue {
        .object([
            .init("number", .number(String(redirect.number))), .init("kind", .string(redirect.kind.rawValue)),
            .init("source", .string(redirect.source.text)), .init("destination", text(redirect.destination?.text)),
            .init("made", .string(Instant(microseconds: redirect.made).text)),
            .init("reason", text(redirect.reason)),
        ])
    }

    /// `{"from","to","note"}` each.
    static func hops(_ redirection: Redirection) -> JSONValue {
        .array(
            redirection.hops.map { hop in
                .object([
                    .init("from", .string(hop.from.text)), .init("to", .string(hop.to.text)),
                    .init("note", .string(hop.note)),
                ])
            })
    }

    /// `{"identifier","made","reason"}`, or null.
    static func tombstone(_ redirection: Redirection) -> JSONValue {
        guard let tombstone = redirection.tombstone else { return .null }
        return .object([
            .init("identifier", .string(tombstone.identifier.text)),
            .init("made", .string(Instant(microseconds: tombstone.made).text)),
            .init("reason", text(tombstone.reason)),
        ])
    }

    /// The alias list, newest first.
    static func aliases(_ redirection: Redirection, of id: TargetContentIdentifier) -> JSONValue {
        .array(redirection.aliases(of: id).map { .string($0.text) })
    }

    static func findings(_ findings: [LintFinding], about id: TargetContentIdentifier) -> JSONValue {
        .array(
            findings.map { finding in
                .object([
                    .init("id", .string(id.text)), .init("code", .string(finding.code.number)),
                    .init("name", .string(finding.code.rawValue)), .init("message", .string(finding.message)),
                    .init("suggestion", .string(finding.suggestion)),
                ])
            })
    }

    private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
