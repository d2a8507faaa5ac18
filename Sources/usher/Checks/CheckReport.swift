internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherScene
internal import UsherText

/// What `usher check` found: diagnostics of the files and results of route tests.
struct CheckReport {
    /// By file and place.
    var diagnostics: [ConfigurationDiagnostic]
    /// nil where they were not run: errors make every route doubtful.
    var routes: [RouteCheck.Result]?
    /// The expectations of hooks, likewise; those that do not hold are among the diagnostics.
    var hooks: [HookExpectations.Result]?
    var apps: [App]
    /// The folder that paths are relative to, as the user named it; what comes before them in annotations.
    var folder: String
    var digest: String
    /// A warning is a failure.
    var isStrict = false

    private var errors: Int { diagnostics.count { $0.severity == .error } }
    private var warnings: Int { diagnostics.count { $0.severity == .warning } }
    private var failedRoutes: [RouteCheck.Result] { (routes ?? []).filter { !$0.passed } }

    /// An error or a failed route test; a warning alone is none, unless the check is strict.
    var hasFinding: Bool { errors > 0 || !failedRoutes.isEmpty || isStrict && warnings > 0 }

    /// The expectations of each hook that has some.
    private var hookResults: [(hook: String, results: [HookExpectations.Result])] {
        var groups: [(hook: String, results: [HookExpectations.Result])] = []
        for result in hooks ?? [] {
            if groups.last?.hook != result.hook { groups.append((result.hook, [])) }
            groups[groups.count - 1].results.append(result)
        }
        return groups
    }

    /// A path as seen from where the user is.
    private func path(_ relative: String) -> String {
        if relative.utf8.first == UInt8(ascii: "/") || folder.isEmpty || folder == "." { return relative }
        return folder.utf8.last == UInt8(ascii: "/") ? folder + relative : "\(folder)/\(relative)"
    }

    /// `with main and clown (…/crusty) open`.
    private static func situation(_ expectation: RouteExpectation) -> String {
        switch expectation.open.count {
        case 0: "with no window open"
        case 1: "with \(RouteCheck.label(expectation.open[0])) open"
        default: "with \(expectation.open.map { RouteCheck.label($0) }.joined(separator: ", ")) open"
        }
    }

    /// `scene clown, reason prefers`.
    private static func outcome(scene: String?, reason: Reason?) -> String {
        let what = scene.map { "scene \($0)" } ?? "no scene"
        return reason.map { "\(what), reason \($0.rawValue)" } ?? what
    }

    private static func count(_ number: Int, _ what: String) -> String {
        number == 1 ? "1 \(what)" : "\(number) \(what)s"
    }
}

// MARK: - Annotations

extension CheckReport {
    /// Workflow commands (GitHub: workflow commands for Actions, "Setting an error message").
    func githubAnnotations() -> String {
        var text = ""
        for diagnostic in diagnostics {
            let message = diagnostic.message + (diagnostic.help.map { "\n\($0)" } ?? "")
            text += annotation(
                diagnostic.severity.rawValue, path: diagnostic.path, line: diagnostic.location?.line,
                column: diagnostic.location?.column, title: diagnostic.code.description, message)
        }
        for route in failedRoutes {
            let location = route.expectation.location
            text += annotation(
                "error", path: location.path, line: location.line, column: location.column,
                title: DiagnosticCode.expectFailed.description, CheckReport.message(route))
        }
        return text
    }

    private func annotation(
        _ severity: String, path: String, line: Int?, column: Int?, title: String, _ message: String
    ) -> String {
        var properties = ["file=\(CheckReport.escapedProperty(self.path(path)))"]
        if let line { properties.append("line=\(line)") }
        if let column { properties.append("col=\(column)") }
        properties.append("title=\(CheckReport.escapedProperty(title))")
        return "::\(severity) \(properties.joined(separator: ","))::\(CheckReport.escapedData(message))\n"
    }

    private static func escapedData(_ text: String) -> String {
        replacing(Printable.escaped(text, keeping: "\n"), ["%": "%25", "\n": "%0A"])
    }

    private static func escapedProperty(_ text: String) -> String {
        replacing(escapedData(text), [":": "%3A", ",": "%2C"])
    }

