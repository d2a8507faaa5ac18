import Foundation
import TestSupport
import Testing
import UsherJSON
import UsherScene
import UsherSystem

@testable import UsherActivation
@testable import UsherWindows

/// A real Chromium without a screen, and one on a real desktop.
@Suite("Kiosks, by the DevTools protocol", .serialized)
struct DevToolsTests {
    @Test("windows, tabs, a name that rules match, and the life they belong to")
    func list() throws {
        let kiosk = try Kiosk()
        let windows = try kiosk.windowSystem()
        let list = try windows.windows()
        let window = try #require(list.windows.first)
        #expect(list.windows.count == 1 && window.tabs.map(\.address) == [kiosk.page("first")])
        #expect(window.browser == "chromium" && window.title == "Page first")
        let process = try #require(window.process)
        let file = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        #expect(file.hasSuffix("/chromium"))
        var rule = WindowRule(location: SourceLocation(path: "a", line: 1, column: 1))
        rule.browser = try WindowRule.Pattern("chromium")
        rule.tab = try WindowRule.Pattern(kiosk.page("*"))
        #expect(rule.matches(window))
        #expect(windows.recognizes(handle: window.handle) && windows.recognizes(handle: window.tabs[0].handle))
        #expect(try windows.server(of: window.handle) == window.server)
        #expect(try windows.presence(of: .handle(window.tabs[0].handle, server: window.server)) == .present)
        #expect(try windows.presence(of: .handle(window.handle + "/AA", server: window.server)) == .gone)
        #expect(windows.support[.focus] == .yes && windows.support.system.hasPrefix("devtools (chromium on 127.0.0.1"))

        kiosk.stop()
        #expect(try windows.windows() == WindowList(server: nil, windows: []))
        #expect(try windows.presence(of: .handle(window.handle, server: window.server)) == .gone)
        #expect(windows.support[.focus] != .yes)
        let absent = #expect(throws: ActivationFailure.self) { try windows.focus(.handle(window.handle, server: nil)) }
        #expect(absent?.code == .browserNotConnected)
        try kiosk.start()
        #expect(try windows.windows().server != list.server)
        let gone = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle(window.handle, server: window.server))
        }
        #expect(gone?.code == .windowGone)
    }

    @Test("the tab that shows an address, else a new one, and what was seen of it")
    func navigate() throws {
        let kiosk = try Kiosk()
        let windows = try kiosk.windowSystem()
        let window = try #require(try windows.windows().windows.first)
        let reference = WindowReference.handle(window.handle, server: window.server)
        #expect(try windows.navigate(reference, to: kiosk.page("second")).view == .shown)
        #expect(try windows.windows().windows.first?.tabs.count == 2)
        // It is there already, however it is written.
        let first = kiosk.page("first").replacingOccurrences(of: "http://", with: "HTTP://")
        let sighting = try windows.navigate(reference, to: first)
        #expect(sighting.view == .shown && sighting.title == "Page first")
        #expect(try windows.navigate(reference, to: kiosk.page("first#part")).view == .shown)
        let tabs = try windows.windows().windows.first?.tabs ?? []
        #expect(tabs.count == 2 && tabs.first { $0.isActive }?.address == kiosk.page("first#part"))
        for address in ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "chrome://settings"] {
            let failure = #expect(throws: ActivationFailure.self) { try windows.navigate(reference, to: address) }
            #expect(failure?.code == .browserAddress, "\(address)")
        }
        // A page that does not stay where it was sent to does not show that.
        #expect(try windows.navigate(reference, to: kiosk.page("fickle")).view == .shown)
        let fickle = DevToolsWindowSystem(
            windows.addresses, desktop: nil,
            limits: .init(answer: 20_000, visit: 60_000, seen: 1000, desktop: 1000, back: 100...200))
        #expect(
            try fickle.navigate(reference, to: kiosk.page("fickle#other")).view
                == .hidden(seen: "the page is at \(kiosk.page("fickle#own")) instead"))
        #expect(
            try windows.navigate(reference, to: "http://127.0.0.1:1/").view
                == .hidden(seen: "the browser could not load the page"))
    }

    @Test("the right tab of three comes to the front of its window, and is read back")
    func focus() throws {
        let kiosk = try Kiosk()
        let windows = try kiosk.windowSystem()
        try kiosk.open("second")
        try kiosk.open("third")
        let window = try #require(try windows.windows().windows.first)
        #expect(window.tabs.count == 3)
        for name in ["second", "third", "first"] {
            let sighting = try windows.focus(
                FocusRequest(.handle(window.handle, server: window.server), target: kiosk.page(name)))
            #expect(sighting.view == .shown && sighting.title == "Page \(name)")
            #expect(try windows.windows().windows.first?.title == "Page \(name)")
        }
        let second = try #require(window.tabs.first { $0.address == kiosk.page("second") })
        let untouched = FocusRequest(
            .handle(second.handle, server: nil), policy: FocusPolicy(prominence: .none))
        #expect(try windows.focus(untouched).view == .untouched)
        #expect(try windows.windows().windows.first?.title == "Page first")
        #expect(try windows.focus(.handle(second.handle, server: nil)).title == "Page second")
        let urgent = FocusRequest(.handle(second.handle, server: nil), policy: FocusPolicy(prominence: .urgent))
        #expect(try windows.focus(urgent).view != .shown)
    }

    @Test("of two windows, a tab opens in the one that was meant; a minimised one comes back")
    func twoWindows() throws {
        let kiosk = try Kiosk()
        let windows = try kiosk.windowSystem()
        let first = try #require(try windows.windows().windows.first)
        try kiosk.open("other", inNewWindow: true)
        #expect(eventually { (try? windows.windows())?.windows.count == 2 })
        let other = try #require(try windows.windows().windows.first { $0.handle != first.handle })
        for (window, name) in [(first, "a"), (other, "b")] {
            #expect(try windows.navigate(.handle(window.handle, server: nil), to: kiosk.page(name)).view == .shown)
            let now = try windows.windows().windows.first { $0.handle == window.handle }
            #expect(now?.tabs.count == 2 && now?.title == "Page \(name)")
        }
        var connection = try DevToolsConnection(try kiosk.address(), patience: 20_000)
        let id = try #require(DevToolsHandle(other.handle)).window
        try connection.call(
            "Browser.setWindowBounds",
            ["windowId": .number(String(id)), "bounds": ["windowState": "minimized"]])
        #expect(
            eventually {
                (try? windows.windows())?.windows.first { $0.handle == other.handle }?.activation == .background
            })
        #expect(try windows.focus(.handle(other.handle, server: nil)).view == .shown)
    }

    @Test("a watch tells of tabs that come, that are turned to, and of a browser that goes and comes back")
    func watch() throws {
        let kiosk = try Kiosk()
        let windows = try kiosk.windowSystem()
        let seen = Seen()
        let watch = try #require(windows.watch { seen.note($0) })
        defer { watch.stop() }
        #expect(eventually { seen.last?.windows.first?.title == "Page first" })
        let server = seen.last?.server
        try kiosk.open("second")
        #expect(eventually { seen.last?.windows.first?.title == "Page second" })
        // Turning to a tab is no event of the protocol.
        var connection = try DevToolsConnection(try kiosk.address(), patience: 20_000)
        let first = try #require(seen.last?.windows.first?.tabs.first { $0.address == kiosk.page("first") })
        try connection.call(
            "Target.activateTarget", ["targetId": .string(try #require(DevToolsHandle(first.handle)?.tab))])
        #expect(eventually { seen.last?.windows.first?.title == "Page first" })
        // Nothing changes, so no event is reported.
        let count = seen.count
        usleep(700_000)
        #expect(seen.count <= count + 1)
        kiosk.stop()
        #expect(eventually { seen.last == WindowList(server: nil, windows: []) })
        try kiosk.start()
        #expect(eventually { seen.last?.server != nil && seen.last?.server != server })
    }

    @Test("what changes is waited for")
    func change() throws {
        let kiosk = try Kiosk()
        let windows = try kiosk.windowSystem()
        let before = try windows.windows()
        let end = Deadline(inMilliseconds: 300)
        #expect(try windows.change(after: before, until: end, or: nil).windows.count == 1)
        try kiosk.open("second")
        let after = try windows.change(after: before, until: Deadline(inMilliseconds: 30_000), or: nil)
        #expect(after != before)
    }

    @Test("on a desktop its window comes to the front as well")
    func desktop() throws {
        let server = try XServer()
        defer { server.stop() }
        let kiosk = try Kiosk(display: server.display)
        let windows = try kiosk.windowSystem(on: server.windowSystem)
        try kiosk.open("second")
        let window = try #require(try windows.windows().windows.first)
        try server.terminal("other")
        let other = try server.window("other")
        _ = try server.windowSystem.focus(.handle(other.handle, server: other.server))
        #expect(server.isActive(other.handle))
        let sighting = try windows.focus(
            FocusRequest(.handle(window.handle, server: window.server), target: kiosk.page("first")))
        #expect(sighting.view == .shown && sighting.title == "Page first")
        let own = try #require(try server.windowSystem.windows().windows.first { $0.process == window.process })
        #expect(server.isActive(own.handle))
    }
}
