import Foundation
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation
@testable import UsherWindows

/// Firefox and Chromium themselves, with the extension, on a real X server.
@Suite("Browsers", .serialized)
struct BrowserTests {
    @Test("the right tab of three comes forward, and what is not there is opened", arguments: BrowserDesk.Kind.allCases)
    func tabs(kind: BrowserDesk.Kind) throws {
        let desk = try BrowserDesk()
        try desk.start(kind)
        let window = try #require(desk.window(of: kind))
        #expect(window.tabs.map(\.isActive) == [true, false, false])
        #expect(window.tabs.map(\.address) == (1...3).map { desk.page("\($0)") })
        #expect(window.server == (try desk.windows.server(of: window.handle)))
        let reference = WindowReference.handle(window.handle, server: window.server)
        let frame = try #require(frames(of: window, on: desk).first)

        // Behind another window.
        try desk.server.terminal("other")
        try bringForward("other", on: desk)
        let second = try desk.windows.focus(FocusRequest(reference, target: desk.page("2")))
        #expect(second.view == .shown && second.title == "Page 2" && second.handle == window.handle)
        #expect(front(of: desk).contains("Page 2"))
        #expect(desk.window(of: kind)?.tabs.map(\.isActive) == [false, true, false])

        // Minimised; another part of a page is the page.
        try desk.command("xdotool", ["windowminimize", "--sync", String(frame.handle.dropFirst(4))])
        try bringForward("other", on: desk)
        let third = try desk.windows.focus(FocusRequest(reference, target: desk.page("3#part")))
        #expect(third.view == .shown && third.title == "Page 3")
        #expect(front(of: desk).contains("Page 3"))

        // By its handle.
        let tab = try desk.windows.focus(.handle(window.tabs[0].handle, server: window.server))
        #expect(tab.view == .shown && tab.title == "Page 1" && tab.handle == window.tabs[0].handle)

        // Marked, and left alone.
        try bringForward("other", on: desk)
        let marked = try desk.windows.focus(
            FocusRequest(reference, policy: FocusPolicy(prominence: .urgent), target: desk.page("2")))
        #expect(marked.view == .shown && marked.title == "Page 2")
        let left = try desk.windows.focus(
            FocusRequest(reference, policy: FocusPolicy(prominence: .none), target: desk.page("1")))
        #expect(left.view == .untouched)
        #expect(front(of: desk).contains("other"))
        #expect(desk.window(of: kind)?.title == "Page 2")

        // Not there: opened. There: turned to. Another part: shown without another page.
        #expect(try desk.windows.navigate(reference, to: desk.page("4")).view == .shown)
        #expect(eventually { desk.window(of: kind)?.title == "Page 4" })
        #expect(desk.window(of: kind)?.tabs.count == 4)
        #expect(try desk.windows.navigate(reference, to: desk.page("2")).title == "Page 2")
        #expect(try desk.windows.navigate(reference, to: desk.page("4#part")).view == .shown)
        #expect(eventually { desk.window(of: kind)?.tabs.last?.address == desk.page("4#part") })
        #expect(desk.window(of: kind)?.tabs.count == 4)
        for address in ["file:///etc/passwd", "javascript:alert(1)", "chrome://settings", "about:config", "-x", ""] {
            let failure = #expect(throws: ActivationFailure.self) { try desk.windows.navigate(reference, to: address) }
            #expect(failure?.code == .browserAddress, "\(address)")
        }
        #expect(desk.window(of: kind)?.tabs.count == 4)
    }

