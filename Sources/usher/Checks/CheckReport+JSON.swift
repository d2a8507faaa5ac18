internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherScene

extension CheckReport {
    /// A route test that does not hold.
    static let routeCode = DiagnosticCode("U5215", "expect.failed")

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
        json.member("code", routeCode.code)
        json.member("name", routeCode.name)
        json.member("message", message(route))
        json.nullMember("help")
        json.member("at", location.description)
        json.member("path", location.path)
        json.member("line", location.line)
        json.member("column", location.column)
        json.endObject()
    }

    /// A failed test in one sentence.
    static func message(_ route: RouteCheck.Result) -> String {
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
