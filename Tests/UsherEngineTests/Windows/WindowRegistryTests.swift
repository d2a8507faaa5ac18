import EngineTestSupport
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherActivities
import UsherFeatures
import UsherLog
import UsherPredicate
import UsherScene
import UsherStore

@testable import UsherEngine

@Suite("WindowRegistry") struct WindowRegistryTests {
    let desktop = ToldDesktop()
    private let files = TemporaryFolder()
    let store: Store
    let registry: WindowRegistry
    let configuration: Configuration

    init() throws {
        let store = try Store(directory: files.path, access: .readWrite, features: .all)
        self.store = store
        var editor = App(id: "example.editor", name: "Editor", location: Self.here)
        editor.scenes = [
            try Self.scene("document") { $0.windowClass = try .init("Editor") },
            try Self.scene("search") {
                $0.windowClass = try .init("Editor*")
                $0.title = try .init("Search*")
            },
        ]
        var browser = App(id: "example.browser", name: "Browser", location: Self.here)
        browser.scenes = [try Self.scene("window") { $0.browser = try .init("firefox") }]
        var single = App(id: "example.single", name: "Single", location: Self.here)
        single.multipleScenes = false
        single.scenes = [try Self.scene("only") { $0.windowClass = try .init("Single") }]
        var viewer = App(id: "example.viewer", name: "Viewer", location: Self.here)
        var page = try Self.scene("page") { $0.windowClass = try .init("Viewer") }
        page.prefersToActivate = Located(
            try ScenePredicateTemplate(parsing: "SELF == $TARGET", variables: ["TARGET"]), at: Self.here)
        page.content = [
            SceneContent(
                source: .title([try TextTemplate("{file} - Viewer")]), result: .path(try TextTemplate("{file}")),
                base: nil, location: Self.here)
        ]
        viewer.scenes = [page]
        let configuration = Configuration(apps: [editor, browser, single, viewer])
        self.configuration = configuration
        registry = WindowRegistry(
            desktop, store, logger: Logger(level: .error),
            sessions: { () throws(StoreError) in try store.sessions().sessions }, configuration: { configuration })
    }

    static let here = SourceLocation(path: "apps/editor.toml", line: 1, column: 1)

    static func scene(_ name: String, _ fill: (inout WindowRule) throws -> Void) throws -> SceneConfiguration {
        var rule = WindowRule(location: here)
        try fill(&rule)
        var scene = SceneConfiguration(name: name, location: here)
        scene.focus = FocusHandler(method: .window(rule))
        return scene
    }

    func window(
        _ number: Int, _ title: String = "a", windowClass: String? = nil, activation: ActivationState = .background
    ) -> WindowList.Window {
        var window = WindowList.Window(handle: "x11:0x\(number)", title: title, group: "1")
        window.windowClass = windowClass
        window.activation = activation
        return window
    }

    func say(_ windows: [WindowList.Window], server: String? = "one") {
        desktop.say(WindowList(server: server, windows: windows))
        registry.follow((try? desktop.windows()) ?? WindowList(server: nil, windows: []), of: desktop)
    }

    var sessions: [SceneSession] {
        get throws { try store.sessions().sessions.sorted { $0.created < $1.created } }
    }

    @Test("a window that got the number of one that was closed is another one", arguments: [true, false])
    func numberGivenAnew(isDescribed: Bool) throws {
        var first = window(1, "First", windowClass: isDescribed ? "Editor" : nil)
        first.server = "one#71"
        // As it is where many were connected together, or by an earlier version.
        _ = try store.connect([
            Store.NewSession(
                app: "example.editor", scene: "document", handle: "x11:0x1", handleServer: "one", title: "First")
        ])
        say([first])
        #expect(try sessions.map(\.handleServer) == ["one#71"])
        var second = window(1, "Second", windowClass: isDescribed ? "Editor" : nil)
        second.server = "one#72"
        say([second])
        #expect(try sessions.map(\.handleServer) == (isDescribed ? ["one#72"] : []))
        #expect(try sessions.map(\.title) == (isDescribed ? ["Second"] : []))
        // A list that is late takes nothing from the session that has the window now.
        desktop.hide("x11:0x1")
        say([first])
        #expect(try sessions.count(where: { $0.handleServer == "one#72" }) == (isDescribed ? 1 : 0))
    }

