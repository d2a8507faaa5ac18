import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherScene
import UsherSystem

@testable import UsherWindows

/// niri as niri-ipc 25.08 describes it: one request for each connection, and a stream of events.
private final class Niri: Sendable {
    struct Window {
        var id: Int
        var title: String
        var workspace: Int
        var process: Int
        var isUrgent = false
    }

    struct State {
        var windows = [
            Window(id: 12, title: "One \"quoted\"", workspace: 1, process: 101),
            Window(id: 13, title: "Two", workspace: 1, process: 102),
            Window(id: 18, title: "Three", workspace: 2, process: 103),
        ]
        var focused: Int? = 12
        var workspace = 1
        var requests: [String] = []
        var streams: [ScriptedServer.Client] = []
        /// It obeys no request to focus.
        var isStubborn = false
        /// How many requests to focus are lost.
        var lost = 0
    }

    let state = Mutex(State())
    private let server: Mutex<ScriptedServer?> = Mutex(nil)
    let path = "/tmp/usher-niri-\(UUID().uuidString)"

    init() throws { try start() }

    func start() throws {
        let made = try ScriptedServer(path: path) { [weak self] client in self?.serve(client) }
        server.withLock { $0 = made }
    }

    func stop() {
        server.withLock { server in
            server?.stop()
            server = nil
        }
        state.withLock { $0.streams = [] }
    }

    private func serve(_ client: ScriptedServer.Client) {
        guard let line = client.line() else { return }
        let answer: String = state.withLock { state in
            state.requests.append(line)
            switch line {
            case "\"Windows\"": return #"{"Ok":{"Windows":[\#(Self.windows(state))]}}"#
            case "\"Workspaces\"":
                let list = [(1, "null"), (2, "\"far\"")].map { id, name in
                    #"{"id":\#(id),"idx":\#(id),"name":\#(name),"output":"DP-1","is_urgent":false,"is_active":\#(state.workspace == id),"is_focused":\#(state.workspace == id),"active_window_id":null}"#
                }
                return #"{"Ok":{"Workspaces":[\#(list.joined(separator: ","))]}}"#
            case "\"EventStream\"":
                state.streams.append(client)
                return #"{"Ok":"Handled"}"# + "\n" + #"{"WindowsChanged":{"windows":[\#(Self.windows(state))]}}"#
            default: return Self.act(line, &state)
            }
        }
        client.send(answer + "\n")
        guard line == "\"EventStream\"" else { return }
        while !client.receive().isEmpty {}
        state.withLock { $0.streams.removeAll { $0 == client } }
    }

    private static func windows(_ state: State) -> String {
        state.windows.map { window in
            let title = window.title.replacingOccurrences(of: "\"", with: "\\\"")
            return
                #"{"id":\#(window.id),"title":"\#(title)","app_id":"org.example","pid":\#(window.process),"workspace_id":\#(window.workspace),"is_focused":\#(state.focused == window.id),"is_floating":false,"is_urgent":\#(window.isUrgent),"layout":{"tile_size":[1.0,2.0]}}"#
        }.joined(separator: ",")
    }

