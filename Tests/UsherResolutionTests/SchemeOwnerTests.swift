import Testing
import UsherPredicate
import UsherResolution
import UsherScene

/// Line 1 of the resolution for identifiers with a scheme that an app owns, beside an app that is built in.
@Suite struct SchemeOwnerTests {
    private static func app(_ id: String, schemes: String...) throws -> App {
        var app = App(id: id, name: id, location: Sample.location)
        app.schemes = schemes.map { Located($0, at: Sample.location) }
        app.scenes = [try Sample.scene("main")]
        return app
    }

    private static func apps() throws -> [App] {
        var notes = try app("usher.notes", schemes: "usher-note")
        notes.isBuiltIn = true
        return [
            try Sample.clownTown(), try app("example.zotero", schemes: "zotero", "shared"),
            try app("example.other", schemes: "shared"), notes,
        ]
    }

    @Test(arguments: [
        ("zotero://select/items/1", "example.zotero"), ("ZOTERO:1", "example.zotero"), ("zotero:", "example.zotero"),
        ("https://clowntown.example/clowns/crusty", "example.clowntown"), ("usher-note:1", "usher.notes"),
        ("shared:1", "example.other"), ("zotero", "no-app"), ("zotero-x:1", "no-app"), ("x:zotero:1", "no-app"),
        ("mailto:zotero@example.com", "no-app"), (":zotero:", "no-app"), ("zo\u{0}tero:1", "no-app"),
        ("https://zotero.example/", "no-app"),
    ])
    func owner(_ target: String, _ expected: String) throws {
        let resolver = Sample.resolver(try Self.apps())
        let request = ActivationRequest(target: TargetContentIdentifier(target))
        let resolution = resolver.resolve(request)
        let name = resolution.failure?.code.name.split(separator: ".").last.map(String.init)
        #expect(resolution.app ?? name == expected, "\(resolution)")
        let explanation = resolver.explain(request)
        if expected == "example.zotero" {
            #expect(explanation.ownerRule == .scheme(Located("zotero", at: Sample.location)))
        }
    }

    @Test("a bare link is looked at in the same way")
    func url() throws {
        var request = ActivationRequest()
        request.url = "zotero://select/items/1"
        #expect(Sample.resolver(try Self.apps()).resolve(request).app == "example.zotero")
    }

    @Test("a newer id decides before an older one")
    func aliases() throws {
        let old = TargetContentIdentifier("zotero:1")
        let redirection = Redirection(hops: [.init(from: old, to: Sample.crusty, note: "")], end: .content)
        let resolution = Sample.resolver(try Self.apps()).resolve(
            ActivationRequest(target: old), following: redirection)
        #expect(resolution.app == "example.clowntown")
    }

    @Test("what is built in is not counted", arguments: [0, 1, 2])
    func builtIn(_ count: Int) throws {
        var all = try Self.apps()
        let notes = all.removeLast()
        let apps = [notes] + all.suffix(count)
        let resolver = Sample.resolver(apps)
        let resolution = resolver.resolve(ActivationRequest(target: TargetContentIdentifier("nobody's")))
        switch count {
        case 0:
            #expect(resolution.failure?.message == "no app is configured")
        case 1:
            #expect(resolution.app == "example.other")
            #expect(
                resolver.explain(ActivationRequest(target: TargetContentIdentifier("nobody's"))).ownerRule == .onlyApp)
        default:
            #expect(resolution.failure?.message.contains("there are 2 apps") == true, "\(resolution)")
        }
        var request = ActivationRequest()
        request.app = .id("usher.note")
        #expect(resolver.resolve(request).failure?.help?.contains("usher.notes") != true)
        request.app = .id("usher.notes")
        #expect(resolver.resolve(request).app == "usher.notes")
    }
}