    @Test("open windows go to the scenes that describe them at the start, and after a reload")
    func reloaded() throws {
        let present = Mutex(Configuration(apps: [configuration.apps[2]]))
        let registry = WindowRegistry(
            desktop, store, logger: Logger(level: .error),
            sessions: { [store] () throws(StoreError) in try store.sessions().sessions },
            configuration: { present.withLock { $0 } })
        desktop.say(
            WindowList(
                server: "one", windows: [window(1, windowClass: "Single"), window(2, windowClass: "Editor")]))
        registry.configurationChanged(waits: true)
        #expect(try sessions.isEmpty, "it follows nothing yet")
        registry.start()
        #expect(try sessions.map(\.app) == ["example.single"])
        present.withLock { $0 = configuration }
        registry.configurationChanged(waits: true)
        #expect(try sessions.map(\.app) == ["example.single", "example.editor"])
        #expect(try sessions.map(\.handle) == ["x11:0x1", "x11:0x2"])
        registry.configurationChanged(waits: true)
        #expect(try sessions.count == 2)
        registry.stop()
    }

    @Test("the content of a window is the target of its session, with conditions for it")
    func content() throws {
        say([window(1, "/a.pdf - Viewer", windowClass: "Viewer"), window(2, "Viewer", windowClass: "Viewer")])
        #expect(try sessions.map(\.target?.text) == ["file:///a.pdf", nil])
        let first = try #require(try sessions.first)
        #expect(first.isTargetRead)
        #expect(first.conditions.prefersToActivate.predicate.canonicalText == #"SELF == "file:///a.pdf""#)
        say([window(1, "/b.pdf - Viewer", windowClass: "Viewer"), window(2, "/a.pdf - Viewer", windowClass: "Viewer")])
        #expect(try eventually { try sessions.map(\.target?.text) == ["file:///b.pdf", "file:///a.pdf"] })
        #expect(
            try sessions.map(\.conditions.prefersToActivate.predicate.canonicalText)
                == [#"SELF == "file:///b.pdf""#, #"SELF == "file:///a.pdf""#])
        say([window(1, "Viewer", windowClass: "Viewer"), window(2, "/a.pdf - Viewer", windowClass: "Viewer")])
        #expect(try eventually { try sessions.map(\.target?.text) == [nil, "file:///a.pdf"] })
    }

    @Test("a target that something else told a session stays, whatever its window shows")
    func toldTarget() throws {
        _ = try store.connect([
            Store.NewSession(
                app: "example.viewer", scene: "page", target: TargetContentIdentifier("file:///told.pdf"),
                handle: "x11:0x1", handleServer: "one")
        ])
        say([window(1, "/a.pdf - Viewer", windowClass: "Viewer")])
        #expect(try sessions.map(\.target?.text) == ["file:///told.pdf"])
    }

    @Test("a title changes its session at most four times a second")
    func titleRate() throws {
        say([window(1, "/0.pdf - Viewer", windowClass: "Viewer")])
        let before = try store.generation()
        let start = ContinuousClock.now
        for number in 1...20 { say([window(1, "/\(number).pdf - Viewer", windowClass: "Viewer")]) }
        let changes = try store.generation() - before
        #expect(changes <= Int64(start.duration(to: .now) / .milliseconds(250)) + 1)
        #expect(try eventually { try sessions.map(\.target?.text) == ["file:///20.pdf"] })
    }

    @Test("of many windows each session has its own")
    func many() throws {
        let count = 500
        _ = try store.connect(
            (0..<count).flatMap { number in
                [
                    Store.NewSession(
                        app: "example.editor", scene: "document", conditions: ActivationConditions(),
                        handle: "x11:0x\(number + 1)", handleServer: "one"),
                    Store.NewSession(
                        app: "example.editor", scene: "search", conditions: ActivationConditions(),
                        handle: "x11:0x\(count + number + 1)", handleServer: "one"),
                ]
            })
        let windows = (1...2 * count).map {
            window($0, "title \($0)", activation: $0 == 7 ? .foregroundActive : .background)
        }
        say(windows)
        say(windows.filter { $0.handle != "x11:0x9" })
        let all = try sessions
        #expect(all.count == 2 * count - 1)
        #expect(all.allSatisfy { $0.title == "title \($0.handle?.dropFirst(6) ?? "")" })
        #expect(all.filter { registry.activation(of: $0) == .foregroundActive }.map(\.handle) == ["x11:0x7"])
        #expect(all.count { registry.activation(of: $0) == .background } == 2 * count - 2)
    }

    @Test("a window that one scene describes becomes its session; that of none or several does not")
    func matches() throws {
        say([
            window(1, windowClass: "Editor"), window(2, "Search results", windowClass: "Editor"),
            window(3, "x", windowClass: "Other"), window(4, "Search", windowClass: "Editor2"),
        ])
        #expect(
            try sessions.map { "\($0.scene) \($0.handle ?? "") \($0.state)" }.sorted() == [
                "document x11:0x1 connected", "search x11:0x4 connected",
            ])
        // The same once more changes nothing.
        let before = try store.generation()
        say(try desktop.windows().windows)
        #expect(try store.generation() == before)
    }

