internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Activities as commands print them, from the answer in JSON: that of this process or of the daemon.
private enum ActivityText {
    /// One activity for people.
    static func text(_ activity: JSONValue, style: TerminalStyle) -> String {
        func text(_ name: String) -> String { activity[name]?.string ?? "-" }
        var head = [text("state"), text("type"), text("app"), text("session")]
        if activity["is_current"]?.boolean ?? false { head[0] = "current, the system's" }
        var rows: [[String]] = [["id", text("id")]]
        for (name, label) in [
            ("target", "target"), ("persistent", "persistent"), ("webpage", "web page"), ("became", "became current"),
            ("resigned", "resigned"), ("expires", "expires"),
        ] {
            if let value = activity[name]?.string { rows.append([label, value]) }
        }
        if let version = activity["version"], version.kind != .null {
            rows.append(["version", version.string ?? version.text()])
        }
        if activity["needs_save"]?.boolean ?? false { rows.append(["needs save", "yes"]) }
        if let info = activity["activity"]?["userInfo"] { rows.append(["user info", info.text()]) }
        return style.emphasise(Printable.escaped(text("title"))) + "  "
            + Printable.escaped(head.joined(separator: "  ")) + "\n"
            + TextTable.text(rows.map { $0.map { Printable.escaped($0) } }, indent: 3)
    }

    /// The rows of a table of many, with the heads of its columns.
    static func rows(_ activities: [JSONValue], now: Instant) -> [[String]] {
        var rows = [["activity", "state", "session", "app", "became current", "title"]]
        for activity in activities {
            let became = activity["became"]?.string.flatMap { Instant(text: $0) }
            let isCurrent = activity["is_current"]?.boolean ?? false
            let cells = [
                activity["id"]?.string, (activity["state"]?.string ?? "-") + (isCurrent ? " *" : ""),
                activity["session"]?.string, activity["app"]?.string,
                became.map { Instant.age(now - $0) },
                activity["title"]?.string ?? activity["target"]?.string,
            ]
            rows.append(cells.map { Printable.escaped($0 ?? "-") })
        }
        return rows
    }
}

extension Context {
    func print(activity: JSONValue) {
        guard writesJSON else {
            output.write(ActivityText.text(activity, style: style))
            return
        }
        output.write(activity.text() + "\n")
    }

    /// - Parameter none: said where there are none, to people.
    func print(activities answer: JSONValue, none: String) {
        let activities = answer.elements ?? []
        guard writesJSON else {
            guard !activities.isEmpty else { return errors.note(none) }
            return print(
                table: ActivityText.rows(activities, now: .now), of: .activity,
                ids: activities.map { $0["id"]?.string ?? "" })
        }
        printArray(activities) { activity, json in json.value(activity) }
    }

    /// The answer of a change; what is to be said of it also on standard error, unless JSON was asked for.
    func print(activityChange answer: JSONValue) {
        if writesJSON {
            output.write(answer.text() + "\n")
        } else {
            print(activity: answer["activity"] ?? .null)
        }
        if asksForJSON { return }
        for warning in answer["warnings"]?.elements ?? [] { errors.warning(warning.string ?? "") }
        for finding in answer["findings"]?.elements ?? [] {
            let code = [finding["code"]?.string, finding["name"]?.string].compactMap(\.self).joined(separator: " ")
            errors.warning(
                "\(finding["message"]?.string ?? "") [\(code)]", help: finding["suggestion"]?.string)
        }
        for suggestion in answer["suggestions"]?.elements ?? [] {
            errors.note(
                "note about this page: \(QuotedText.text(suggestion["text"]?.string ?? "")):"
                    + " usher note open \(suggestion["note"]?.string ?? "")")
        }
    }
}
