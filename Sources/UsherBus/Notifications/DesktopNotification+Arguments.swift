internal import UsherActivation
internal import UsherText

extension DesktopNotification {
    /// The arguments of `Notify`, in their order (Desktop Notifications Specification 1.2, Basic Design).
    func arguments(replacing number: UInt32, capabilities: Set<String>) -> [BusValue] {
        let hasMarkup = capabilities.contains("body-markup")
        let texts = capabilities.contains("actions") ? actions.flatMap { [$0.key, $0.label] } : []
        return [
            .string(DesktopNotificationText.line(application)), .uint32(number),
            .string(DesktopNotificationText.line(icon ?? "")), .string(DesktopNotificationText.line(summary)),
            .string(DesktopNotificationText.body(body, escapingMarkup: hasMarkup)),
            .strings(texts.map(DesktopNotificationText.line)), .options(hints), .int32(expires ?? -1),
        ]
    }

    private var hints: [(name: String, value: BusValue)] {
        var hints: [(name: String, value: BusValue)] = [("urgency", .byte(urgency.rawValue))]
        let texts = [
            ("desktop-entry", desktopEntry), ("category", category), ("image-path", image),
            ("sound-name", isSilent ? nil : sound), ("x-usher-error", error),
        ]
        for (name, text) in texts {
            if let text, !text.isEmpty { hints.append((name, .string(DesktopNotificationText.line(text)))) }
        }
        if isSilent { hints.append(("suppress-sound", .boolean(true))) }
        if isTransient { hints.append(("transient", .boolean(true))) }
        return hints
    }
}

/// Text of senders, as a server can be given it.
private enum DesktopNotificationText {
    /// No screen shows more, in bytes.
    private static let longestLine = 1024
    private static let longestBody = 8 * 1024

    /// One line; a message on the bus cannot hold a NUL.
    static func line(_ text: String) -> String {
        var line = ""
        for scalar in Printable.text(text, limit: longestLine, as: .plain).unicodeScalars {
            guard line.utf8.count + scalar.utf8.count <= longestLine else { break }
            line.unicodeScalars.append(scalar)
        }
        return line
    }

    /// Lines of plain text.
    ///
    /// - Parameter escapingMarkup: the server would take `<b>` for markup.
    static func body(_ text: String, escapingMarkup: Bool) -> String {
        var body = ""
        for scalar in Printable.text(text, limit: longestBody, as: .plain, keeping: "\n").unicodeScalars {
            guard body.utf8.count < longestBody else { break }
            switch scalar {
            case "&" where escapingMarkup: body += "&amp;"
            case "<" where escapingMarkup: body += "&lt;"
            case ">" where escapingMarkup: body += "&gt;"
            default: body.unicodeScalars.append(scalar)
            }
        }
        return body
    }
}