    @Test("an app of one window keeps the one it has; when that is closed, another takes its place")
    func singleWindow() throws {
        let two = [window(1, windowClass: "Single"), window(2, windowClass: "Single")]
        say(two)
        let session = try #require(try sessions.first)
        #expect(session.handle == "x11:0x1")
        let before = try store.generation()
        for _ in 1...5 { say(two) }
        #expect(try store.generation() == before)
        say([two[1]])
        #expect(try sessions.map(\.handle) == ["x11:0x2"])
    }

    @Test("a window that closes ends its session; one that is only not listed does not")
    func closed() throws {
        say([window(1, windowClass: "Editor"), window(2, windowClass: "Editor")])
        desktop.hide("x11:0x1")
        say([])
        #expect(try sessions.map(\.handle) == ["x11:0x1"])
        #expect(try registry.activation(of: sessions[0]) == .background)
    }

    @Test("a server that goes away disconnects its sessions, and windows of another are theirs again")
    func server() throws {
        say([window(1, windowClass: "Editor")])
        say([], server: nil)
        #expect(try sessions.map { "\($0.state) \($0.handle ?? "-")" } == ["disconnected -"])
        #expect(try registry.activation(of: sessions[0]) == .unattached)
        // The number may come again.
        say([window(1, windowClass: "Editor")], server: "two")
        #expect(try sessions.map { "\($0.state) \($0.handleServer ?? "-")" } == ["connected two"])
        // One that was for some content waits for it.
        let page = try store.connect([
            .init(
                app: "example.editor", scene: "document", target: TargetContentIdentifier("https://a.example/1"),
                state: .disconnected)
        ])
        say([window(1, windowClass: "Editor"), window(2, windowClass: "Editor")], server: "two")
        #expect(try store.session(id: page[0].id)?.state == .disconnected)
        #expect(try sessions.count == 3)
    }

