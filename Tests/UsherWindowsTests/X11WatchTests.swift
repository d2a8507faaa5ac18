import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherScene
import UsherSystem

@testable import UsherWindows

@Suite("X11Watch", .serialized)
struct X11WatchTests {
    /// The reported events, in order.
    private final class Record: Sendable {
        private let told = Mutex<[WindowList]>([])

        func add(_ list: WindowList) { told.withLock { $0.append(list) } }

        var lists: [WindowList] { told.withLock { $0 } }

        var titles: [String] { lists.last?.windows.map(\.title) ?? [] }

        func isActive(_ title: String) -> Bool {
            lists.last?.windows.first { $0.title == title }?.activation == .foregroundActive
        }
    }

    @Test("windows that open, change, come forward and close are reported", arguments: WindowManager.allCases)
    func changes(manager: WindowManager) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        let record = Record()
        let watch = try #require(windows.watch(record.add))
        #expect(eventually { record.lists.count == 1 && record.titles.isEmpty })
        let one = try server.terminal("one")
        #expect(eventually { record.titles == ["one"] && record.isActive("one") })
        try server.terminal("far")
        #expect(eventually { record.titles == ["one", "far"] })
        #expect(try eventually { try record.lists.last == windows.windows() })
        let handle = try server.window("far").handle
        _ = try windows.focus(.handle(handle, server: nil))
        #expect(eventually { record.isActive("far") && !record.isActive("one") })
        #expect(try eventually { try record.lists.last == windows.windows() })
        server.say("xdotool", ["set_window", "--name", "near", String(handle.dropFirst(4))])
        #expect(eventually { record.titles == ["one", "near"] })
        one.end()
        #expect(eventually { record.titles == ["near"] })
        watch.stop()
        // No more events arrive, and each list differed from the one before.
        let count = record.lists.count
        try server.terminal("late")
        _ = try server.window("late")
        #expect(record.lists.count == count)
        #expect(zip(record.lists, record.lists.dropFirst()).allSatisfy { $0 != $1 })
        watch.stop()
    }

    @Test("a title that changes a hundred times a second is reported a few times", arguments: WindowManager.allCases)
    func restless(manager: WindowManager) throws {
        let server = try XServer(manager)
        let record = Record()
        let watch = try #require(server.windowSystem.watch(record.add))
        defer { watch.stop() }
        try server.client("restless", "r", "100")
        // What more than a title is part of is reported at once, and read again: the window has come forward, and two reports
        // of titles later nothing else is due.
        #expect(eventually { record.isActive(record.titles.first ?? "") })
        let settled = record.lists.count + 2
        #expect(eventually { record.lists.count >= settled })
        let (begin, before, first) = (ContinuousClock.now, record.lists.count, record.titles)
        #expect(eventually { record.lists.count >= before + 5 })
        // Four a second at most, however slow the machine is.
        let (told, milliseconds) = (record.lists.count - before, (ContinuousClock.now - begin) / .milliseconds(1))
        #expect(Double(told) <= milliseconds / 250 + 1, "\(told) lists in \(milliseconds) ms")
        #expect(record.titles != first)
        // What matters more does not wait behind it.
        try server.terminal("one")
        #expect(eventually { record.titles.contains("one") })
    }

    @Test("a dialog is part of its window", arguments: WindowManager.allCases)
    func dialog(manager: WindowManager) throws {
        let server = try XServer(manager)
        let (windows, record) = (server.windowSystem, Record())
        let watch = try #require(windows.watch(record.add))
        defer { watch.stop() }
        try server.client("dialog", "doc")
        let isShown = eventually {
            server.say("xdotool", ["getactivewindow", "getwindowname"]) == "doc?"
        }
        #expect(isShown)
        // In front while its dialog is.
        #expect(eventually { record.titles == ["doc"] && record.isActive("doc") })
        #expect(try windows.windows() == record.lists.last)
        let window = try server.window("doc")
        let process = try #require(window.process)
        let found = try #require(try windows.find(processes: [process]))
        #expect(found.handle == window.handle && found.view == .shown)
        let focused = try windows.focus(.handle(window.handle, server: nil))
        #expect(focused.view == .shown)
    }

    @Test("a window manager that is restarted takes no window away")
    func restartedManager() throws {
        let server = try XServer()
        let record = Record()
        try server.terminal("one")
        try server.terminal("two", ["-iconic"])
        _ = (try server.window("one"), try server.window("two"))
        let watch = try #require(server.windowSystem.watch(record.add))
        defer { watch.stop() }
        #expect(eventually { record.titles.count == 2 })
        server.say("openbox", ["--restart"])
        // It lists them again, and new ones as well.
        try server.terminal("three")
        #expect(eventually { record.titles.contains("three") })
        #expect(record.lists.allSatisfy { Set($0.windows.map(\.title)).isSuperset(of: ["one", "two"]) })
        #expect(Set(record.lists.map(\.server)).count == 1)
    }

    @Test("a window manager that goes for good takes them with it after a while")
    func endedManager() throws {
        let server = try XServer()
        let record = Record()
        try server.terminal("one")
        _ = try server.window("one")
        let watch = try #require(server.windowSystem.watch(record.add))
        defer { watch.stop() }
        #expect(eventually { record.titles == ["one"] })
        server.stopManager()
        #expect(eventually { record.titles.isEmpty })
        #expect(record.lists.last?.server != nil)
        try server.startManager()
        #expect(eventually { record.titles == ["one"] })
    }

    @Test("the end of a server is reported once, and its return is noticed")
    func server() throws {
        let server = try XServer()
        let record = Record()
        let watch = try #require(server.windowSystem.watch(record.add))
        defer { watch.stop() }
        #expect(eventually { record.lists.last?.server != nil })
        let life = record.lists.last?.server
        server.stop()
        #expect(eventually { record.lists.last.map { $0.server == nil } ?? false })
        try server.start()
        #expect(eventually { record.lists.last?.server != nil })
        #expect(record.lists.count { $0.server == nil } == 1)
        #expect(record.lists.last?.server != life)
        try server.terminal("one")
        #expect(eventually { record.titles == ["one"] })
    }

    @Test("a server that hangs has its windows still; one that is gone has none")
    func hung() throws {
        let server = try XServer()
        let windows = server.windowSystem
        try server.terminal("one")
        let one = try server.window("one").handle
        let record = Record()
        let watch = try #require(windows.watch(record.add))
        defer { watch.stop() }
        #expect(eventually { record.titles == ["one"] })
        server.pause()
        defer { server.resume() }
        // Each of these is given up after a while.
        for _ in 1...2 { #expect(throws: ActivationFailure.self) { try windows.server(of: one) } }
        server.resume()
        #expect(try windows.server(of: one) == record.lists.last?.windows.first?.server)
        try server.terminal("two")
        #expect(eventually { record.titles == ["one", "two"] })
        #expect(record.lists.allSatisfy { $0.server != nil })
        server.stop()
        #expect(try windows.server(of: one) == nil)
        #expect(eventually { record.lists.last.map { $0.server == nil } ?? false })
    }

    @Test("without a server it waits, and stops at once")
    func noServer() throws {
        let record = Record()
        let windows = X11WindowSystem(environment: ["DISPLAY": ":\(Int.random(in: 51_000...59_000))"])
        let watch = try #require(windows.watch(record.add))
        #expect(eventually { record.lists.count == 1 })
        #expect(record.lists.first?.server == nil)
        watch.stop()
        #expect(X11WindowSystem(environment: [:]).watch(record.add) == nil)
    }

    @Test("nothing wakes it while nothing happens")
    func idle() throws {
        let server = try XServer()
        try server.terminal("one")
        _ = try server.window("one")
        let before = ThreadWaits.limits(name: "watch X11")
        let record = Record()
        let watch = try #require(server.windowSystem.watch(record.add))
        defer { watch.stop() }
        #expect(eventually { record.titles == ["one"] })
        // Other tests' threads may be among the new ones, so one of them must sleep.
        #expect(
            eventually {
                ThreadWaits.limits(name: "watch X11").contains { before[$0.key] == nil && $0.value == .max }
            })
    }

    // MARK: - One change

    @Test("a change is waited for: a window, the deadline, or a descriptor", arguments: WindowManager.allCases)
    func change(manager: WindowManager) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        let empty = try windows.windows()
        #expect(empty.windows.isEmpty)
        #expect(try windows.change(after: empty, until: Deadline(inMilliseconds: 50), or: nil) == empty)
        try server.terminal("one")
        let one = try windows.change(after: empty, until: Deadline(inMilliseconds: 30_000), or: nil)
        #expect(one.windows.map(\.title) == ["one"])
        // What differs already is given at once.
        #expect(try windows.change(after: empty, until: Deadline(inMilliseconds: 30_000), or: nil).windows.count == 1)

        let end = Pipe()
        try end.fileHandleForWriting.write(contentsOf: [1])
        let settled = try windows.windows()
        let list = try windows.change(
            after: settled, until: Deadline(inMilliseconds: 30_000), or: end.fileHandleForReading.fileDescriptor)
        #expect(list.windows.count == 1)
        server.stop()
        #expect(throws: ActivationFailure.self) {
            try windows.change(after: list, until: Deadline(inMilliseconds: 30_000), or: nil)
        }
    }

    // MARK: - Pointing

    @Test(
        "the window that is clicked is the one meant", arguments: WindowManager.allCases,
        ["click", "frame", "right", "root", "escape", "never"])
    func pick(manager: WindowManager, how: String) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        try server.terminal("one", ["-geometry", "40x10+100+100"])
        let one = try server.window("one")
        // In i3 the corner is that of its bar, a program of its own that starts late on a busy machine.
        if manager == .i3, how == "root" {
            #expect(eventually { !server.say("xdotool", ["search", "--onlyvisible", "--class", "i3bar"]).isEmpty })
        }
        let result = Mutex<Result<WindowList.Window?, any Error>?>(nil)
        let deadline = Deadline(inMilliseconds: how == "never" ? 300 : 60_000)
        Thread.detachNewThread {
            let picked = Result { try windows.pick(until: deadline) }
            result.withLock { $0 = .some(picked) }
        }
        // Until it has the pointer, a click goes to the window.
        _ = eventually {
            switch how {
            case "click": server.say("xdotool", ["mousemove", "150", "160", "click", "1"])
            // Of the frame that the window manager draws, the title.
            case "frame": server.say("xdotool", ["mousemove", "150", manager == .i3 ? "5" : "112", "click", "1"])
            case "right": server.say("xdotool", ["mousemove", "150", "160", "click", "3"])
            case "root": server.say("xdotool", ["mousemove", "630", "470", "click", "1"])
            case "escape": server.say("xdotool", ["key", "Escape"])
            default: break
            }
            return result.withLock { $0 != nil }
        }
        let picked = try #require(result.withLock { $0 }).get()
        let isMeant = ["click", "frame"].contains(how)
        #expect(picked?.handle == (isMeant ? one.handle : nil))
        #expect(picked?.windowClass == (isMeant ? "XTerm" : nil))
        // It gave back what it had.
        #expect(try windows.focus(.handle(one.handle, server: nil)).view == .shown)
    }
}
