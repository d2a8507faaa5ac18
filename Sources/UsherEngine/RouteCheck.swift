internal import UsherPredicate
internal import UsherResolution
public import UsherScene
internal import UsherText

/// Runs the route tests of manifests: with these windows open, does this target lead to that scene?
///
/// The windows of a test are connected in the order of its `open`, the last one used last, with the conditions of their
/// configurations for their targets. Every application counts as installed; nothing is opened, read or run.
public struct RouteCheck: Sendable {
    /// What came of one route test.
    public struct Result: Sendable {
        /// The id of the app whose manifest has the test.
        public var app: String
        /// The place of the test among its app's, from 1.
        public var number: Int
        public var expectation: RouteExpectation
        /// The scene that the target leads to; nil where it leads to none.
        public var scene: String?
        /// The open window it leads to, as `open` names it; nil where a new one would be made, or none.
        public var window: String?
        public var reason: Reason
        public var passed: Bool
        /// What the resolver says where there is no window.
        public var message: String?
        /// For a failed test: every open window with the truth of its conditions, and every scene that could be made.
        public var why: [Finding]
    }

    /// One line of why a test came out as it did.
    public struct Finding: Sendable, Hashable {
        /// `clown (…/crusty)`, or the name of a scene configuration.
        public var subject: String
        /// Truths of conditions: `prefers no`, `can yes`.
        public var truths: [Truth]
        /// A phrase.
        public var verdict: String

        public struct Truth: Sendable, Hashable {
            /// `prefers`, `can` or `opens`.
            public var condition: String
            public var result: Bool
            public var predicate: String
            /// nil for a default.
            public var location: SourceLocation?
        }
    }

    private let configuration: Configuration

    /// - Parameter configuration: without errors.
    public init(_ configuration: Configuration) { self.configuration = configuration }

    /// Every route test of every app, in order.
    public func run() -> [Result] {
        configuration.manifestApps.flatMap { app in
            app.expectations.enumerated().map { check($1, number: $0 + 1, of: app) }
        }
    }

    private func check(_ expectation: RouteExpectation, number: Int, of app: App) -> Result {
        let sessions = RouteCheck.sessions(of: expectation, in: app)
        let resolver = Resolver(
            Snapshot(configuration: configuration, sessions: SessionTable(sessions)))
        // An association file is on trial too: there the target must find its app by itself.
        let isShared = expectation.target.map { app.verdict(on: $0) != nil } ?? false
        var request = ActivationRequest(target: expectation.target, app: isShared ? nil : .id(app.id))
        request.isTap = true
        let resolution = resolver.resolve(request)
        let passed =
            resolution.scene.hasSameBytes(as: expectation.scene)
            && (expectation.scene == nil || resolution.app.hasSameBytes(as: app.id))
            && (expectation.reason.map { $0 == resolution.reason } ?? true)
        return Result(
            app: app.id, number: number, expectation: expectation, scene: resolution.scene,
            window: resolution.session, reason: resolution.reason, passed: passed,
            message: resolution.failure?.message ?? otherApp(resolution, app),
            why: passed ? [] : RouteCheck.why(resolver.explain(request)))
    }

    /// The windows that a test assumes to be open. Their ids are for people.
    private static func sessions(of expectation: RouteExpectation, in app: App) -> [SceneSession] {
        var sessions: [SceneSession] = []
        var taken: Set<String> = []
        for (index, open) in expectation.open.enumerated() {
            guard let scene = app.scene(named: open.scene) else { continue }
            let template = app.targets.first { $0.name == scene.target }?.template
            let label = RouteCheck.label(open)
            var id = label
            var copies = 1
            while !taken.insert(id).inserted {
                copies += 1
                id = "\(label) #\(copies)"
            }
            sessions.append(
                SceneSession(
                    id: id, app: app.id, scene: scene.name, role: scene.role, target: open.target,
                    conditions: scene.conditions(for: open.target, template: template).conditions,
                    state: .connected, used: Int64(index + 1), created: Int64(index + 1)))
        }
        return sessions
    }

    /// `main`, `clown (…/crusty)`.
    public static func label(_ open: RouteExpectation.OpenScene) -> String {
        guard let target = open.target?.text else { return open.scene }
        let scalars = target.unicodeScalars
        guard scalars.count > 24 else { return "\(open.scene) (\(target))" }
        // Show the end of the identifier: the identifiers of an app often share their beginning.
        var tail = scalars.suffix(24)
        if let slash = tail.lastIndex(of: "/"), scalars.index(after: slash) < scalars.endIndex {
            tail = scalars[slash...]
        }
        return "\(open.scene) (…\(String(tail)))"
    }

    private static func why(_ explanation: Explanation) -> [Finding] {
        func truth(_ condition: String, _ truth: Explanation.Truth) -> Finding.Truth {
            Finding.Truth(
                condition: condition, result: truth.result, predicate: truth.predicate.canonicalText,
                location: truth.location)
        }
        var findings = explanation.candidates.map { candidate in
            Finding(
                subject: candidate.session.id,
                truths: [truth("prefers", candidate.prefers), truth("can", candidate.can)],
                verdict: candidate.phrase)
        }
        if explanation.resolution.session == nil {
            findings += explanation.configurations.map { configuration in
                Finding(
                    subject: "a new \(configuration.scene.name)",
                    truths: configuration.opens.map { [truth("opens", $0)] } ?? [], verdict: configuration.phrase)
            }
        }
        return findings
    }

    private func otherApp(_ resolution: Resolution, _ app: App) -> String? {
        guard let other = resolution.app, !other.hasSameBytes(as: app.id) else { return nil }
        return "the target is \(other)'s, not \(app.id)'s"
    }
}
