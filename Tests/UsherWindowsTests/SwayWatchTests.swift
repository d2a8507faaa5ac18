import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherScene
import UsherSystem
import UsherWindows

/// What a watch told, in order.
final class ToldLists: Sendable {
    private let lists = Mutex<[WindowList]>([])

    var all: [WindowList] { lists.withLock { $0 } }

    func add(_ list: WindowList) { lists.withLock { $0.append(list) } }
}

@Suite("SwayWatch", .serialized)
struct SwayWatchTests {
    @Test("windows that open, close, take focus and change their workspace are reported")
    func watch() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        let told = ToldLists()
        let watch = try #require(windows.watch(told.add))
        defer { watch.stop() }
        #expect(eventually { told.all.first?.windows.isEmpty == true && told.all.first?.server != nil })
        let one = try server.terminal("one")
        #expect(eventually { told.all.last?.windows.map(\.title) == ["one"] })
        try server.terminal("two")
        #expect(eventually { told.all.last?.windows.map(\.activation) == [.foregroundInactive, .foregroundActive] })
        let handle = try #require(told.all.last?.windows.first?.handle)
        _ = try windows.focus(.handle(handle, server: nil))
        #expect(eventually { told.all.last?.windows.map(\.activation) == [.foregroundActive, .foregroundInactive] })
        server.message("move container to workspace far")
        #expect(
            eventually { told.all.last?.windows.first { $0.handle == handle }?.group == "far" })
        #expect(eventually { told.all.last?.windows.first { $0.handle == handle }?.activation == .background })
        one.end()
        #expect(eventually { told.all.last?.windows.map(\.title) == ["two"] })
        // No event follows the end.
        watch.stop()
        let count = told.all.count
        try server.terminal("three")
        _ = try SwayWindowSystemTests().wait(for: "three", in: windows)
        #expect(told.all.count == count)
        // Each differs from the one before.
        #expect(zip(told.all, told.all.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test("a storm of titles is reported a few times, with the last one")
    func storm() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        let told = ToldLists()
        let script =
            #"i=0; while [ $i -lt 300 ]; do printf '\033]2;t%d\033\\' $i; i=$((i+1)); sleep 0.005; done; printf '\033]2;last\033\\'; exec cat"#
        let watch = try #require(windows.watch(told.add))
        try server.run(["foot", "sh", "-c", script])
        #expect(eventually { told.all.last?.windows.first?.title == "last" })
        watch.stop()
        // Some 1.5 seconds of titles, four a second; more where the machine is slow.
        let titles = told.all.filter { $0.windows.first?.title.hasPrefix("t") == true }
        #expect(titles.count < 100, "\(titles.count) lists for 300 titles")
    }

    @Test("the end and the start of a compositor are reported, without polling in between")
    func restart() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        let told = ToldLists()
        try server.terminal("one")
        let watch = try #require(windows.watch(told.add))
        defer { watch.stop() }
        #expect(eventually { told.all.last?.windows.count == 1 })
        let first = told.all.last?.server
        server.stop()
        #expect(eventually { told.all.last == WindowList(server: nil, windows: []) })
        try server.start()
        try server.terminal("two")
        #expect(eventually { told.all.last?.windows.map(\.title) == ["two"] })
        #expect(told.all.last?.server != first)
    }

    @Test("a watch that begins before its compositor, and its folder, finds it")
    func early() throws {
        let folder = NSTemporaryDirectory() + "usher-early-\(UUID().uuidString)"
        let socket = folder + "/deep/sway-ipc.0.1.sock"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let told = ToldLists()
        let watch = try #require(SwayWindowSystem(environment: ["SWAYSOCK": socket]).watch(told.add))
        defer { watch.stop() }
        #expect(eventually { told.all.last == WindowList(server: nil, windows: []) })
        try FileManager.default.createDirectory(atPath: folder + "/deep", withIntermediateDirectories: true)
        let server = try SwayServer()
        symlink(server.socket, socket)
        #expect(eventually { told.all.last?.server != nil })
    }

    @Test("a change is waited for, and a descriptor or the deadline ends that")
    func change() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        let before = try windows.change(
            after: WindowList(server: nil, windows: []), until: Deadline(inMilliseconds: 0), or: nil)
        #expect(before.server != nil && before.windows.isEmpty)
        #expect(try windows.change(after: before, until: Deadline(inMilliseconds: 50), or: nil) == before)
        try server.terminal("one")
        let after = try windows.change(after: before, until: Deadline(inMilliseconds: 30_000), or: nil)
        #expect(after != before)
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        defer { for end in ends { close(end) } }
        var settled = after
        _ = eventually {
            let now = (try? windows.windows()) ?? settled
            defer { settled = now }
            return now == settled && now.windows.first?.title == "one"
        }
        write(ends[1], "x", 1)
        let begin = Date()
        #expect(try windows.change(after: settled, until: Deadline(inMilliseconds: 30_000), or: ends[0]) == settled)
        #expect(Date().timeIntervalSince(begin) < 20)
        // The compositor goes in the middle.
        let process = server.process
        ThreadWaits.whenCallerWaits { kill(process, SIGKILL) }
        #expect(throws: ActivationFailure.self) {
            while true {
                settled = try windows.change(after: settled, until: Deadline(inMilliseconds: 30_000), or: nil)
            }
        }
    }

    @Test("the window that gets the keyboard next is the one pointed at")
    func pick() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        try server.terminal("one", ["-a", "picked"])
        let one = try SwayWindowSystemTests().wait(for: "one", in: windows)
        try server.terminal("two")
        _ = try SwayWindowSystemTests().wait(for: "two", in: windows)
        #expect(eventually { server.focused != one })
        #expect(try windows.pick(until: Deadline(inMilliseconds: 50)) == nil)
        let picked = Mutex<WindowList.Window?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let found = try? windows.pick(until: Deadline(inMilliseconds: 30_000))
            picked.withLock { $0 = found }
            done.signal()
        }
        // Sooner or later the other thread listens.
        while done.wait(timeout: .now() + 0.2) == .timedOut {
            server.message("focus next")
            if server.focused != one { server.message("focus next") }
        }
        #expect(picked.withLock { $0?.server } != nil)
    }

    @Test("an idle watch sleeps")
    func idle() throws {
        let server = try SwayServer()
        try server.terminal("one")
        let told = ToldLists()
        let watch = try #require(server.windowSystem.watch(told.add))
        defer { watch.stop() }
        #expect(eventually { told.all.last?.windows.first?.title == "one" })
        #expect(eventually { Array(ThreadWaits.limits(name: "watch sway").values) == [.max] })
    }
}