    /// One `testsuite` for the files and one an app, in the form that CI systems read.
    func junit() -> String {
        var files: [String] = []
        for diagnostic in diagnostics where !files.contains(diagnostic.path) { files.append(diagnostic.path) }
        var cases = ""
        var failed = 0
        for file in files {
            // Expectations are test cases of their own.
            let own = diagnostics.filter { $0.path == file && $0.code != .hookExpectation }
            let errors = own.filter { $0.severity == .error || isStrict }
            cases += "    <testcase classname=\"configuration\" name=\"\(CheckReport.xml(file))\""
            cases += " file=\"\(CheckReport.xml(path(file)))\">\n"
            if let first = errors.first {
                failed += 1
                cases += "      <failure type=\"\(first.code.name)\" message=\"\(CheckReport.xml(first.message))\">"
                cases += CheckReport.xml(errors.map(\.description).joined(separator: "\n\n")) + "</failure>\n"
            }
            let warnings = own.filter { $0.severity == .warning }
            if !warnings.isEmpty, !isStrict {
                let text = warnings.map(\.description).joined(separator: "\n\n")
                cases += "      <system-err>\(CheckReport.xml(text))</system-err>\n"
            }
            cases += "    </testcase>\n"
        }
        if files.isEmpty { cases = "    <testcase classname=\"configuration\" name=\"configuration\"/>\n" }
        var suites = suite("configuration", tests: max(files.count, 1), failures: failed, cases)
        for app in apps where !app.expectations.isEmpty {
            let own = (routes ?? []).filter { $0.app == app.id }
            guard routes != nil else { continue }
            suites += suite(
                app.id, tests: own.count, failures: own.count { !$0.passed }, own.map { testCase($0) }.joined())
        }
        for (hook, results) in hookResults {
            suites += suite(
                "hook \(hook)", tests: results.count, failures: results.count { $0.finding != nil },
                results.map { testCase($0) }.joined())
        }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"usher check\">\n\(suites)</testsuites>\n"
    }

    private func suite(_ name: String, tests: Int, failures: Int, _ cases: String) -> String {
        "  <testsuite name=\"\(CheckReport.xml(name))\" tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\">\n"
            + "\(cases)  </testsuite>\n"
    }

    private func testCase(_ result: HookExpectations.Result) -> String {
        let name = "expectation \(result.number)"
        let start =
            "    <testcase classname=\"\(CheckReport.xml("hook \(result.hook)"))\" name=\"\(name)\""
            + " file=\"\(CheckReport.xml(path(result.location.path)))\" line=\"\(result.location.line)\""
        guard let finding = result.finding else { return start + "/>\n" }
        return start
            + ">\n      <failure type=\"\(finding.code.name)\" message=\"\(CheckReport.xml(finding.message))\">"
            + CheckReport.xml(finding.description) + "</failure>\n    </testcase>\n"
    }

    private func testCase(_ route: RouteCheck.Result) -> String {
        let expectation = route.expectation
        let name = "\(expectation.target?.text ?? "no target"), \(CheckReport.situation(expectation))"
        let place = "file=\"\(CheckReport.xml(path(expectation.location.path)))\" line=\"\(expectation.location.line)\""
        let start =
            "    <testcase classname=\"\(CheckReport.xml(route.app))\" name=\"\(CheckReport.xml(name))\" \(place)"
        guard !route.passed else { return start + "/>\n" }
        let message = CheckReport.message(route)
        return start
            + ">\n      <failure type=\"\(DiagnosticCode.expectFailed.name)\" message=\"\(CheckReport.xml(message))\">"
            + CheckReport.xml(route.why.map { "\($0.subject): \($0.verdict)" }.joined(separator: "\n"))
            + "</failure>\n    </testcase>\n"
    }

    /// Text for an attribute or an element; two more characters that XML 1.0 cannot hold become U+FFFD.
    private static func xml(_ text: String) -> String {
        replacing(
            Printable.escaped(text, keeping: "\n"),
            [
                "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\n": "&#10;", "\u{FFFE}": "\u{FFFD}",
                "\u{FFFF}": "\u{FFFD}",
            ])
    }

    private static func replacing(_ text: String, _ replacements: [Unicode.Scalar: String]) -> String {
        text.unicodeScalars.map { replacements[$0] ?? String($0) }.joined()
    }
}

// MARK: - JSON

