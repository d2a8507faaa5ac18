import Testing
import UsherPredicate
import UsherResolution
import UsherScene

@Suite("Resolution, line by line")
struct ResolverTests {
    let app: App
    let main: SceneConfiguration
    let clown: SceneConfiguration

    init() throws {
        app = try Sample.clownTown()
        main = app.scenes[0]
        clown = app.scenes[1]
    }

    func request(_ target: TargetContentIdentifier? = Sample.crusty) -> ActivationRequest {
        ActivationRequest(target: target)
    }

    // MARK: Line 0

    @Test("a window that shows content under an old id is still the right window")
    func aliasList() {
        let old = TargetContentIdentifier("https://old.example/crusty")
        let redirection = Redirection(hops: [.init(from: old, to: Sample.crusty, note: "")], end: .content)
        let shown = Sample.session("old", clown, app: app, target: old, used: 1)
        let other = Sample.session("main", main, app: app, used: 9)
        let resolver = Sample.resolver([app], [shown, other])
        let resolution = resolver.resolve(request(old), following: redirection)
        #expect(resolution.session == "old")
        #expect(resolution.reason == .prefers)
        #expect(resolution.resolved == Sample.crusty)
        // Asked for by its new id, nothing says that the old window is meant.
        #expect(resolver.resolve(request(Sample.crusty)).session == "main")
    }

    @Test("a new scene is made for the newest id")
    func newestID() {
        let old = TargetContentIdentifier("https://old.example/crusty")
        let redirection = Redirection(hops: [.init(from: old, to: Sample.crusty, note: "")], end: .content)
        let resolution = Sample.resolver([app]).resolve(request(old), following: redirection)
        #expect(resolution.verdict == .create(scene: "clown"))
        #expect(resolution.resolved == Sample.crusty)
        #expect(resolution.subjects == [Sample.crusty, old])
    }

    @Test("deleted content opens no window")
    func tombstone() {
        let resolution = Sample.resolver([app], [Sample.session("main", main, app: app)])
            .resolve(request(), following: Redirection(hops: [], end: .deleted(note: "gone since March")))
        #expect(resolution.verdict == .nothing)
        #expect(resolution.reason == .contentDeleted)
        #expect(resolution.failure?.code == .contentDeleted)
        #expect(resolution.app == app.id)
    }

    @Test("a redirect loop is an error")
    func loop() {
        let resolution = Sample.resolver([app]).resolve(request(), following: Redirection(hops: [], end: .loop))
        #expect(resolution.failure?.code == .redirectLoop)
    }

    // MARK: Line 1

    @Test(
        "the app is found by id, topic, suffix, type, domain",
        arguments: [
            "id", "topic", "liveactivity", "voip", "activity", "shortcut", "domain",
        ])
    func owner(way: String) throws {
        var other = App(id: "example.other", name: "Other", location: Sample.location)
        other.scenes = [try Sample.scene("main")]
        var mine = app
        mine.shortcuts = [ShortcutDefinition(type: "order", title: "Order", location: Sample.location)]
        var request = ActivationRequest()
        switch way {
        case "id": request.app = .id("example.clowntown")
        case "topic": request.app = .topic("example.clowntown")
        case "liveactivity": request.app = .topic("example.clowntown.push-type.liveactivity")
        case "voip": request.app = .topic("example.clowntown.voip")
        case "activity": request.activityType = "example.clowntown.view-clown"
        case "shortcut": request.shortcutType = "order"
        default: request.target = Sample.crusty
        }
        #expect(Sample.resolver([other, mine]).resolve(request).app == "example.clowntown")
    }

    @Test("an unknown app is an error with a suggestion, though another owns the target")
    func unknownApp() {
        var request = request()
        request.app = .id("example.clowntwon")
        let resolution = Sample.resolver([app]).resolve(request)
        #expect(resolution.reason == .noApp)
        #expect(resolution.failure?.help == "did you mean example.clowntown?")
    }