    private static func act(_ line: String, _ state: inout State) -> String {
        let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
        guard let place = state.windows.firstIndex(where: { $0.id == numbers.first }) else {
            return #"{"Err":"no such window"}"#
        }
        if line.hasPrefix(#"{"Action":{"FocusWindow":{"#) {
            if state.lost > 0 {
                state.lost -= 1
                return #"{"Ok":"Handled"}"#
            }
            guard !state.isStubborn else { return #"{"Ok":"Handled"}"# }
            (state.focused, state.workspace) = (numbers[0], state.windows[place].workspace)
        } else if line.hasPrefix(#"{"Action":{"MoveWindowToWorkspace":{"#) {
            state.windows[place].workspace = numbers[1]
        } else if line.hasPrefix(#"{"Action":{"SetWindowUrgent":{"#) {
            state.windows[place].isUrgent = true
        } else if line.hasPrefix(#"{"Action":{"CloseWindow":{"#) {
            state.windows.remove(at: place)
        } else {
            return #"{"Err":"error parsing request"}"#
        }
        for stream in state.streams { stream.send(#"{"WindowFocusChanged":{"id":\#(numbers[0])}}"# + "\n") }
        return #"{"Ok":"Handled"}"#
    }

    func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            for stream in state.streams { stream.send(#"{"WindowClosed":{"id":1}}"# + "\n") }
        }
    }

    /// On a busy machine, an answer may come too late.
    func system() throws -> ToplevelWindowSystem {
        var found: ToplevelWindowSystem?
        _ = eventually {
            found = .niri(environment: ["NIRI_SOCKET": path])
            return found != nil
        }
        return try #require(found)
    }

    var actions: [String] { state.withLock { $0.requests.filter { $0.hasPrefix("{") } } }
}

@Suite("niri, by its documented protocol", .serialized)
struct NiriTests {
    @Test("windows are listed with process, workspace and state")
    func list() throws {
        let niri = try Niri()
        let list = try niri.system().windows()
        #expect(list.windows.map(\.handle) == ["niri:12", "niri:13", "niri:18"])
        #expect(list.windows.map(\.title) == ["One \"quoted\"", "Two", "Three"])
        #expect(list.windows.map(\.appID) == ["org.example", "org.example", "org.example"])
        #expect(list.windows.map(\.process) == [101, 102, 103])
        #expect(list.windows.map(\.group) == ["1", "1", "far"])
        #expect(list.windows.map(\.activation) == [.foregroundActive, .foregroundInactive, .background])
        #expect(list.server?.hasPrefix("\(niri.path):\(getpid()):") == true)
        #expect(try niri.system().isFrontFullscreen() == nil)
    }

    @Test("a window is shown only when niri reports that it has the focus")
    func focus() throws {
        let niri = try Niri()
        let system = try niri.system()
        let server = try system.windows().server
        let seen = try system.focus(.handle("niri:18", server: server))
        #expect(seen.view == .shown && seen.front?.handle == "niri:18" && seen.process == 103)
        #expect(niri.actions == [#"{"Action":{"FocusWindow":{"id":18}}}"#])
        niri.state.withLock { $0.isStubborn = true }
        #expect(
            try system.focus(.handle("niri:12", server: server)).view == .hidden(seen: "Three (niri:18) is in front"))
        #expect(throws: ActivationFailure.self) { try system.focus(.handle("niri:99", server: server)) }
        #expect(try system.presence(of: .handle("niri:12", server: "another")) == .gone)
    }

    @Test("windows that are brought forward at once are all seen in front, one after the other")
    func atOnce() throws {
        let niri = try Niri()
        let system = try niri.system()
        let views = Mutex<[WindowSighting.View?]>([])
        DispatchQueue.concurrentPerform(iterations: 60) { number in
            let handle = ["niri:12", "niri:13", "niri:18"][number % 3]
            let seen = try? system.focus(.handle(handle, server: nil))
            views.withLock { $0.append(seen?.view) }
        }
        #expect(views.withLock { $0.filter { $0 != .shown } } == [])
    }

    @Test("a window that did not come forward in its turn is requested once more after another one's turn")
    func afterAnother() throws {
        let niri = try Niri()
        let system = try niri.system()
        niri.state.withLock { $0.lost = 1 }
        let views = Mutex<[WindowSighting.View?]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            let seen = try? system.focus(.handle(["niri:13", "niri:18"][number], server: nil))
            views.withLock { $0.append(seen?.view) }
        }
        #expect(views.withLock { $0 } == [.shown, .shown])
        #expect(niri.actions.count == 3)
    }

    @Test("a window is moved to the workspace of the user before it is focused")
    func summon() throws {
        let niri = try Niri()
        let policy = FocusPolicy(prominence: .focus, placement: .summon)
        let seen = try niri.system().focus(FocusRequest(.handle("niri:18", server: nil), policy: policy))
        #expect(seen.view == .shown)
        #expect(
            niri.actions == [
                #"{"Action":{"MoveWindowToWorkspace":{"window_id":18,"reference":{"Id":1},"focus":false}}}"#,
                #"{"Action":{"FocusWindow":{"id":18}}}"#,
            ])
        #expect(niri.state.withLock { $0.workspace } == 1)
    }

