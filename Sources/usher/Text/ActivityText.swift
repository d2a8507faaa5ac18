internal import UsherActivities
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Activities as commands print them.
private enum ActivityText {
    /// One activity for people.
    static func text(_ activity: ActivityAnswer, style: TerminalStyle) -> String {
        let state = activity.isCurrent ? "current, the system's" : activity.state.rawValue
        let head = [state, activity.type, activity.app, activity.session ?? "-"]
        var rows: [[String]] = [["id", activity.id]]
        for (label, value) in [
            ("target", activity.target), ("persistent", activity.persistent), ("web page", activity.webpage),
            ("became current", activity.became?.text), ("resigned", activity.resigned?.text),
            ("expires", activity.expires?.text),
        ] {
            if let value { rows.append([label, value]) }
        }
        if let version = activity.version, version.kind != .null {
            rows.append(["version", version.string ?? version.text()])
        }
        if activity.needsSave { rows.append(["needs save", "yes"]) }
        if let info = (try? activity.activity?.value())?.userInfo { rows.append(["user info", info.text()]) }
        return style.emphasise(Printable.escaped(activity.title ?? "-")) + "  "
            + Printable.escaped(head.joined(separator: "  ")) + "\n"
            + TextTable.text(escaping: rows, indent: 3)
    }
}

extension Context {
    func print(activity: ActivityAnswer) { print(activity, text: ActivityText.text(activity, style: style)) }

    /// - Parameter none: said where there are none, to people.
    func print(activities: [ActivityAnswer], none: String) {
        let now = Instant.now
        print(
            activities, none: none, listed: (.activity, \.id),
            ["activity", "state", "session", "app", "became current", "title"]
        ) { activity in
            [
                activity.id, activity.state.rawValue + (activity.isCurrent ? " *" : ""), activity.session,
                activity.app, activity.became.map { Instant.age(now - $0) }, activity.title ?? activity.target,
            ]
        }
    }

    /// The answer of a change; what is to be said of it also on standard error, unless JSON was asked for.
    func print(activityChange answer: ActivityChangeAnswer) {
        print(answer, text: ActivityText.text(answer.activity, style: style))
        if asksForJSON { return }
        errors.warnings(of: answer)
        for finding in answer.findings {
            errors.warning("\(finding.message) [\(finding.code) \(finding.name)]", help: finding.suggestion)
        }
        for suggestion in answer.suggestions {
            errors.note(
                "note about this page: \(QuotedText.text(suggestion.text)): usher note open \(suggestion.note)")
        }
    }
}
