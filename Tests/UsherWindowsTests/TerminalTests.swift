import Foundation
import TestSupport
import Testing
import UsherScene

@testable import UsherActivation
@testable import UsherWindows

/// A window of tmux is seen in a terminal, which is a window of the desktop: behind another window it is not visible.
@Suite("The terminal of a tmux window", .serialized)
struct TerminalTests {
    @Test("comes forward with it", arguments: WindowManager.allCases)
    func focus(manager: WindowManager) throws {
        let desk = try TerminalDesk(manager)
        desk.tmux("new-session", "-d", "-s", "work", "--", "cat", "-")
        let wanted = desk.tmux("new-window", "-P", "-F", "#{window_id}", "-t", "work:", "--", "cat", "-")
        desk.tmux("select-window", "-t", "work:0")
        let terminal = try desk.look("mux")
        try desk.server.terminal("far away")
        let other = try desk.server.window("far away").handle
        let windows = desk.windows
        _ = try windows.focus(.handle(other, server: nil))
        #expect(desk.server.isActive(other))

        let sighting = try windows.focus(.handle(wanted, server: nil))
        #expect(sighting.view == .shown && sighting.handle == wanted)
        #expect(desk.server.isActive(terminal))
        #expect(desk.tmux("list-clients", "-F", "#{window_id}") == wanted)

        // One that is only to be marked leaves the terminal where it is.
        _ = try windows.focus(.handle(other, server: nil))
        _ = try windows.focus(
            FocusRequest(.handle(wanted, server: nil), policy: FocusPolicy(prominence: .urgent)))
        #expect(desk.server.isActive(other))

        // A new window as well.
        let made = try windows.launch(WindowLaunch(program: "/bin/cat", arguments: ["-"]))
        #expect(made.view == .shown && desk.server.isActive(terminal))
    }

    @Test("is left alone where the client is in no window of the desktop")
    func console() throws {
        let desk = try TerminalDesk(.openbox)
        desk.tmux("new-session", "-d", "-s", "work", "--", "cat", "-")
        // A terminal that is none of the desktop's: another tmux's.
        desk.tmux(
            "-L", "outer", "new-session", "-d", "-x", "80", "-y", "24", "--", "env", "-u", "TMUX", "tmux", "-f",
            "/dev/null", "attach")
        defer { desk.tmux("-L", "outer", "kill-server") }
        #expect(eventually { !desk.tmux("list-clients").isEmpty })
        try desk.server.terminal("near")
        let near = try desk.server.window("near").handle
        let window = desk.tmux("display-message", "-p", "-t", "work:", "#{window_id}")
        let sighting = try desk.windows.focus(.handle(window, server: nil))
        #expect(sighting.view != .shown && sighting.doubt?.code == .seenNoClient)
        #expect(sighting.evidence?.tmux.map(\.client) == [desk.tmux("list-clients", "-F", "#{client_name}"), nil])
        #expect(eventually { desk.server.isActive(near) })
    }
}