    @Test("after a new connection to the same compositor, a session gets the only window that its scene describes")
    func forgotten() throws {
        say([window(1, windowClass: "Editor")], server: "sway/1")
        let id = try sessions[0].id
        say([window(7, windowClass: "Editor")], server: "sway/2")
        #expect(try sessions.map { "\($0.id) \($0.state) \($0.handle ?? "-")" } == ["\(id) connected x11:0x7"])
        // Nothing shows which of two it had: it waits, and neither is given to another session.
        say([window(8, windowClass: "Editor"), window(9, windowClass: "Editor")], server: "sway/3")
        #expect(try sessions.map { "\($0.id) \($0.state) \($0.handle ?? "-")" } == ["\(id) connected -"])
        // Of two sessions of a scene, none is known to have had the window that is left.
        say([window(9, windowClass: "Editor")], server: "sway/3")
        say([window(9, windowClass: "Editor"), window(10, windowClass: "Editor")], server: "sway/3")
        #expect(try sessions.filter { $0.handle != nil }.count == 2)
        say([window(1, windowClass: "Editor")], server: "sway/4")
        #expect(try sessions.map(\.state).filter { $0 == .connected }.count == 1)
        #expect(try sessions.filter { $0.state == .disconnected && $0.handle == nil }.count == 1)
    }

    @Test("when a daemon has started, windows are their sessions' again, before a window system reports a change")
    func start() throws {
        say([window(1, windowClass: "Editor")], server: "sway/1")
        // No registry follows it yet.
        desktop.say(WindowList(server: "sway/2", windows: [window(7, windowClass: "Editor")]))
        registry.start()
        defer { registry.stop() }
        #expect(try sessions.map(\.handle) == ["x11:0x7"])
    }

    @Test("the session whose window becomes active was used last; titles follow, not too often")
    func activeAndTitles() throws {
        say([window(1, windowClass: "Editor", activation: .foregroundActive), window(2, windowClass: "Editor")])
        let ids = try sessions.map(\.id)
        #expect(try sessions.map { $0.used != nil } == [true, false])
        say([window(1, windowClass: "Editor"), window(2, windowClass: "Editor", activation: .foregroundActive)])
        #expect(try store.sessions().sessions.sorted(by: SceneSession.precedes).map(\.id) == [ids[1], ids[0]])
        #expect(try registry.activation(of: sessions.first { $0.id == ids[1] }!) == .foregroundActive)

        let before = try store.generation()
        for number in 1...200 {
            say([
                window(1, "title \(number)", windowClass: "Editor"),
                window(2, windowClass: "Editor", activation: .foregroundActive),
            ])
        }
        #expect(try store.generation() <= before + 3)
        #expect(eventually { (try? store.session(id: ids[0]))??.title == "title 200" })
    }

    @Test("a browser's window prefers what its tabs show, and only that")
    func tabs() throws {
        func browser(_ addresses: [String]) -> WindowList.Window {
            var window = WindowList.Window(handle: "browser:firefox/1", title: "t", group: "firefox")
            window.browser = "firefox"
            window.tabs = addresses.enumerated().map { number, address in
                .init(handle: "browser:firefox/1/\(number)", address: address, title: "", isActive: number == 0)
            }
            return window
        }
        let odd = #"https://a.example/"quoted"\"#
        say([browser(["https://a.example/1", odd])])
        func prefers(_ target: String) throws -> Bool {
            let first = try sessions.first
            return try #require(first).conditions.prefersToActivate.predicate.evaluate(target)
        }
        #expect(try prefers("https://a.example/1") && prefers(odd) && !prefers("https://a.example/2"))
        say([browser(["https://a.example/2"])])
        #expect(try prefers("https://a.example/2") && !prefers("https://a.example/1"))
        say([browser([])])
        #expect(try !prefers("https://a.example/2"))
        // As many as fit, the one that is shown among them.
        say([browser((0..<3000).map { "https://a.example/\(String(repeating: "x", count: 60))/\($0)" })])
        #expect(try prefers("https://a.example/\(String(repeating: "x", count: 60))/0"))
    }

