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
        window.process = anybody
        #expect(try arrival("Real").window(in: WindowList(server: "one", windows: [window]))?.handle == "x11:0x2")
    }
}
