import TestSupport
import Testing
import UsherPredicate
import UsherScene

@testable import UsherResolution

@Suite("The table of sessions")
struct SessionTableTests {
    @Test("many that change at once end where each alone would", arguments: [0, 1, 16, 17, 300])
    func many(_ count: Int) {
        var before: [SceneSession] = []
        var changed: [SceneSession] = []
        for number in 0..<200 {
            before.append(
                SceneSession(id: "s-\(number)", app: "app-\(number % 3)", scene: "s", created: Int64(number)))
        }
        for number in 0..<count {
            // Old ones, new ones, and some of them twice.
            var session = SceneSession(
                id: "s-\(number * 7 % 250)", app: "app-\(number * 7 % 250 % 3)", scene: "s", created: Int64(number))
            session.state = number % 5 == 0 ? .disconnected : .connected
            session.used = number % 2 == 0 ? Int64(number) : nil
            changed.append(session)
        }
        // Two ids that are equal to Swift's strings.
        changed.append(SceneSession(id: "caf\u{e9}", app: "app-0", scene: "s", created: 1))
        changed.append(SceneSession(id: "cafe\u{301}", app: "app-0", scene: "s", created: 2))
        var expected = SessionTable(before)
        for session in changed { expected.update(session) }
        var table = SessionTable(before)
        table.update(changed)
        for app in ["app-0", "app-1", "app-2"] {
            #expect(
                table.sessions(of: app).map { "\($0.id) \($0.created)" }
                    == expected.sessions(of: app).map { "\($0.id) \($0.created)" })
        }
    }

    @Test("a table keeps the order through updates and removals")
    func table() {
        let sessions: [SceneSession] = (0..<8 as Range<Int64>).map { (number: Int64) in
            SceneSession(
                id: "s-\(number)", app: "a", scene: "s", state: number == 5 ? .disconnected : .connected,
                used: number < 4 ? nil : number, created: number % 3)
        }
        let ordered = sessions.sorted(by: SceneSession.precedes)
        var table = SessionTable(sessions)
        #expect(table.sessions(of: "a").map(\.id) == ordered.map(\.id))
        var moved = ordered[3]
        moved.used = 50
        table.update(moved)
        #expect(table.sessions(of: "a").first?.id == moved.id)
        #expect(table.count == ordered.count)
        table.remove(id: moved.id, app: "a")
        #expect(table.session(id: moved.id) == nil)
        #expect(table.session(id: "s-7", app: "a")?.used == 7)
        #expect(table.session(id: "s-7", app: "b") == nil)
    }

    // MARK: Against the scan

    static let words = ["a", "b", "c", "caf\u{E9}", "cafe\u{301}", "https://clowntown.example/clowns/crusty"]
    static let patterns = [
        "TRUEPREDICATE", "FALSEPREDICATE", "SELF == nil", "SELF == '§'", "SELF == '§'", "SELF IN {'§', '§', nil}",
        "SELF BEGINSWITH '§'", "SELF LIKE '*§*'", "SELF ENDSWITH[c] '§'", "SELF != '§'", "NOT SELF == '§'",
        "SELF == '§' OR SELF == '§' OR SELF LIKE '§*'", "SELF BEGINSWITH '§' AND SELF != '§'",
    ]

    static func predicate(_ random: inout SeededGenerator) throws -> ScenePredicate {
        let parts = (patterns.randomElement(using: &random) ?? "").split(
            separator: "§", omittingEmptySubsequences: false)
        return try ScenePredicate(
            parsing: parts.dropFirst().reduce(into: String(parts[0])) { text, part in
                text += (words.randomElement(using: &random) ?? "") + part
            })
    }

    static func session(_ app: App, _ random: inout SeededGenerator) throws -> SceneSession {
        let origins: [ActivationConditions.Origin] = [.configuration, .session, .default]
        let can = try predicate(&random)
        var session = SceneSession(
            id: "s\(Int.random(in: 0..<24, using: &random))", app: app.id,
            scene: Bool.random(using: &random) ? "main" : "clown",
            conditions: ActivationConditions(
                canActivate: .init(can, origin: origins.randomElement(using: &random) ?? .default),
                prefersToActivate: .init(
                    Bool.random(using: &random) ? can : try predicate(&random),
                    origin: origins.randomElement(using: &random) ?? .default)),
            state: SceneSession.State.allCases.randomElement(using: &random) ?? .connected,
            used: Bool.random(using: &random) ? Int64.random(in: 0..<6, using: &random) : nil,
            created: Int64.random(in: 0..<4, using: &random))
        if Int.random(in: 0..<6, using: &random) == 0 { session.role = SceneRole(rawValue: "other") }
        return session
    }

    static func request(_ random: inout SeededGenerator) -> (ActivationRequest, Redirection) {
        func word() -> TargetContentIdentifier { TargetContentIdentifier(words.randomElement(using: &random) ?? "") }
        var request = ActivationRequest(target: Int.random(in: 0..<4, using: &random) == 0 ? nil : word(), app: nil)
        if Int.random(in: 0..<6, using: &random) == 0 { request.url = word().text }
        request.app = .id("example.clowntown")
        request.isSceneRequest = Int.random(in: 0..<5, using: &random) == 0
        if Int.random(in: 0..<6, using: &random) == 0 { request.role = SceneRole(rawValue: "other") }
        if Int.random(in: 0..<8, using: &random) == 0 { request.session = "s\(Int.random(in: 0..<24, using: &random))" }
        var redirection = Redirection.none
        if let target = request.target, Bool.random(using: &random) {
            let other = word()
            if other != target {
                redirection = Redirection(hops: [.init(from: target, to: other, note: "")], end: .content)
            }
            if Bool.random(using: &random) { redirection.olderIdentifiers = [word(), word()] }
        }
        return (request, redirection)
    }

    static func app(_ random: inout SeededGenerator) throws -> App {
        var app = try Sample.clownTown()
        app.multipleScenes = Int.random(in: 0..<8, using: &random) != 0
        if Bool.random(using: &random) {
            app.scenesLimit = Located(Int.random(in: 0..<8, using: &random), at: Sample.location)
        }
        if Bool.random(using: &random) { app.scenes[1].newScene = .unlessPreferred }
        return app
    }

    @Test("answers as a scan of all sessions does, after any changes", arguments: 0..<10)
    func equalsScan(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var app = try Self.app(&random)
        var grown = Resolver(Snapshot(configuration: Configuration(apps: [app])))
        var kept: [String: SceneSession] = [:]
        var missing: Set<SceneName> = []
        var reasons: Set<Reason> = []
        for step in 0..<80 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                // A reload, and what is installed by then.
                app = try Self.app(&random)
                missing = []
                for scene in ["main", "clown"] where Int.random(in: 0..<3, using: &random) == 0 {
                    missing.insert(SceneName(app: app.id, scene: scene))
                }
                var snapshot = grown.snapshot
                snapshot.configuration = Configuration(apps: [app])
                snapshot.missingPrograms = missing
                grown = Resolver(snapshot)
            case 1...4:
                let id = "s\(Int.random(in: 0..<24, using: &random))"
                kept[id] = nil
                grown.remove(session: id, app: app.id)
            case 5...8:
                // Used, closed, disconnected or connected again: its conditions stay.
                guard var session = kept.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random) else {
                    break
                }
                session.state = SceneSession.State.allCases.randomElement(using: &random) ?? .connected
                session.used = Int64.random(in: 0..<12, using: &random)
                kept[session.id] = session
                grown.update(session)
            default:
                let session = try Self.session(app, &random)
                kept[session.id] = session
                grown.update(session)
            }
            // Some in the order of choice, some in the opposite one, and some in neither.
            var sessions = kept.values.sorted { $0.id < $1.id }
            if step % 3 > 0 { sessions.sort(by: SceneSession.precedes) }
            if step % 3 > 1 { sessions.reverse() }
            let scan = PlainScan(app: app, sessions: sessions, missingPrograms: missing)
            let anew = Resolver(
                Snapshot(
                    configuration: Configuration(apps: [app]), sessions: SessionTable(sessions),
                    missingPrograms: missing))
            for _ in 0..<4 {
                let (request, redirection) = Self.request(&random)
                let hint = "seed \(seed), step \(step): \(request)"
                let expected = scan.decision(for: request, redirection)
                reasons.insert(expected.reason)
                let explained = anew.explain(request, following: redirection)
                let told = grown.explain(request, following: redirection)
                for resolution in [explained.resolution, grown.resolve(request, following: redirection)] {
                    #expect(resolution.verdict == expected.verdict, "\(hint)")
                    #expect(resolution.reason == expected.reason, "\(hint)")
                    #expect(resolution.rule == explained.resolution.rule, "\(hint)")
                    #expect(resolution.failure == explained.resolution.failure, "\(hint)")
                }
                if let session = explained.resolution.session {
                    var other = scan
                    other.sessions.removeAll { $0.id == session }
                    var again = request
                    again.session = nil
                    let without = other.decision(for: again, redirection)
                    for explanation in [explained, told] {
                        #expect(explanation.withoutWinner?.verdict == without.verdict, "\(hint)")
                        #expect(explanation.withoutWinner?.reason == without.reason, "\(hint)")
                    }
                }
                let candidates = scan.candidates(request.role).map(\.id)
                for explanation in [explained, told] where request.session == nil {
                    #expect(explanation.candidates.prefix(candidates.count).map(\.session.id) == candidates)
                    #expect(explanation.candidateCount == explained.candidates.count)
                }
                #expect(told.candidates.map(\.session.id) == explained.candidates.map(\.session.id))
            }
            for resolver in [grown, anew] {
                #expect(resolver.snapshot.sessions.count == kept.count)
                #expect(
                    resolver.snapshot.sessions.sessions(of: app.id).map(\.id)
                        == sessions.sorted(by: PlainScan.goesBefore).map(\.id))
            }
        }
        #expect(reasons.count > 2, "hardly anything is decided: \(reasons)")
    }
}