    @Test("a session without a window gets the one that was started for it, or that its scene describes")
    func waiting() throws {
        _ = try store.connect([
            .init(id: "mine", app: "example.editor", scene: "document"),
            .init(id: "launching", app: "example.editor", scene: "search", state: .connecting),
        ])
        let child = try child()
        defer { kill(child, SIGKILL) }
        var window = window(7, windowClass: "Anything")
        window.process = child
        say([window, self.window(8, "Search", windowClass: "Editor2")])
        #expect(try store.session(id: "mine")?.handle == "x11:0x7")
        // The launch matches its own window; no second session is made for it meanwhile.
        #expect(try store.session(id: "launching")?.handle == nil)
        #expect(try sessions.count == 2)
    }

    @Test("a browser that was started for a session gives it the window that the browser tells of, not the desktop's")
    func browsers() throws {
        _ = try store.connect([.init(id: "mine", app: "example.browser", scene: "window")])
        let child = try child()
        defer { kill(child, SIGKILL) }
        var seen = window(7, "Page - Firefox", windowClass: "firefox")
        seen.process = child
        say([seen])
        #expect(try store.session(id: "mine")?.handle == nil)
        var told = WindowList.Window(handle: "browser:firefox/1", title: "Page", group: "firefox")
        told.browser = "firefox"
        told.process = child
        say([seen, told])
        #expect(try store.session(id: "mine")?.handle == "browser:firefox/1")
        #expect(try sessions.count == 1)
    }

    @Test("an unknown window is looked up again until it is known to be gone")
    func doubt() throws {
        // Browsers are no desktop, and hang up before they end.
        let browsers = ToldDesktop(isDesktop: false)
        let registry = WindowRegistry(
            browsers, store, logger: Logger(level: .error), sessions: registry.sessions,
            configuration: registry.configuration)
        registry.start()
        defer { registry.stop() }
        browsers.say(WindowList(server: "one", windows: [window(1, windowClass: "Editor")]))
        #expect(eventually { (try? store.sessions().sessions.count) == 1 })
        browsers.doubt(true)
        browsers.say(WindowList(server: nil, windows: []))
        registry.flush()
        #expect(try sessions.map(\.state) == [.connected])
        #expect(try registry.activation(of: sessions[0]) == nil)
        browsers.doubt(false)
        #expect(eventually { (try? store.sessions().sessions.map(\.state)) == [.disconnected] })
    }

    @Test("what was seen before a launch began takes nothing from it, and makes no second session of its window")
    func outOfDate() throws {
        say([window(1, windowClass: "Editor")])
        let seen = try sessions
        let late = WindowRegistry(
            desktop, store, logger: Logger(level: .error), sessions: { seen },
            configuration: { [configuration] in configuration })
        func sayLate(_ windows: [WindowList.Window], server: String?) throws {
            desktop.say(WindowList(server: server, windows: windows))
            late.follow(try desktop.windows(), of: desktop)
        }
        // The launch has its session, and no window yet.
        let id = seen[0].id
        _ = try store.change(session: id, .init(state: .connecting, handle: .some(nil), handleServer: .some(nil)))
        var generation = try store.generation()
        try sayLate([], server: nil)
        try sayLate([], server: "one")
        try sayLate([window(2, windowClass: "Editor")], server: "two")
        #expect(try store.generation() == generation)
        // It has got its window.
        _ = try store.change(session: id, .init(state: .connected, handle: "x11:0x2", handleServer: "two"))
        generation = try store.generation()
        try sayLate([window(2, "b", windowClass: "Editor", activation: .foregroundActive)], server: "two")
        try sayLate([], server: nil)
        #expect(try store.generation() == generation)
        // One that is up to date is followed.
        say([], server: "two")
        #expect(try sessions.isEmpty)
    }

