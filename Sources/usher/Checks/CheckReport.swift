internal import UsherConfiguration
internal import UsherDispatch
internal import UsherScene

/// What `usher check` found: diagnostics of the files and results of route tests.
struct CheckReport {
    /// By file and place.
    var diagnostics: [ConfigurationDiagnostic]
    /// nil where they were not run: errors make every route doubtful.
    var routes: [RouteCheck.Result]?
    var apps: [App]
    /// The folder that paths are relative to, as the user named it; what comes before them in annotations.
    var folder: String
    var digest: String

    var errors: Int { diagnostics.count { $0.severity == .error } }
    var warnings: Int { diagnostics.count { $0.severity == .warning } }
    var failedRoutes: [RouteCheck.Result] { (routes ?? []).filter { !$0.passed } }

    /// An error or a failed route test; a warning alone is none.
    var hasFinding: Bool { errors > 0 || !failedRoutes.isEmpty }

    /// A path as seen from where the user is.
    func path(_ relative: String) -> String {
        if relative.utf8.first == UInt8(ascii: "/") || folder.isEmpty || folder == "." { return relative }
        return folder.utf8.last == UInt8(ascii: "/") ? folder + relative : "\(folder)/\(relative)"
    }

    /// `with main and clown (…/crusty) open`.
    static func situation(_ expectation: RouteExpectation) -> String {
        switch expectation.open.count {
        case 0: "with no window open"
        case 1: "with \(RouteCheck.label(expectation.open[0])) open"
        default: "with \(expectation.open.map { RouteCheck.label($0) }.joined(separator: ", ")) open"
        }
    }

    /// `scene clown, reason prefers`.
    static func outcome(scene: String?, reason: Reason?) -> String {
        let what = scene.map { "scene \($0)" } ?? "no scene"
        return reason.map { "\(what), reason \($0.rawValue)" } ?? what
    }

    static func count(_ number: Int, _ what: String) -> String { number == 1 ? "1 \(what)" : "\(number) \(what)s" }
}
