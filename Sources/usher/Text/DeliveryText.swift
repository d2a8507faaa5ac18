internal import UsherEngine
internal import UsherJSON
internal import UsherScene
internal import UsherStore
internal import UsherText

/// A delivery as commands print it.
enum DeliveryText {
    /// One delivery for people.
    ///
    /// - Parameters:
    ///   - explanation: what decided it, JSON.
    ///   - engine: the process that carries out what is open; nil where none runs.
    static func text(
        _ delivery: Store.StoredDelivery, explanation: String?, engine: Int32?, style: TerminalStyle
    ) -> String {
        let keeper = delivery.state.isTerminal ? nil : engine.map { "process \($0)" }
        let facts: [(String, String?)] = [
            ("sender's id", delivery.senderID), ("source", delivery.source), ("format", delivery.format),
            ("accepted", Instant(microseconds: delivery.accepted).text),
            ("finished", delivery.finished.map { Instant(microseconds: $0).text }),
            ("app", delivery.app), ("target", delivery.target),
            ("resolved", delivery.resolved == delivery.target ? nil : delivery.resolved),
            ("scene", delivery.scene), ("session", delivery.session), ("action", delivery.action?.rawValue),
            ("reason", delivery.reason?.rawValue), ("attempts", String(delivery.attempts)),
            ("in the hands of", keeper), ("config", delivery.configuration), ("duplicate of", delivery.original),
            ("pressed on", delivery.parent),
            ("button", delivery.button), ("notification", delivery.notification.map(notification)),
        ]
        let rows = facts.compactMap { name, value in value.map { [name, Printable.escaped($0)] } }
        var text = style.emphasise(Printable.escaped(delivery.id)) + "  " + delivery.state.rawValue + "\n"
        text += TextTable.text(rows, indent: 3)
        if let record = delivery.record { text += "\nrecord\n" + pretty(Array(record.utf8)) }
        if !delivery.input.isEmpty { text += "\ninput\n" + pretty(delivery.input) }
        if let stored = explanation, let explanation = try? JSONValue(parsing: Array(stored.utf8)) {
            text += "\nwhy\n" + ExplanationText(explanation, style: style, closing: "Decided then.").text + "\n"
        }
        return text
    }

    /// What became of what was shown.
    private static func notification(_ notification: Store.StoredNotification) -> String {
        let shown = "\(notification.number), shown \(Instant(microseconds: notification.shown).text)"
        guard let ended = notification.ended else { return shown }
        let button = notification.response.map { " (\($0))" } ?? ""
        return "\(shown), \(notification.state.rawValue)\(button) \(Instant(microseconds: ended).text)"
    }

    /// JSON text indented, or, where it is none, as it is, escaped.
    private static func pretty(_ bytes: [UInt8]) -> String {
        let text =
            (try? JSONValue(parsing: bytes).text(escaping: .terminal, pretty: true))
            ?? Printable.escaped(String(decoding: bytes, as: UTF8.self))
        return text.split(separator: "\n").map { "   \($0)\n" }.joined()
    }
}