    @Test("of two windows that look the same, each comes forward", arguments: BrowserDesk.Kind.allCases)
    func twins(kind: BrowserDesk.Kind) throws {
        let desk = try BrowserDesk()
        try desk.start(kind)
        let first = try #require(desk.window(of: kind))
        #expect(try desk.windows.focus(.handle(first.handle, server: first.server)).view == .shown)
        // Its user's keys for another window.
        try desk.command("xdotool", ["key", "ctrl+n"])
        var second: WindowList.Window?
        #expect(
            eventually {
                second = (try? desk.windows.windows())?.windows.first { $0.handle != first.handle }
                return second?.tabs.isEmpty == false
            })
        let added = try #require(second)
        #expect(
            try desk.windows.navigate(.handle(added.handle, server: added.server), to: desk.page("1")).view == .shown)
        var twins: [WindowList.Window] = []
        #expect(
            eventually {
                twins = ((try? desk.windows.windows())?.windows ?? []).filter { $0.title == "Page 1" }
                return twins.count == 2
            })
        try desk.server.terminal("other")
        for place in [0, 1, 1, 0] {
            try bringForward("other", on: desk)
            let twin = try #require(twins.indices.contains(place) ? twins[place] : nil)
            let sighting = try desk.windows.focus(
                FocusRequest(.handle(twin.handle, server: twin.server), target: desk.page("1")))
            #expect(sighting.view == .shown && sighting.handle == twin.handle)
            #expect(front(of: desk).contains("Page 1"))
            #expect(
                eventually {
                    (try? desk.windows.windows())?.windows.first { $0.handle == twin.handle }?.activation
                        == .foregroundActive
                })
        }
    }

    @Test("a browser that hangs, closes a window or dies is reported as such", arguments: BrowserDesk.Kind.allCases)
    func hardship(kind: BrowserDesk.Kind) throws {
        let desk = try BrowserDesk()
        let browser = try desk.start(kind)
        let window = try #require(desk.window(of: kind))
        let reference = WindowReference.handle(window.handle, server: window.server)
        let process = try #require(window.process)

        // It is asked while it is stopped, and goes on when it goes on.
        kill(process, SIGSTOP)
        let place = try desk.windows.place(of: reference)
        let wish = BrowserRequest(window: place.handle.window, prominence: .none, wait: 0)
        let reply = desk.windows.hub.ask(place.token, wish, until: Deadline(inMilliseconds: 300))
        if case .silence = reply {} else { Issue.record("\(reply)") }
        kill(process, SIGCONT)
        #expect(try desk.windows.focus(FocusRequest(reference, target: desk.page("3"))).title == "Page 3")

        // The daemon is started anew: the handle stays good.
        try desk.restart()
        #expect(eventually { desk.window(of: kind) != nil })
        #expect(try desk.windows.presence(of: reference) == .present)
        #expect(try desk.windows.focus(FocusRequest(reference, target: desk.page("1"))).view == .shown)

        kill(-browser.process, SIGKILL)
        #expect(eventually { desk.window(of: kind) == nil })
        browser.end()
        #expect(try desk.windows.presence(of: reference) == .gone)
        let gone = #expect(throws: ActivationFailure.self) { try desk.windows.focus(reference) }
        #expect(gone?.code == .windowGone)
    }

    @Test("two browsers at once, and one whose extension is off")
    func two() throws {
        let desk = try BrowserDesk()
        #expect(desk.windows.support[.focus] != .yes)
        let plain = try desk.start(.chromium, withExtension: false)
        #expect(eventually { titles(of: desk).contains { $0.hasPrefix("Page") } })
        #expect(try desk.windows.windows().windows.isEmpty)
        let off = #expect(throws: ActivationFailure.self) {
            try desk.windows.focus(.handle("browser:chromium/1", server: nil))
        }
        #expect(off?.code == .browserNotConnected)
        plain.end()

        try desk.start(.firefox)
        try desk.start(.chromium)
        #expect(desk.windows.support[.focus] == .yes)
        for round in 1...3 {
            for kind in BrowserDesk.Kind.allCases {
                let window = try #require(desk.window(of: kind))
                let sighting = try desk.windows.focus(
                    FocusRequest(
                        .handle(window.handle, server: window.server), target: desk.page("\(round)")))
                #expect(sighting.view == .shown && sighting.title == "Page \(round)")
                #expect(front(of: desk).lowercased().contains(kind.rawValue))
                #expect(eventually { desk.window(of: kind)?.activation == .foregroundActive })
            }
        }
        // Chromium itself does not tell of that.
        try desk.server.terminal("other")
        try bringForward("other", on: desk)
        for kind in BrowserDesk.Kind.allCases {
            #expect(eventually { desk.window(of: kind)?.activation != .foregroundActive })
        }
        #expect(Set(try desk.windows.windows().windows.map(\.server)).count == 2)
    }

    // MARK: - Looking

    private func frames(of window: WindowList.Window, on desk: BrowserDesk) -> [WindowList.Window] {
        ((try? desk.server.windowSystem.windows())?.windows ?? []).filter { $0.process == window.process }
    }

    private func titles(of desk: BrowserDesk) -> [String] {
        ((try? desk.server.windowSystem.windows())?.windows ?? []).map(\.title)
    }

    private func bringForward(_ title: String, on desk: BrowserDesk) throws {
        let windows = desk.server.windowSystem
        var handle: String?
        _ = eventually {
            handle = (try? windows.windows())?.windows.first { $0.title == title }?.handle
            return handle != nil
        }
        #expect(try windows.focus(.handle(try #require(handle), server: nil)).view == .shown)
    }

    /// The title of the window in front, as another program tells it.
    private func front(of desk: BrowserDesk) -> String {
        let active = desk.server.root("_NET_ACTIVE_WINDOW").split(separator: " ").last.map(String.init) ?? ""
        let name = desk.server.property("_NET_WM_NAME", of: "x11:" + active)
        return name.contains("not found") ? desk.server.property("WM_NAME", of: "x11:" + active) : name
    }
}
