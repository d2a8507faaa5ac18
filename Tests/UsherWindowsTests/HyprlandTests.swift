import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherScene
import UsherSystem

@testable import UsherWindows

/// Hyprland as its wiki describes it: a request for each connection of `.socket.sock`, events on `.socket2.sock`.
private final class Hyprland: Sendable {
    struct State {
        /// Address, title, workspace, process.
        var windows = [("aa10", "One", 1, 101), ("aa20", "Two", 1, 102), ("aa30", "Three", 2, 103)]
        var focused = "aa10"
        var workspace = 1
        var requests: [String] = []
        var streams: [ScriptedServer.Client] = []
        /// Its configuration is in Lua, as dispatchers are then.
        var isLua = false
    }

    let state = Mutex(State())
    let folder = "/tmp/usher-hypr-\(UUID().uuidString)"
    private let servers: Mutex<[ScriptedServer]> = Mutex([])

    init(isLua: Bool = false) throws {
        state.withLock { $0.isLua = isLua }
        try FileManager.default.createDirectory(atPath: folder + "/hypr/sig", withIntermediateDirectories: true)
        let requests = try ScriptedServer(path: folder + "/hypr/sig/.socket.sock") { [weak self] client in
            guard let self else { return }
            client.send(answer(String(decoding: client.receive(), as: UTF8.self)))
        }
        let events = try ScriptedServer(path: folder + "/hypr/sig/.socket2.sock") { [weak self] client in
            self?.state.withLock { $0.streams.append(client) }
            while !client.receive().isEmpty {}
            self?.state.withLock { $0.streams.removeAll { $0 == client } }
        }
        servers.withLock { $0 = [requests, events] }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func answer(_ request: String) -> String {
        state.withLock { state in
            state.requests.append(request)
            switch request {
            case "j/clients":
                return "[" + state.windows.map { Self.client($0, isX: $0.0 == "aa20") }.joined(separator: ",") + "]"
            case "j/activewindow": return state.focused.isEmpty ? "{}" : #"{"address":"0x\#(state.focused)"}"#
            case "j/monitors":
                return
                    #"[{"id":0,"name":"DP-1","activeWorkspace":{"id":\#(state.workspace),"name":"\#(state.workspace)"},"specialWorkspace":{"id":0,"name":""},"focused":true}]"#
            default: return Self.dispatch(request, &state)
            }
        }
    }

    private static func client(_ window: (String, String, Int, Int), isX: Bool) -> String {
        #"{"address":"0x\#(window.0)","mapped":true,"hidden":false,"at":[0,0],"size":[9,9],"workspace":{"id":\#(window.2),"name":"\#(window.2)"},"floating":false,"monitor":0,"class":"Kitty","title":"\#(window.1)","initialClass":"k","initialTitle":"k","pid":\#(window.3),"xwayland":\#(isX),"pinned":false,"fullscreen":\#(window.2 == 2 ? 2 : 0),"fullscreenClient":0,"grouped":[],"tags":[],"swallowing":"0x0","focusHistoryID":0}"#
    }

    private static func dispatch(_ request: String, _ state: inout State) -> String {
        let isExpression = request.contains("hl.dsp.")
        guard isExpression == state.isLua else { return state.isLua ? "error: syntax error" : "Invalid dispatcher" }
        guard let place = state.windows.firstIndex(where: { request.contains("address:0x\($0.0)") }) else {
            return "No such window found"
        }
        if request.contains("focuswindow") || request.contains("hl.dsp.focus(") {
            (state.focused, state.workspace) = (state.windows[place].0, state.windows[place].2)
            for stream in state.streams { stream.send("activewindowv2>>\(state.focused)\n") }
        } else if request.contains("movetoworkspacesilent \(state.workspace),")
            || request.contains(#"window.move({ workspace = "\#(state.workspace)", follow = false"#)
        {
            state.windows[place].2 = state.workspace
        } else if request.contains("closewindow") || request.contains("hl.dsp.window.close(") {
            state.windows.remove(at: place)
        } else {
            return "Invalid dispatcher"
        }
        return "ok"
    }

    func system() throws -> ToplevelWindowSystem {
        // On a busy machine, an answer may come too late.
        var found: ToplevelWindowSystem?
        _ = eventually {
            found = .hyprland(environment: ["HYPRLAND_INSTANCE_SIGNATURE": "sig", "XDG_RUNTIME_DIR": folder])
            return found != nil
        }
        return try #require(found)
    }

    var dispatched: [String] { state.withLock { $0.requests.filter { $0.hasPrefix("dispatch") } } }
}

@Suite("Hyprland, by its documented protocol", .serialized)
struct HyprlandTests {
    @Test("windows are listed with process, workspace and state")
    func list() throws {
        let hyprland = try Hyprland()
        let system = try hyprland.system()
        let list = try system.windows()
        #expect(list.windows.map(\.handle) == ["hyprland:aa10.101", "hyprland:aa20.102", "hyprland:aa30.103"])
        #expect(list.windows.map(\.title) == ["One", "Two", "Three"])
        #expect(list.windows.map(\.appID) == ["Kitty", nil, "Kitty"])
        #expect(list.windows.map(\.windowClass) == [nil, "Kitty", nil])
        #expect(list.windows.map(\.process) == [101, 102, 103])
        #expect(list.windows.map(\.activation) == [.foregroundActive, .foregroundInactive, .background])
        #expect(try system.isFrontFullscreen() == false)
        #expect(try system.find(processes: [103])?.handle == "hyprland:aa30.103")
    }

    @Test("a window is focused by either form of dispatchers, and read back", arguments: [false, true])
    func focus(isLua: Bool) throws {
        let hyprland = try Hyprland(isLua: isLua)
        let system = try hyprland.system()
        let seen = try system.focus(.handle("hyprland:aa30.103", server: try system.windows().server))
        #expect(seen.view == .shown && hyprland.state.withLock { $0.focused } == "aa30")
        #expect(hyprland.dispatched.count == (isLua ? 2 : 1))
        #expect(hyprland.dispatched.first == "dispatch focuswindow address:0xaa30")
        let policy = FocusPolicy(prominence: .focus, placement: .summon)
        let summoned = try system.focus(FocusRequest(.handle("hyprland:aa10.101", server: nil), policy: policy))
        #expect(summoned.view == .shown && hyprland.state.withLock { $0.workspace } == 2)
    }

    @Test("a window is closed by either form of dispatchers", arguments: [false, true])
    func close(isLua: Bool) throws {
        let hyprland = try Hyprland(isLua: isLua)
        let system = try hyprland.system()
        try system.close(.handle("hyprland:aa20.102", server: try system.windows().server))
        #expect(try system.windows().windows.map(\.title) == ["One", "Three"])
        #expect(hyprland.dispatched.first == "dispatch closewindow address:0xaa20")
    }

    @Test("an address that another process has now is another window")
    func reused() throws {
        let hyprland = try Hyprland()
        let system = try hyprland.system()
        let server = try system.windows().server
        hyprland.state.withLock { $0.windows[2].3 = 777 }
        #expect(throws: ActivationFailure.self) { try system.focus(.handle("hyprland:aa30.103", server: server)) }
        #expect(try system.presence(of: .handle("hyprland:aa30.103", server: server)) == .gone)
        #expect(hyprland.dispatched.isEmpty)
    }

    @Test("what Hyprland cannot be asked for is not called done", arguments: [FocusPolicy.Prominence.raise, .urgent])
    func refused(prominence: FocusPolicy.Prominence) throws {
        let hyprland = try Hyprland()
        let seen = try hyprland.system().focus(
            FocusRequest(.handle("hyprland:aa20.102", server: nil), policy: FocusPolicy(prominence: prominence)))
        #expect(seen.view != .shown && hyprland.dispatched.isEmpty)
    }

    @Test("changes are heard of by events")
    func watch() throws {
        let hyprland = try Hyprland()
        let told = Mutex<[WindowList]>([])
        let watch = try hyprland.system().watch { list in told.withLock { $0.append(list) } }
        defer { watch?.stop() }
        #expect(eventually { told.withLock { $0.last?.windows.count } == 3 })
        hyprland.state.withLock { state in
            state.windows.removeLast()
            for stream in state.streams { stream.send("closewindow>>aa30\n") }
        }
        #expect(eventually { told.withLock { $0.last?.windows.count } == 2 })
    }

    @Test(
        "handles",
        arguments: [
            ("hyprland:55e0c6e75980.716768", true), ("hyprland:55e0.0", false), ("hyprland:55e0", false),
            ("hyprland:+5.1", false), ("hyprland:xyz.1", false), ("hyprland:5.01", false), ("hyprland:5,1.1", false),
        ])
    func handles(text: String, isOne: Bool) throws {
        #expect(try Hyprland().system().recognizes(handle: text) == isOne)
    }
}