/// What Documentation/Resolution.md says of lines 2 to 9, one session after the other.
private struct PlainScan {
    var app: App
    var sessions: [SceneSession]
    var missingPrograms: Set<SceneName>

    static func goesBefore(_ one: SceneSession, _ other: SceneSession) -> Bool {
        if one.state.isOpen != other.state.isOpen { return one.state.isOpen }
        if one.used != other.used { return one.used ?? .min > other.used ?? .min }
        if one.created != other.created { return one.created > other.created }
        return one.id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }

    func isMissing(_ scene: String) -> Bool { missingPrograms.contains(SceneName(app: app.id, scene: scene)) }

    /// Line 3.
    func candidates(_ role: SceneRole) -> [SceneSession] {
        sessions.filter { session in
            session.role == role && session.state != .closing
                && (session.state != .disconnected || !isMissing(session.scene))
        }.sorted(by: PlainScan.goesBefore)
    }

    func decision(
        for request: ActivationRequest, _ redirection: Redirection
    ) -> (verdict: Resolution.Verdict, reason: Reason) {
        if let id = request.session {
            guard let session = sessions.first(where: { $0.id == id && $0.state != .closing }) else {
                return (.nothing, .noSuchSession)
            }
            return (.activate(session: session.id, scene: session.scene), .explicit)
        }
        let aliases = request.target.map { redirection.aliases(of: $0) } ?? []
        let subjects: [String?] = aliases.isEmpty ? [request.page] : aliases.map(\.text)
        func holds(_ predicate: ScenePredicate) -> Bool { subjects.contains { predicate.evaluate($0) } }
        let candidates = candidates(request.role)
        let isFull = app.scenesLimit.map { limit in candidates.count { $0.state.isOpen } >= limit.value } ?? false
        func activate(_ session: SceneSession, _ reason: Reason) -> (Resolution.Verdict, Reason) {
            (.activate(session: session.id, scene: session.scene), reason)
        }
        func webPage() -> (Resolution.Verdict, Reason) {
            guard !isFull, let page = request.fallbackPage(aliases, hasWebsite: app.website?.value == true)?.url else {
                return (.nothing, .noScene)
            }
            return (.openWeb(url: page), .webFallback)
        }
        let scenes = app.scenes.filter { $0.role == request.role }
        guard app.multipleScenes else {
            if let first = candidates.first { return activate(first, .single) }
            if let scene = scenes.first, !isMissing(scene.name) { return (.create(scene: scene.name), .single) }
            return webPage()
        }
        if let session = candidates.first(where: { holds($0.conditions.prefersToActivate.predicate) }) {
            return activate(session, .prefers)
        }
        let fitting = scenes.filter { subjects[0] != nil || !$0.needsTarget }
        let opening = fitting.first { $0.opens.map { holds($0.value) } ?? false }
        let created = (opening ?? fitting.first { $0.opens == nil }).flatMap { isMissing($0.name) ? nil : $0 }
        func create(_ scene: SceneConfiguration) -> (Resolution.Verdict, Reason) {
            (.create(scene: scene.name), opening == nil ? .default : .opens)
        }
        if let created, opening != nil, created.newScene == .unlessPreferred, !isFull { return create(created) }
        if !request.isSceneRequest,
            let session = candidates.first(where: { holds($0.conditions.canActivate.predicate) })
        {
            return activate(session, .can)
        }
        if let created {
            if !isFull { return create(created) }
            if let first = candidates.first { return activate(first, .limit) }
        } else if request.isTap, subjects[0] == nil, let first = candidates.first {
            return activate(first, .recent)
        }
        return webPage()
    }
}
