internal import UsherConfiguration
internal import UsherDispatch
internal import UsherScene

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
                title: CheckReport.routeCode.description, CheckReport.message(route))
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
        replacing(text) { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            default: nil
            }
        }
    }

    private static func escapedProperty(_ text: String) -> String {
        replacing(escapedData(text)) { scalar in
            switch scalar {
            case ":": "%3A"
            case ",": "%2C"
            default: nil
            }
        }
    }

    /// One `testsuite` for the files and one an app, in the form that CI systems read.
    func junit() -> String {
        var files: [String] = []
        for diagnostic in diagnostics where !files.contains(diagnostic.path) { files.append(diagnostic.path) }
        var cases = ""
        var failed = 0
        for file in files {
            let own = diagnostics.filter { $0.path == file }
            let errors = own.filter { $0.severity == .error }
            cases += "    <testcase classname=\"configuration\" name=\"\(CheckReport.xml(file))\""
            cases += " file=\"\(CheckReport.xml(path(file)))\">\n"
            if let first = errors.first {
                failed += 1
                cases += "      <failure type=\"\(first.code.name)\" message=\"\(CheckReport.xml(first.message))\">"
                cases += CheckReport.xml(errors.map(\.description).joined(separator: "\n\n")) + "</failure>\n"
            }
            let warnings = own.filter { $0.severity == .warning }
            if !warnings.isEmpty {
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
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"usher check\">\n\(suites)</testsuites>\n"
    }

    private func suite(_ name: String, tests: Int, failures: Int, _ cases: String) -> String {
        "  <testsuite name=\"\(CheckReport.xml(name))\" tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\">\n"
            + "\(cases)  </testsuite>\n"
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
            + ">\n      <failure type=\"\(CheckReport.routeCode.name)\" message=\"\(CheckReport.xml(message))\">"
            + CheckReport.xml(route.why.map { "\($0.subject): \($0.verdict)" }.joined(separator: "\n"))
            + "</failure>\n    </testcase>\n"
    }

    /// Text for an attribute or an element; what XML 1.0 cannot hold becomes U+FFFD.
    private static func xml(_ text: String) -> String {
        replacing(text) { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\t": "&#9;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: "\u{FFFD}"
            default: nil
            }
        }
    }

    private static func replacing(_ text: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if let other = replacement(scalar) { result += other } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}
