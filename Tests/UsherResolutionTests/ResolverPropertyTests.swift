import TestSupport
import Testing
import UsherPredicate
import UsherResolution
import UsherScene

/// Random worlds against a second, slow reading of DESIGN's lines, and against `explain`.
@Suite("Resolution, properties")
struct ResolverPropertyTests {
    struct World {
        var app: App
        var sessions: [SceneSession]
        var request: ActivationRequest
        var redirection: Redirection

        /// Sessions of other scenes are never in question.
        var configured: [SceneSession] { sessions.filter { app.scene(named: $0.scene) != nil } }
    }

    static let ids = ["a", "b", "c", "https://clowntown.example/clowns/crusty"].map(TargetContentIdentifier.init)

    static func world(_ random: inout SeededGenerator) throws -> World {
        var app = try Sample.clownTown()
        app.multipleScenes = Int.random(in: 0..<8, using: &random) != 0
        if Bool.random(using: &random) {
            app.scenesLimit = Located(Int.random(in: 0..<5, using: &random), at: Sample.location)
        }
        if Bool.random(using: &random) { app.scenes[1].newScene = .unlessPreferred }
        if Int.random(in: 0..<4, using: &random) == 0 { app.scenes.remove(at: 0) }
        let conditions = ["TRUEPREDICATE", "FALSEPREDICATE", "SELF == nil"] + ids.map { "SELF == \"\($0.text)\"" }
        let sessions = try (0..<Int.random(in: 0..<7, using: &random)).map { index in
            var session = try Sample.session(
                "s\(index)", can: conditions.randomElement(using: &random) ?? "",
                prefers: conditions.randomElement(using: &random) ?? "",
                used: Bool.random(using: &random) ? Int64.random(in: 0..<4, using: &random) : nil)
            session.created = Int64.random(in: 0..<3, using: &random)
            session.state = SceneSession.State.allCases.randomElement(using: &random) ?? .connected
            if Int.random(in: 0..<6, using: &random) == 0 { session.role = SceneRole(rawValue: "other") }
            return session
        }
        var request = ActivationRequest(
            target: Int.random(in: 0..<4, using: &random) == 0 ? nil : ids.randomElement(using: &random))
        request.isSceneRequest = Int.random(in: 0..<4, using: &random) == 0
        if Int.random(in: 0..<8, using: &random) == 0 { request.session = "s\(Int.random(in: 0..<7, using: &random))" }
        var redirection = Redirection.none
        if let target = request.target, Bool.random(using: &random) {
            let other = ids.randomElement(using: &random) ?? target
            if other != target {
                redirection = Redirection(hops: [.init(from: target, to: other, note: "")], end: .content)
            }
        }
        return World(app: app, sessions: sessions, request: request, redirection: redirection)
    }

    /// DESIGN's lines 2 to 8, read naively.
    static func reference(_ world: World) -> (Resolution.Verdict, Reason) {
        let app = world.app
        let subjects: [String?] =
            world.request.target.map { target in
                world.redirection.aliases(of: target).map(\.text)
            } ?? [nil]
        if let id = world.request.session {
            guard let session = world.sessions.first(where: { $0.id == id && $0.state != .closing }) else {
                return (.nothing, .noSuchSession)
            }
            return (.activate(session: id, scene: session.scene), .explicit)
        }
        let order = world.configured
            .filter { $0.role == world.request.role && $0.state != .closing }
            .sorted {
                ($0.state.isOpen ? 0 : 1, -($0.used ?? -1), -$0.created, $0.id)
                    < ($1.state.isOpen ? 0 : 1, -($1.used ?? -1), -$1.created, $1.id)
            }
        func accepts(_ predicate: ScenePredicate) -> Bool { subjects.contains { predicate.evaluate($0) } }
        func activate(_ session: SceneSession) -> Resolution.Verdict {
            .activate(session: session.id, scene: session.scene)
        }
        if !app.multipleScenes {
            if let first = order.first { return (activate(first), .single) }
            return (.create(scene: app.scenes[0].name), .single)
        }
        if let found = order.first(where: { accepts($0.conditions.prefersToActivate.predicate) }) {
            return (activate(found), .prefers)
        }
        let isFull = app.scenesLimit.map { limit in order.count { $0.state.isOpen } >= limit.value } ?? false
        let fitting = app.scenes.filter { subjects != [nil] || !$0.needsTarget }
        let opening = fitting.first { $0.opens.map { accepts($0.value) } ?? false }
        if let opening, opening.newScene == .unlessPreferred, !isFull { return (.create(scene: opening.name), .opens) }
        if !world.request.isSceneRequest,
            let found = order.first(where: { accepts($0.conditions.canActivate.predicate) })
        {
            return (activate(found), .can)
        }
        guard let created = opening ?? fitting.first(where: { $0.opens == nil }) else {
            return web(world)
        }
        if isFull {
            guard let first = order.first else { return (.nothing, .noScene) }
            return (activate(first), .limit)
        }
        return (.create(scene: created.name), opening == nil ? .default : .opens)
    }

