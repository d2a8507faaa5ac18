internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherText

extension DecisionRecord {
    /// A record as the daemon wrote it, as far as it is shown to people.
    init(reading value: JSONValue) {
        func text(_ name: String) -> String? { value[name]?.string }
        self.init(
            id: text("id") ?? "", sequence: value["seq"]?.int64.map { Int(clamping: $0) } ?? 0,
            time: text("time").flatMap { Instant(text: $0) } ?? Instant(microseconds: 0),
            source: text("source") ?? "", configuration: text("config") ?? "",
            action: text("action").flatMap { Action(rawValue: $0) } ?? .none,
            reason: text("reason").flatMap { Reason(rawValue: $0) } ?? .invalid,
            outcome: text("outcome").flatMap { Outcome(rawValue: $0) } ?? .skipped)
        senderID = text("sender_id")
        app = text("app")
        target = text("target")
        scene = text("scene")
        session = text("session")
        title = text("title")
        seen = text("seen")
        view = text("view").flatMap(WindowView.init)
        rule = text("rule").flatMap { SourceLocation(text: $0) }
        if let error = value["error"], error.kind == .object {
            self.error = Diagnostic(
                DiagnosticCode(error["code"]?.string ?? "", error["name"]?.string ?? ""),
                error["message"]?.string ?? "", at: error["at"]?.string, help: error["help"]?.string)
        }
        warnings = (value["warning_details"]?.elements ?? []).map { note in
            Note(
                name: note["name"]?.string ?? "", message: note["message"]?.string ?? "", pointer: note["at"]?.string,
                help: note["help"]?.string)
        }
    }
}

extension SourceLocation {
    /// `path:line:column`; nil where it is none.
    fileprivate init?(text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let column = Int(parts[parts.count - 1]), let line = Int(parts[parts.count - 2]) else {
            return nil
        }
        self.init(path: parts.dropLast(2).joined(separator: ":"), line: line, column: column)
    }
}