extension CheckReport {
    /// The report as one JSON object.
    func json() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("v", 1)
        json.member("ok", !hasFinding)
        json.member("config", digest)
        json.member("apps", apps.map(\.id))
        json.member("errors", errors + failedRoutes.count)
        json.member("warnings", warnings)
        json.beginArray("findings")
        for diagnostic in diagnostics { CheckReport.write(diagnostic, to: &json) }
        for route in failedRoutes { CheckReport.write(finding: route, to: &json) }
        json.endArray()
        json.key("expectations")
        if let routes {
            json.beginArray()
            for route in routes { CheckReport.write(route, to: &json) }
            json.endArray()
        } else {
            json.null()
        }
        json.key("hook_expectations")
        if let hooks {
            json.beginArray()
            for result in hooks {
                json.beginObject()
                json.member("hook", result.hook)
                json.member("number", result.number)
                json.member("at", result.location.description)
                json.member("passed", result.finding == nil)
                json.endObject()
            }
            json.endArray()
        } else {
            json.null()
        }
        json.endObject()
        json.newline()
        return json.bytes
    }

    private static func write(_ diagnostic: ConfigurationDiagnostic, to json: inout JSONWriter) {
        json.beginObject()
        json.member("severity", diagnostic.severity.rawValue)
        json.member("code", diagnostic.code.code)
        json.member("name", diagnostic.code.name)
        json.member("message", diagnostic.message)
        json.member("help", diagnostic.help)
        json.member("at", diagnostic.location?.description ?? diagnostic.path)
        json.member("path", diagnostic.path)
        json.member("line", diagnostic.location?.line)
        json.member("column", diagnostic.location?.column)
        json.member("length", diagnostic.location.map { _ in diagnostic.length })
        json.member("source", diagnostic.sourceLine)
        json.member("see", diagnostic.related?.description)
        json.member("text", diagnostic.description)
        json.endObject()
    }

    private static func write(finding route: RouteCheck.Result, to json: inout JSONWriter) {
        let location = route.expectation.location
        json.beginObject()
        json.member("severity", "error")
        json.member("code", DiagnosticCode.expectFailed.code)
        json.member("name", DiagnosticCode.expectFailed.name)
        json.member("message", message(route))
        json.nullMember("help")
        json.member("at", location.description)
        json.member("path", location.path)
        json.member("line", location.line)
        json.member("column", location.column)
        json.endObject()
    }

    /// A failed test in one sentence.
    private static func message(_ route: RouteCheck.Result) -> String {
        let expectation = route.expectation
        return "\(expectation.target?.text ?? "a request without a target"), \(situation(expectation)): expected"
            + " \(outcome(scene: expectation.scene, reason: expectation.reason)),"
            + " got \(outcome(scene: route.scene, reason: route.reason))"
    }

    private static func write(_ route: RouteCheck.Result, to json: inout JSONWriter) {
        let expectation = route.expectation
        json.beginObject()
        json.member("app", route.app)
        json.member("number", route.number)
        json.member("at", expectation.location.description)
        json.member("target", expectation.target?.text)
        json.beginArray("open")
        for open in expectation.open {
            json.beginObject()
            json.member("scene", open.scene)
            json.member("target", open.target?.text)
            json.endObject()
        }
        json.endArray()
        json.member("passed", route.passed)
        json.beginObject("expected")
        json.member("scene", expectation.scene)
        json.member("reason", expectation.reason?.rawValue)
        json.endObject()
        json.beginObject("got")
        json.member("scene", route.scene)
        json.member("reason", route.reason.rawValue)
        json.member("window", route.window)
        json.member("message", route.message)
        json.endObject()
        json.beginArray("why")
        for finding in route.why {
            json.beginObject()
            json.member("subject", finding.subject)
            json.member("verdict", finding.verdict)
            for truth in finding.truths {
                json.beginObject(truth.condition)
                json.member("result", truth.result)
                json.member("text", truth.predicate)
                json.member("at", truth.location?.description)
                json.endObject()
            }
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

// MARK: - Text

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
                text += "routes  \(Printable.escaped(app.id))  \(held) of \(own.count) hold\n"
            }
        } else if routes == nil, apps.contains(where: { !$0.expectations.isEmpty }) {
            text += "routes  not tested: the configuration has errors\n"
        }
        for (hook, results) in hookResults {
            let held = results.count { $0.finding == nil }
            text += "hook    \(Printable.escaped(hook))  \(held) of \(results.count) hold\n"
        }
        text += CheckReport.count(apps.count, "app") + " checked\n"
        let failures = errors + failedRoutes.count
        if hasFinding {
            var counts = failures > 0 ? [CheckReport.count(failures, "error")] : []
            if isStrict, warnings > 0 { counts.append(CheckReport.count(warnings, "warning")) }
            return text + style.color("failed, \(counts.joined(separator: ", "))", .red) + "\n"
        }
        guard warnings > 0 else { return text + style.color("ok", .green) + "\n" }
        return text + style.color("ok, \(CheckReport.count(warnings, "warning"))", .yellow) + "\n"
    }

    private static func text(_ route: RouteCheck.Result, _ style: TerminalStyle) -> String {
        let expectation = route.expectation
        let place = Printable.escaped(expectation.location.description)
        let target = Printable.escaped(expectation.target?.text ?? "a request without a target")
        var text = "\(place): \(style.color("error", .red)): the route test fails [\(DiagnosticCode.expectFailed)]\n"
        text += "   \(target), \(Printable.escaped(situation(expectation)))\n"
        let got = outcome(scene: route.scene, reason: route.reason) + (route.window == nil ? "" : ", the open window")
        text += TextTable.text(
            escaping: [
                ["expected", outcome(scene: expectation.scene, reason: expectation.reason)],
                ["got", got + (route.message.map { ": \($0)" } ?? "")],
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
            text += "   why\n" + TextTable.text(escaping: rows, indent: 5)
        }
        return text
    }
}