    @Test("a system that is too slow to answer takes nothing away, until it says that it is gone")
    func slow() throws {
        registry.start()
        defer { registry.stop() }
        desktop.say(WindowList(server: "one", windows: [window(1, windowClass: "Editor")]))
        #expect(eventually { (try? store.sessions().sessions.count) == 1 })
        let session = try sessions[0]
        desktop.hang(true)
        for server in [nil, "one"] {
            desktop.say(WindowList(server: server, windows: []))
            registry.flush()
            #expect(registry.activation(of: session) == nil)
            #expect(try sessions.map { "\($0.state) \($0.handle ?? "-")" } == ["connected x11:0x1"])
        }
        // The window is there all the while.
        desktop.say(WindowList(server: "one", windows: [window(1, windowClass: "Editor")]))
        desktop.hang(false)
        #expect(eventually { registry.activation(of: session) == .background })
        desktop.hang(true)
        desktop.say(WindowList(server: nil, windows: []))
        registry.flush()
        desktop.hang(false)
        // No events arrive from here on: the windows are listed again.
        #expect(eventually { (try? store.sessions().sessions.map(\.state)) == [.disconnected] })
    }

    @Test("of many window lists, the last one is applied; after a stop none is")
    func watch() throws {
        registry.start()
        for number in 1...50 {
            desktop.say(WindowList(server: "one", windows: [window(number, windowClass: "Editor")]))
        }
        #expect(eventually { (try? store.sessions().sessions.map(\.handle)) == ["x11:0x50"] })
        registry.stop()
        desktop.say(WindowList(server: "one", windows: []))
        #expect(try sessions.count == 1)
    }

    /// A program that was started for the session `mine`.
    private func child() throws -> Int32 {
        try Spawner.start(
            SpawnRequest(
                program: "/bin/sleep", arguments: ["sleep", "60"],
                environment: [EnvironmentVariable("USHER_SESSION", "mine")])
        ).pid
    }

    @Test("the session of a browser that was launched gets the browser's own window, and no second one is made")
    func launchedBrowser() throws {
        let process = try child()
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        _ = try store.connect([Store.NewSession(id: "mine", app: "example.browser", scene: "window")])
        var frame = window(1, "Page", windowClass: "firefox")
        frame.process = process
        say([frame])
        #expect(try sessions.map(\.handle) == [nil])
        var own = WindowList.Window(handle: "browser:firefox/1", title: "Page", group: "firefox")
        own.browser = "firefox"
        own.process = process
        say([frame, own])
        #expect(try sessions.map(\.handle) == ["browser:firefox/1"])
    }

    /// A registry that knows whose windows are.
    private func registry(owning owners: [String: WindowOwner]) -> WindowRegistry {
        WindowRegistry(
            desktop, store, logger: Logger(level: .error), sessions: registry.sessions,
            configuration: registry.configuration, owner: { owners[$0.handle] ?? .noLaunch })
    }

    @Test("a window that comes late goes to the session of its launch, and to no other one")
    func lateWindow() throws {
        _ = try store.connect([
            .init(id: "waiting", app: "example.editor", scene: "document"),
            .init(id: "late", app: "example.editor", scene: "document", state: .disconnected),
            .init(id: "search", app: "example.editor", scene: "search"),
        ])
        let registry = self.registry(owning: [
            "x11:0x1": .late(session: "late"), "x11:0x2": .pending, "x11:0x3": .contested,
            // Its session has a window by then.
            "x11:0x4": .late(session: "late"), "x11:0x5": .late(session: "search"),
        ])
        func say(_ numbers: Int...) {
            desktop.say(WindowList(server: "one", windows: numbers.map { window($0, windowClass: "Editor") }))
            registry.follow((try? desktop.windows()) ?? WindowList(server: nil, windows: []), of: desktop)
        }
        say(1)
        #expect(try store.session(id: "late")?.handle == "x11:0x1")
        #expect(try store.session(id: "late")?.state == .connected)
        say(1, 2)
        #expect(try sessions.map(\.handle).contains("x11:0x2") == false, "its launch assigns it")
        say(1, 3)
        #expect(try store.session(id: "waiting")?.handle == nil, "it may be another launch's")
        #expect(try sessions.filter { $0.handle == "x11:0x3" }.count == 1)
        say(1, 3, 4)
        #expect(try store.session(id: "waiting")?.handle == "x11:0x4")
        say(1, 3, 4, 5)
        #expect(try store.session(id: "search")?.handle == nil, "it is another scene's")
    }