    @Test(
        "the topic of an App Clip or a watch app is the app's only where it is one of its topics",
        arguments: ["", ".voip", ".push-type.liveactivity"])
    func companion(suffix: String) {
        for companion in ["Clip", "watchkitapp"] {
            let topic = "example.clowntown.\(companion)"
            var request = request()
            request.app = .topic(topic + suffix)
            let resolution = Sample.resolver([app]).resolve(request)
            #expect(resolution.reason == .noApp)
            let path = app.location.path
            #expect(
                resolution.failure?.help
                    == "if example.clowntown is to have its pushes, add \"\(topic)\" to topics in \(path)")
            var mine = app
            mine.topics.append(topic)
            #expect(Sample.resolver([mine]).resolve(request).app == "example.clowntown")
        }
    }

    @Test("two apps that declare a type are named")
    func ambiguousType() throws {
        var other = App(id: "example.other", name: "Other", location: Sample.location)
        other.activityTypes = app.activityTypes
        var request = ActivationRequest()
        request.activityType = "example.clowntown.view-clown"
        let resolution = Sample.resolver([app, other]).resolve(request)
        #expect(resolution.reason == .noApp)
        #expect(resolution.failure?.message.contains("example.clowntown, example.other") == true)
    }

    @Test(
        "the longest domain and path owns a URL",
        arguments: [
            ("https://a.example/x", "whole"), ("https://a.example/shop", "shop"), ("https://a.example/shop/1", "shop"),
            ("https://a.example/shopping", "whole"), ("http://A.EXAMPLE:8080/shop?q", "shop"),
            ("https://sub.a.example/", "sub"), ("https://its.a.example/", "its"), ("https://user@a.example/x", "whole"),
        ])
    func longestDomain(target: String, owner: String) {
        func app(_ id: String, _ domain: String) -> App {
            var app = App(id: id, name: id, location: Sample.location)
            app.domains = [Located(domain, at: Sample.location)]
            return app
        }
        let resolver = Sample.resolver([
            app("whole", "a.example"), app("shop", "a.example/shop"), app("sub", "*.a.example"),
            app("its", "its.a.example"),
        ])
        #expect(resolver.resolve(request(.init(target))).app == owner)
    }

    @Test("a custom scheme's authority is no domain")
    func customScheme() throws {
        var other = App(id: "example.other", name: "Other", location: Sample.location)
        other.scenes = [try Sample.scene("main")]
        let resolution = Sample.resolver([app, other]).resolve(request(.init("clown://clowntown.example/x")))
        #expect(resolution.reason == .noApp)
    }

    // MARK: Lines 2 to 9

    @Test("a session that is closing is not there, not even by name")
    func explicitClosing() {
        var request = request()
        request.session = "main"
        let closing = Sample.session("main", main, app: app, state: .closing)
        #expect(Sample.resolver([app], [closing]).resolve(request).reason == .noSuchSession)
        let open = Sample.session("main", main, app: app)
        #expect(Sample.resolver([app], [open]).resolve(request).reason == .explicit)
    }

    @Test("open windows go before disconnected sessions that were used later")
    func states() {
        let gone = Sample.session("gone", main, app: app, used: 9, state: .disconnected)
        let open = Sample.session("open", main, app: app, used: 1)
        let starting = Sample.session("starting", main, app: app, used: 2, state: .connecting)
        #expect(Sample.resolver([app], [gone, open]).resolve(request(.init("x"))).session == "open")
        #expect(Sample.resolver([app], [gone, open, starting]).resolve(request(.init("x"))).session == "starting")
        #expect(Sample.resolver([app], [gone]).resolve(request(.init("x"))).session == "gone")
    }

    @Test("new-scene = unless-preferred goes before a window that merely can")
    func newScene() {
        var app = app
        app.scenes[1].newScene = .unlessPreferred
        let resolver = Sample.resolver([app], [Sample.session("main", main, app: app, used: 1)])
        #expect(resolver.resolve(request()).verdict == .create(scene: "clown"))
        #expect(resolver.resolve(request(.init("other"))).session == "main")
        let shown = Sample.session("clown-1", clown, app: app, target: Sample.crusty)
        #expect(Sample.resolver([app], [shown]).resolve(request()).session == "clown-1")
    }

    @Test("scenes-limit binds creation: the last used window takes the request")
    func limit() {
        var app = app
        app.scenesLimit = Located(1, at: Sample.location)
        let shown = Sample.session("clown-1", clown, app: app, target: Sample.bozo)
        let resolution = Sample.resolver([app], [shown]).resolve(request())
        #expect(resolution.session == "clown-1")
        #expect(resolution.reason == .limit)
        app.scenesLimit = Located(0, at: Sample.location)
        #expect(Sample.resolver([app]).resolve(request()).reason == .noScene)
    }

    @Test("a disconnected session takes no window of the limit")
    func limitCountsWindows() {
        var app = app
        app.scenesLimit = Located(1, at: Sample.location)
        let gone = Sample.session("clown-1", clown, app: app, target: Sample.bozo, state: .disconnected)
        #expect(Sample.resolver([app], [gone]).resolve(request()).verdict == .create(scene: "clown"))
    }

    @Test("a configuration that needs a target is not made for the NULL subject")
    func needsTarget() throws {
        var app = app
        app.scenes = [try Sample.scene("clown", can: "SELF == $TARGET", prefers: "SELF == $TARGET")]
        #expect(Sample.resolver([app]).resolve(request(nil)).reason == .noScene)
        #expect(Sample.resolver([app]).resolve(request()).reason == .default)
    }

    @Test("an app that is not installed falls back to the web where app and target allow it")
    func webFallback() {
        var snapshot = Snapshot(configuration: Configuration(apps: [app]))
        snapshot.missingPrograms = [.init(app: app.id, scene: "main"), .init(app: app.id, scene: "clown")]
        let resolution = Resolver(snapshot).resolve(request())
        #expect(resolution.verdict == .openWeb(url: Sample.crusty.text))
        #expect(resolution.reason == .webFallback)
        #expect(Resolver(snapshot).resolve(request(.init("clown:7"))).failure?.code == .notInstalled)
        var link = ActivationRequest(target: .init("clown:7"), url: "https://clowntown.example/")
        link.app = .id(app.id)
        #expect(Resolver(snapshot).resolve(link).verdict == .openWeb(url: "https://clowntown.example/"))
    }

    struct PageCase: CustomTestStringConvertible {
        var name: String
        var url: String?
        var newestURL: String?
        var movedTo: String?
        var kind = Redirection.Hop.Kind.move
        var website = true
        var expected: String?
        var testDescription: String { name }
    }

    private static let own = "https://clowntown.example/web/crusty"

    @Test(
        "the page that a request names goes before its target's, unless the content moved",
        arguments: [
            PageCase(name: "its own page", url: own, expected: own),
            PageCase(name: "no page of its own", expected: Sample.crusty.text),
            PageCase(name: "what is no page", url: "clown:7", expected: Sample.crusty.text),
            PageCase(
                name: "moved content", url: own, movedTo: "https://clowntown.example/new",
                expected: "https://clowntown.example/new"),
            PageCase(
                name: "moved content, moved page", url: own, newestURL: own + "/new",
                movedTo: "https://clowntown.example/new", expected: own + "/new"),
            PageCase(
                name: "moved content of an app without a website", url: own, movedTo: "https://clowntown.example/new",
                website: false, expected: own),
            PageCase(name: "no website, no page", website: false),
            PageCase(name: "tied to what is no page", movedTo: "clown:7", kind: .link, expected: Sample.crusty.text),
            PageCase(name: "tied to another page", movedTo: own, kind: .activity, expected: Sample.crusty.text),
            PageCase(
                name: "its own page, tied to another one", url: own, newestURL: own, movedTo: own + "/new",
                kind: .activity, expected: own),
            PageCase(
                name: "tied, without a website", movedTo: own, kind: .activity, website: false),
        ])
    func fallbackPage(_ page: PageCase) {
        var app = app
        app.website = page.website ? app.website : nil
        var snapshot = Snapshot(configuration: Configuration(apps: [app]))
        snapshot.missingPrograms = [.init(app: app.id, scene: "main"), .init(app: app.id, scene: "clown")]
        var request = request()
        request.url = page.url
        request.newestURL = page.newestURL
        var redirection = Redirection.none
        if let place = page.movedTo {
            redirection.hops = [
                .init(from: Sample.crusty, to: TargetContentIdentifier(place), kind: page.kind, note: "move 1")
            ]
        }
        let resolution = Resolver(snapshot).resolve(request, following: redirection)
        #expect(resolution.verdict == page.expected.map { .openWeb(url: $0) } ?? .nothing)
    }

    @Test("a disconnected session whose program is gone is no candidate")
    func uninstalled() {
        var snapshot = Snapshot(
            configuration: Configuration(apps: [app]),
            sessions: SessionTable([Sample.session("main", main, app: app, state: .disconnected)]))
        snapshot.missingPrograms = [.init(app: app.id, scene: "main"), .init(app: app.id, scene: "clown")]
        #expect(Resolver(snapshot).resolve(request()).reason == .webFallback)
    }

    @Test("the rule is where the deciding condition stands")
    func rule() throws {
        let shown = Sample.session("clown-1", clown, app: app, target: Sample.crusty)
        let resolver = Sample.resolver([app], [shown])
        #expect(resolver.resolve(request()).rule == app.scenes[1].prefersToActivate?.location)
        #expect(resolver.resolve(request(Sample.bozo)).rule == app.scenes[1].opens?.location)
        let own = try Sample.session("own", prefers: "SELF == \"x\"")
        #expect(Sample.resolver([app], [own]).resolve(request(.init("x"))).rule == nil)
    }

    @Test("identifiers are equal by their bytes")
    func bytes() throws {
        let composed = try Sample.session("nfc", can: "FALSEPREDICATE", prefers: "SELF == \"caf\u{E9}\"")
        let resolver = Sample.resolver([app], [composed])
        #expect(resolver.resolve(request(.init("caf\u{E9}"))).reason == .prefers)
        #expect(resolver.resolve(request(.init("cafe\u{301}"))).reason != .prefers)
    }
}