    static func web(_ world: World) -> (Resolution.Verdict, Reason) {
        let isFull =
            world.app.scenesLimit.map { limit in
                world.configured.count { $0.role == world.request.role && $0.state.isOpen } >= limit.value
            } ?? false
        if !isFull, let target = world.request.target.map({ world.redirection.aliases(of: $0)[0] }),
            target.text.hasPrefix("https://")
        {
            return (.openWeb(url: target.text), .webFallback)
        }
        return (.nothing, .noScene)
    }

    @Test("equals a naive reading of the lines, and explain says the same", arguments: 0..<10)
    func agreesWithReference(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<100 {
            let world = try Self.world(&random)
            let resolver = Sample.resolver([world.app], world.sessions)
            let resolution = resolver.resolve(world.request, following: world.redirection)
            let expected = Self.reference(world)
            #expect(resolution.verdict == expected.0, "\(world)")
            #expect(resolution.reason == expected.1, "\(world)")
            let explanation = resolver.explain(world.request, following: world.redirection)
            #expect(explanation.resolution.verdict == resolution.verdict)
            #expect(
                explanation.candidates.filter(\.wins).map(\.session.id)
                    == [resolution.session].compactMap { $0 }.filter { id in
                        explanation.candidates.contains { $0.session.id == id }
                    })
            if resolution.reason == .prefers {
                #expect(explanation.candidates.first { $0.wins }?.prefers.result == true)
            }
            if resolution.reason == .can { #expect(explanation.candidates.allSatisfy { !$0.prefers.result }) }
            if let winner = resolution.session {
                var without = resolver
                without.remove(session: winner, app: world.app.id)
                var request = world.request
                request.session = nil
                let other = without.resolve(request, following: world.redirection)
                #expect(explanation.withoutWinner?.verdict == other.verdict, "\(world)")
                #expect(explanation.withoutWinner?.reason == other.reason, "\(world)")
            }
        }
    }

    @Test("the order of sessions in the table does not matter", arguments: 0..<10)
    func orderDoesNotMatter(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<50 {
            let world = try Self.world(&random)
            let one = Sample.resolver([world.app], world.sessions).resolve(world.request)
            let other = Sample.resolver([world.app], world.sessions.shuffled(using: &random)).resolve(world.request)
            #expect(one.verdict == other.verdict)
            #expect(one.reason == other.reason)
        }
    }

    @Test("updating a resolver equals making one anew", arguments: 0..<10)
    func updates(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<50 {
            let world = try Self.world(&random)
            var grown = Sample.resolver([world.app])
            for session in world.sessions.shuffled(using: &random) {
                var older = session
                older.used = 77
                grown.update(older)
                grown.update(session)
            }
            let made = Sample.resolver([world.app], world.sessions)
            #expect(grown.resolve(world.request).verdict == made.resolve(world.request).verdict)
        }
    }
}
