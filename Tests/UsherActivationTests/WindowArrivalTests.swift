import Glibc
import Testing
import UsherScene

@testable import UsherActivation

@Suite("WindowArrival") struct WindowArrivalTests {
    private func window(_ handle: String, _ windowClass: String, token: String? = nil) -> WindowList.Window {
        var window = WindowList.Window(handle: handle, title: "", group: "1")
        window.windowClass = windowClass
        window.process = 7
        window.startupID = token
        return window
    }

    private func arrival(_ pattern: String?, token: String? = nil) throws -> WindowArrival {
        var rule = WindowRule(location: SourceLocation(path: "a.toml", line: 1, column: 1))
        rule.windowClass = try pattern.map { try .init($0) }
        return WindowArrival(
            before: WindowList(server: "one", windows: [window("x11:0x1", "Real")]), process: 7, token: token,
            nonce: "n", rule: pattern == nil ? nil : rule)
    }

    @Test(
        "what a program shows while it starts is not the window that its rule means, unless nothing else comes",
        arguments: [nil, "token"])
    func splash(token: String?) throws {
        let splash = WindowList(server: "one", windows: [window("x11:0x2", "Splash", token: token)])
        let both = WindowList(server: "one", windows: splash.windows + [window("x11:0x3", "Real", token: token)])
        #expect(try arrival("Real", token: token).window(in: splash) == nil)
        #expect(try arrival("Real", token: token).window(in: splash, isLast: true)?.handle == "x11:0x2")
        #expect(try arrival("Real", token: token).window(in: both)?.handle == "x11:0x3")
        #expect(try arrival(nil, token: token).window(in: splash)?.handle == "x11:0x2")
    }

    @Test("the only window of a program is taken, though `focus` means another one, once it has been there for a while")
    func lone() throws {
        func own(_ handle: String) -> WindowCandidate {
            WindowCandidate(window(handle, "Splash"), .process, isDescribed: false)
        }
        var windows = LoneWindows(patience: 0)
        var one = [own("x11:0x2")]
        windows.mark(&one)
        #expect(WindowCandidate.best(of: one, isLast: false)?.window.handle == "x11:0x2")
        var two = [own("x11:0x2"), own("x11:0x3")]
        windows.mark(&two)
        #expect(WindowCandidate.best(of: two, isLast: false) == nil)
        var patient = LoneWindows()
        one = [own("x11:0x2")]
        patient.mark(&one)
        #expect(WindowCandidate.best(of: one, isLast: false) == nil)
    }

    @Test("a window that got the number of one that was closed is a new one")
    func numberGivenAnew() throws {
        var arrival = try arrival("Real")
        arrival.before.windows[0].server = "one#6"
        var window = window("x11:0x1", "Real")
        window.server = "one#6"
        #expect(arrival.window(in: WindowList(server: "one", windows: [window])) == nil)
        window.server = "one#7"
        #expect(arrival.window(in: WindowList(server: "one", windows: [window])) == window)
    }

    @Test("a window that looks the same and was opened by another launch is not taken")
    func others() throws {
        func start(_ environment: [EnvironmentVariable]) throws -> Int32 {
            try Spawner.start(
                SpawnRequest(program: "/bin/sleep", arguments: ["sleep", "60"], environment: environment)
            ).pid
        }
        let (other, anybody) = (try start([EnvironmentVariable("USHER_LAUNCH", "m")]), try start([]))
        defer { for pid in [other, anybody] { kill(pid, SIGKILL) } }
        var window = window("x11:0x2", "Real")
        window.process = other
        let list = WindowList(server: "one", windows: [window])
        #expect(try arrival("Real").window(in: list, isLast: true) == nil)
        // It was there before: it may have been handed ours, too.
        var handed = try arrival("Real")
        handed.before.windows[0].process = other
        #expect(handed.window(in: list)?.handle == "x11:0x2")
        #expect(handed.candidates(in: list).map(\.otherLaunch) == ["m"])
        // It handed over: a program that another launch has started may be the one.
        var ended = try arrival("Real")
        ended.isHandedOver = true
        #expect(ended.candidates(in: list).map(\.otherLaunch) == ["m"])
        window.process = anybody
        #expect(try arrival("Real").window(in: WindowList(server: "one", windows: [window]))?.handle == "x11:0x2")
    }

    @Test("evidence goes before looks, what `focus` describes before what it does not, then the order of the list")
    func ranking() throws {
        var arrival = try arrival("Real", token: "usher-n_TIME7")
        arrival.process = getpid()
        arrival.isHandedOver = true
        arrival.before.windows[0].process = 1
        func made(_ handle: String, _ windowClass: String, process: Int32?, token: String? = nil) -> WindowList.Window {
            var window = window(handle, windowClass, token: token)
            window.process = process
            return window
        }
        var front = arrival.before.windows[0]
        front.activation = .foregroundActive
        let list = WindowList(
            server: "one",
            windows: [
                front, made("looks", "Real", process: 1), made("other", "Unreal", process: 1),
                made("splash", "Splash", process: getpid()), made("own", "Real", process: getpid()),
                made("id", "Real", process: 1, token: "usher-n_TIME7"),
            ])
        let found = arrival.candidates(in: list)
        #expect(found.map(\.window.handle) == ["id", "own", "splash", "looks", "x11:0x1"])
        #expect(found.map(\.evidence) == [.startupID, .process, .process, .looks, .cameForward])
        #expect(found.map(\.isDescribed) == [true, true, false, true, true])
        #expect(found.map(\.isOfLaunchedProcess) == [false, true, true, false, false])
        // An application may have run before: that a window is its own says nothing about this launch.
        arrival.isApplication = true
        #expect(arrival.candidates(in: list).allSatisfy { !$0.isOfLaunchedProcess })
    }

    @Test(
        "a window that names another launch of ours is not a candidate, by whatever else it fits",
        arguments: [
            ("usher-m_TIME9", false, nil), ("usher-m_TIME9", true, "m"), ("usher-n_TIME9", false, ""),
            ("gnome-m_TIME9", false, ""), ("usher-m", false, ""),
        ] as [(String, Bool, String?)])
    func foreign(id: String, isShared: Bool, other: String?) throws {
        var arrival = try arrival("Real", token: "usher-n_TIME7")
        arrival.process = getpid()
        var window = window("x11:0x2", "Real", token: id)
        window.process = getpid()
        window.sharesStartupID = isShared
        let found = arrival.candidates(in: WindowList(server: "one", windows: [window]))
        #expect(found.map { $0.otherLaunch ?? "" } == (other.map { [$0] } ?? []))
    }

    @Test("the startup ids of Usher say which launch they are of")
    func startupToken() {
        let id = StartupToken.text(nonce: "0198-a_b", time: 4_294_967_295)
        #expect(id == "usher-0198-a_b_TIME4294967295")
        #expect(StartupToken.launch(of: id) == "0198-a_b")
        for other in [nil, "", "usher-", "usher-a", "usher-a_T", "xusher-a_TIME1", "gtk-1_TIME5"] {
            #expect(StartupToken.launch(of: other) == nil, "\(other ?? "nil")")
        }
    }
}

extension WindowArrival {
    /// What a launch takes that is alone.
    fileprivate func window(in list: WindowList, isLast: Bool = false) -> WindowList.Window? {
        WindowCandidate.best(of: candidates(in: list), isLast: isLast)?.window
    }
}