    @Test("a window that was closed before its launch had it ends the session")
    func closedBefore() throws {
        registry.start()
        defer { registry.stop() }
        desktop.say(WindowList(server: "one", windows: [window(1, windowClass: "Other")]))
        registry.flush()
        _ = try store.connect([
            .init(id: "brief", app: "example.editor", scene: "document", handle: "x11:0x2", handleServer: "one"),
            .init(id: "there", app: "example.viewer", scene: "page", handle: "x11:0x1", handleServer: "one"),
        ])
        registry.launchEnded()
        registry.flush()
        #expect(try sessions.map(\.id) == ["there"])
    }

    @Test("a server of tmux that began and ended between two lists took its windows along")
    func briefServer() throws {
        let tmux = ToldDesktop(name: "tmux", isDesktop: false)
        let registry = WindowRegistry(
            tmux, store, logger: Logger(level: .error), sessions: registry.sessions,
            configuration: registry.configuration)
        registry.start()
        defer { registry.stop() }
        tmux.say(WindowList(server: nil, windows: []))
        registry.flush()
        // No process of that number is a server of tmux; of the other text, nothing is known.
        _ = try store.connect([
            .init(
                id: "brief", app: "example.editor", scene: "document", handle: "x11:0x1",
                handleServer: "/tmp/tmux:\(getpid()):1"),
            .init(id: "other", app: "example.editor", scene: "search", handle: "x11:0x2", handleServer: "elsewhere"),
        ])
        registry.launchEnded()
        registry.flush()
        #expect(try store.session(id: "brief")?.state == .disconnected)
        #expect(try store.session(id: "other")?.state == .connected)
    }

    @Test("the windows that were in front, the last one first")
    func fronts() {
        for number in [1, 2, 2, 3, 1] {
            say((1...3).map { window($0, activation: $0 == number ? .foregroundActive : .background) })
        }
        #expect(registry.fronts.map(\.handle) == ["x11:0x1", "x11:0x3", "x11:0x2"])
        say([window(1)])
        #expect(registry.fronts.first?.handle == "x11:0x1", "nothing is in front")
        for number in 4...40 { say([window(number, activation: .foregroundActive)]) }
        #expect(registry.fronts.count == 8)
    }

    @Test("another window in front, or another title of it, tells that the user may see something else")
    func frontChanges() throws {
        let changes = Locked(0)
        var openings = WindowOpenings()
        openings.frontChanged = { changes.with { $0 += 1 } }
        let store = store
        let configuration = configuration
        let registry = WindowRegistry(
            desktop, store, logger: Logger(level: .error),
            sessions: { () throws(StoreError) in try store.sessions().sessions }, configuration: { configuration },
            openings: openings)
        func count(_ front: Int, _ title: String, behind: String = "behind") -> Int {
            let windows = [1, 2].map { number in
                window(
                    number, number == front ? title : behind,
                    activation: number == front ? .foregroundActive : .background)
            }
            registry.follow(WindowList(server: "one", windows: windows), of: desktop)
            return changes.with { $0 }
        }
        let probe = "usher-0123456789abcdef"
        #expect(count(1, "make") == 1 && count(1, "make") == 1)
        #expect(count(2, "make") == 2 && count(1, "make") == 3)
        // A tab, by its title; not that of a window behind.
        #expect(count(1, "vim") == 4 && count(1, "vim", behind: "other") == 4)
        #expect(count(1, "make") == 5 && count(1, "make 2") == 6)
        // Signs that turn, and what a probe shows and takes back.
        #expect(count(1, "⠂ make 2") == 6 && count(1, "⠐ make 2…") == 6)
        #expect(count(1, probe) == 6 && count(1, "make 2") == 6)
        // A window that comes to the front with it.
        #expect(count(2, probe) == 7 && count(2, "usher-0123") == 8)
    }
}
