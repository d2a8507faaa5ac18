internal import UsherConfiguration
internal import UsherDispatch
internal import UsherLog
internal import UsherScene
internal import UsherText

extension CheckReport {
    /// The report for people.
    func text(style: TerminalStyle) -> String {
        var text = ""
        for diagnostic in diagnostics { text += diagnostic.description + "\n\n" }
        for route in failedRoutes { text += CheckReport.text(route, style) + "\n" }
        if let routes, !routes.isEmpty {
            for app in apps where !app.expectations.isEmpty {
                let own = routes.filter { $0.app == app.id }
                let held = own.count { $0.passed }
                text += "routes  \(TerminalText.escape(app.id))  \(held) of \(own.count) hold\n"
            }
        } else if routes == nil, apps.contains(where: { !$0.expectations.isEmpty }) {
            text += "routes  not tested: the configuration has errors\n"
        }
        let apps = CheckReport.count(apps.count, "app")
        let verdict =
            hasFinding
            ? style.color("not right", .red)
            : warnings > 0 ? style.color("works", .yellow) : style.color("right", .green)
        var parts = [apps, CheckReport.count(errors, "error"), CheckReport.count(warnings, "warning")]
        if !failedRoutes.isEmpty { parts.append(CheckReport.count(failedRoutes.count, "failed route test")) }
        return text + "\(verdict)  \(parts.joined(separator: ", "))\n"
    }

    private static func text(_ route: RouteCheck.Result, _ style: TerminalStyle) -> String {
        let expectation = route.expectation
        let place = TerminalText.escape(expectation.location.description)
        let target = TerminalText.escape(expectation.target?.text ?? "a request without a target")
        var text = "\(place): \(style.color("error", .red)): the route test fails [\(CheckReport.routeCode)]\n"
        text += "   \(target), \(TerminalText.escape(situation(expectation)))\n"
        let got = outcome(scene: route.scene, reason: route.reason) + (route.window == nil ? "" : ", the open window")
        text += TextTable.text(
            [
                ["expected", TerminalText.escape(outcome(scene: expectation.scene, reason: expectation.reason))],
                ["got", TerminalText.escape(got + (route.message.map { ": \($0)" } ?? ""))],
            ], indent: 3)
        var rows: [[String]] = []
        for finding in route.why {
            if finding.truths.isEmpty { rows.append([finding.subject, "", "", "", finding.verdict]) }
            for (index, truth) in finding.truths.enumerated() {
                rows.append([
                    index == 0 ? finding.subject : "", truth.condition, truth.result ? "yes" : "no",
                    truth.location.map { "\($0.line):\($0.column)" } ?? "default",
                    index == 0 ? finding.verdict : "",
                ])
            }
        }
        if !rows.isEmpty {
            text += "   why\n" + TextTable.text(rows.map { $0.map { TerminalText.escape($0) } }, indent: 5)
        }
        return text
    }
}