    @Test func windowIsClosed() throws {
        let niri = try Niri()
        let system = try niri.system()
        try system.close(.handle("niri:13", server: nil))
        #expect(niri.actions == [#"{"Action":{"CloseWindow":{"id":13}}}"#])
        #expect(try system.windows().windows.map(\.handle) == ["niri:12", "niri:18"])
        #expect(throws: ActivationFailure.self) { try system.close(.handle("niri:13", server: nil)) }
        #expect(niri.actions.count == 1)
    }

    @Test("urgency is requested and read back; there is no request to raise")
    func urgent() throws {
        let niri = try Niri()
        let system = try niri.system()
        let seen = try system.focus(
            FocusRequest(.handle("niri:13", server: nil), policy: FocusPolicy(prominence: .urgent)))
        #expect(seen.view == .shown && niri.state.withLock { $0.focused } == 12)
        let raised = try system.focus(
            FocusRequest(.handle("niri:13", server: nil), policy: FocusPolicy(prominence: .raise)))
        #expect(raised.view != .shown && niri.actions.count == 1)
    }

    @Test("changes are heard of by events, through the end of niri and a new start")
    func watch() throws {
        let niri = try Niri()
        let system = try niri.system()
        let told = Mutex<[WindowList]>([])
        let watch = system.watch { list in told.withLock { $0.append(list) } }
        defer { watch?.stop() }
        #expect(eventually { told.withLock { $0.last?.windows.count } == 3 })
        niri.change { $0.windows.removeFirst() }
        #expect(eventually { told.withLock { $0.last?.windows.map(\.handle) } == ["niri:13", "niri:18"] })
        niri.stop()
        #expect(eventually { told.withLock { $0.last.map { $0.server == nil } } == true })
        try niri.start()
        #expect(eventually { told.withLock { $0.last?.windows.count } == 2 })
    }

    @Test("another window that takes the focus is reported")
    func loss() throws {
        let niri = try Niri()
        let system = try niri.system()
        #expect(try system.frontLoss(of: "niri:12", until: Deadline(inMilliseconds: 1)) == nil)
        niri.change { $0.focused = 13 }
        let loss = try system.frontLoss(of: "niri:12", until: Deadline(inMilliseconds: 5000))
        #expect(loss == FrontLoss(seen: "Two (niri:13) is in front", mayBeWanted: false))
    }

    @Test(
        "a socket without niri, and one that speaks another protocol, are no window system",
        arguments: ["", "x", "{}\n"])
    func strangers(answer: String) throws {
        let server = try ScriptedServer(answer: Array(answer.utf8))
        #expect(ToplevelWindowSystem.niri(environment: ["NIRI_SOCKET": server.path]) == nil)
        #expect(ToplevelWindowSystem.niri(environment: ["NIRI_SOCKET": "/nonexistent"]) == nil)
        #expect(ToplevelWindowSystem.niri(environment: [:]) == nil)
    }

    @Test(
        "handles",
        arguments: [
            ("niri:1", true), ("niri:18446744073709551615", true), ("niri:01", false), ("niri:", false),
            ("niri:-1", false), ("niri:1}", false), ("wlr:1", false),
        ])
    func handles(text: String, isOne: Bool) throws {
        let niri = try Niri()
        #expect(try niri.system().recognizes(handle: text) == isOne)
    }
}
