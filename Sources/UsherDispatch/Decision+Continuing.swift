internal import UsherScene

extension Decision {
    /// How the app takes the user activity that the request carries; nil where it carries none.
    var continuation: Continuation? { inquiry.activity == nil ? nil : app?.continuation }

    /// Compares the activity's version with the app's: an older one is upgraded first, a newer one goes by the manifest's
    /// `newer`.
    mutating func judgeVersion() {
        guard opensWindow, let activity = inquiry.activity, let continuation else { return }
        switch continuation.age(of: activity) {
        case .same, .unknown: break
        case .older: isOutdated = continuation.upgrade != nil
        case .newer(let theirs, let ours, let place):
            let title = appID ?? ""
            let message = "the activity has \(theirs), and \(title) has \(ours)"
            let page = inquiry.request.page.flatMap { TargetContentIdentifier($0).isWebAddress ? $0 : nil }
            if case .try = continuation.newer {
                notes.append(.init(.continuationNewer, "\(message): it is handed on all the same"))
            } else if case .web = continuation.newer, let page {
                notes.append(.init(.continuationNewer, "\(message): its web page is opened"))
                become(.openWeb(url: page), .webFallback, place)
                action = .openWeb
                command = app?.openWeb ?? Decision.desktopOpener
            } else {
                become(.nothing, .noScene, place)
                action = .none
                resolution.failure = .init(
                    .continuationNewer, "\(message), which refuses it",
                    help: "update \(title), or say newer = \"try\" or \"web\" in its manifest")
            }
        }
    }

    private mutating func become(_ verdict: Resolution.Verdict, _ reason: Reason, _ rule: SourceLocation) {
        resolution = Resolution(
            verdict: verdict, reason: reason, app: resolution.app, subjects: resolution.subjects, rule: rule)
        becomes(aboutScene: nil)
        session = nil
    }
}
