import Foundation
import Glibc
import TestSupport
import Testing
import UsherJSON

/// Sessions in a real tmux, without a desktop: the pane that a handle means, and what the `content` of a scene tells of it.
struct TerminalSessionsTests {
    /// An app of files. A file that it launches is a program which holds it as an argument.
    private static func app(_ content: String) -> String {
        """
        id = "example.viewer"

        [[scenes]]
        name = "page"
        opens = 'SELF BEGINSWITH "file:///"'
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        launch = { tmux = ["tail", "-f", "{path}"] }
        \(content)
        """
    }

    private static let content = #"content = { tmux = "argv", path = "{file}", relative-to = "cwd" }"#

    /// With a client of tmux in a terminal that is no window.
    private func attach(_ usher: UsherProgram) throws {
        _ = try usher.shell("setsid script -q -c 'tmux attach' /dev/null >/dev/null 2>&1 <>/dev/ptmx &")
        try waitUntil("a client is attached") { try !usher.shell("tmux list-clients").output.isEmpty }
    }

    private func tmux(_ usher: UsherProgram, _ words: String) throws -> String {
        try usher.shell("tmux " + words).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// As programs name it.
    private func file(_ usher: UsherProgram, _ name: String) throws -> String {
        try usher.write("", to: name)
        return usher.path(name).replacing("//", with: "/")
    }

    private func push(_ usher: UsherProgram, _ file: String) throws -> JSONValue {
        let payload = #"{"app":"example.viewer","payload":{"aps":{"alert":"a","target-content-id":"file://\#(file)"}}}"#
        return try usher("dispatch", input: payload).json()
    }

    // MARK: Panes

    @Test func aWindowMeansThePaneThatWasActiveWhenASessionGotIt() throws {
        try UsherProgram.run { usher in
            try usher.write(Self.app(""), to: "config/usher/apps/viewer.toml")
            _ = try usher.shell("tmux new-session -d -s main -- sleep 1000; tmux new-window -d -- sleep 1001")
            try attach(usher)
            let connect = ["scene", "connect", "--app", "example.viewer", "--scene", "page", "--handle"]
            let made = try usher.run(connect + ["@0"]).json()
            #expect(made["handle"]?.string == "@0" && made["session"]?.string == "page-1", "\(made)")
            _ = try tmux(usher, "split-window -t @0 -- sleep 1002")
            let second = try usher.run(connect + ["@0"]).json()
            #expect(second["session"]?.string == "page-2", "its other pane is another place: \(second)")
            func shown(_ session: String) throws -> String {
                let record = try usher("scene", "focus", session).json()
                #expect(record["outcome"]?.string == "verified", "\(record)")
                let client = try tmux(usher, "list-clients -F '#{window_id} #{pane_id}'")
                let place = record["evidence"]?["tmux"]?.elements?.first
                #expect(client == "\(place?["window"]?.string ?? "") \(place?["pane"]?.string ?? "")")
                return client
            }
            func sessions() throws -> [String] {
                try usher("scene", "list").json().elements?.compactMap { $0["session"]?.string }.sorted() ?? []
            }
            #expect(try shown("page-1") == "@0 %0" && shown("page-2") == "@0 %2" && shown("page-1") == "@0 %0")
            // Wherever it goes.
            _ = try tmux(usher, "break-pane -d -s %0")
            #expect(try shown("page-1") == "@2 %0" && shown("page-2") == "@0 %2")
            _ = try tmux(usher, "join-pane -d -s %0 -t @1")
            #expect(try shown("page-1") == "@1 %0")
            _ = try tmux(usher, "swap-pane -d -s %0 -t %2")
            #expect(try shown("page-1") == "@0 %0" && shown("page-2") == "@1 %2")
            // It ends with its pane, whatever becomes of the window.
            try usher.withDaemon(config: usher.path("config/usher")) {
                #expect(try sessions() == ["page-1", "page-2"])
                _ = try tmux(usher, "split-window -d -t @0 -- sleep 1003")
                _ = try tmux(usher, "kill-pane -t %0")
                try waitUntil("the session has ended") { try sessions() == ["page-2"] }
                _ = try tmux(usher, "kill-pane -t %1")
                #expect(try shown("page-2") == "@1 %2" && sessions() == ["page-2"])
            }
            #expect(try tmux(usher, "list-panes -a -F '#{window_id}'") == "@0\n@1")
        }
    }

    @Test func aLaunchedWindowMeansThePaneOfItsProgram() throws {
        try UsherProgram.run { usher in
            try usher.write(Self.app(""), to: "config/usher/apps/viewer.toml")
            let file = try file(usher, "a.txt")
            _ = try usher.shell("tmux new-session -d -s main -- sleep 1000")
            try attach(usher)
            #expect(try push(usher, file)["action"]?.string == "launch")
            _ = try tmux(usher, "split-window -t @1 -- sleep 1001")
            let record = try push(usher, file)
            #expect(record["action"]?.string == "focus" && record["outcome"]?.string == "verified", "\(record)")
            #expect(record["evidence"]?["tmux"]?.elements?.first?["pane"]?.string == "%1")
            #expect(try usher("scene", "list").json().elements?.first?["handle"]?.string == "@1")
        }
    }

    // MARK: Content

    /// A program with the file was started by hand in a shell, so nothing tells of it.
    @Test(arguments: [(true, false), (true, true), (false, false)])
    func whatShowsTheTargetAlreadyComesForward(hasContent: Bool, isSplit: Bool) throws {
        try UsherProgram.run { usher in
            try usher.write(Self.app(hasContent ? Self.content : ""), to: "config/usher/apps/viewer.toml")
            let (shown, other) = (try file(usher, "a.txt"), try file(usher, "b.txt"))
            _ = try usher.shell("tmux new-session -d -s main -- sleep 1000; tmux set -g automatic-rename off")
            _ = try usher.shell("tmux new-window -d -n work -- sh")
            if isSplit { _ = try tmux(usher, "split-window -d -t @1 -- sleep 1001") }
            try attach(usher)
            try usher.withDaemon(config: usher.path("config/usher")) {
                // The daemon has seen the window before.
                _ = try usher("scene", "windows")
                _ = try tmux(usher, "send-keys -t %1 'tail -f a.txt' Enter")
                try waitUntil("it runs") {
                    try tmux(usher, "display-message -p -t %1 '#{pane_current_command}'") == "tail"
                }
                let record = try push(usher, shown)
                #expect(record["action"]?.string == (hasContent ? "focus" : "launch"), "\(record)")
                #expect(record["outcome"]?.string == "verified", "\(record)")
                let place = record["evidence"]?["tmux"]?.elements?.first?["pane"]?.string
                #expect(place == (hasContent ? "%1" : isSplit ? "%3" : "%2"))
                if hasContent { #expect(record["evidence"]?["content"]?.string == "file://" + shown) }
                // What nothing shows is launched.
                let launched = try push(usher, other)
                #expect(launched["action"]?.string == "launch", "\(launched)")
                // The same again.
                #expect(try push(usher, shown)["session"] == record["session"])
                #expect(try usher("scene", "list").json().elements?.count == 2)
            }
        }
    }

    @Test func aWindowThatShowsOtherContentIsNotClaimedToBeSeen() throws {
        try UsherProgram.run { usher in
            try usher.write(Self.app(Self.content), to: "config/usher/apps/viewer.toml")
            let (own, other) = (try file(usher, "a.txt"), try file(usher, "b.txt"))
            _ = try usher.shell("tmux new-session -d -s main -n work -- sh; tmux set -g automatic-rename off")
            try attach(usher)
            let target = "file://" + own
            let pane = try usher(
                "scene", "connect", "--app", "example.viewer", "--scene", "page", "--handle", "%0", "--target", target)
            #expect(pane.status == 0, "\(pane.errors)")
            func focus() throws -> (outcome: String?, reason: String?, content: String?, unknown: [String?]?) {
                let record = try usher("scene", "focus", "page-1").json()
                let evidence = record["evidence"]
                let reason = evidence?["reason"]?.string
                let warnings = record["warnings"]?.elements?.map(\.string) ?? []
                #expect(warnings.contains("seen.other-target") == (reason == "seen.other-target"))
                return (
                    record["outcome"]?.string, reason, evidence?["content"]?.string,
                    evidence?["unknown"]?.elements?.map(\.string)
                )
            }
            func waits(for name: String) throws {
                try waitUntil("\(name) runs") {
                    try tmux(usher, "display-message -p -t %0 '#{pane_current_command}'") == name
                }
            }
            func run(_ command: String, _ name: String) throws {
                _ = try tmux(usher, "send-keys -t %0 C-c")
                try waits(for: "sh")
                _ = try tmux(usher, "send-keys -t %0 '\(command)' Enter")
                try waits(for: name)
            }
            // A shell gives no target: nothing tells, and that spoils nothing.
            let shell = try focus()
            #expect(shell.outcome == "verified" && shell.content == nil && shell.unknown == ["content", "window"])
            try run("tail -f a.txt", "tail")
            let right = try focus()
            #expect(right.outcome == "verified" && right.content == target && right.unknown == ["window"])
            try run("cat b.txt -", "cat")
            let wrong = try focus()
            #expect(wrong.outcome == "unverified" && wrong.reason == "seen.other-target")
            #expect(wrong.content == "file://" + other)
        }
    }

    // MARK: Records

    @Test func aRecordNamesTheSessionOfTheTerminal() throws {
        try UsherProgram.run { usher in
            try usher.write(Self.app(""), to: "config/usher/apps/viewer.toml")
            _ = try usher.shell("tmux new-session -d -s main -- sh -c 'sleep 1000; :'")
            _ = try usher.shell("tmux new-window -d -- sleep 1001")
            func pid(_ pane: String) throws -> String { try tmux(usher, "display-message -p -t \(pane) '#{pane_pid}'") }
            func focus(_ words: String...) throws -> [String?] {
                let record = try usher.run(["terminal", "focus"] + words).json()
                #expect(record["target"]?.kind == .null && record["reason"]?.string == "explicit")
                return ["app", "scene", "session"].map { record[$0]?.string }
            }
            let none: [String?] = [nil, nil, nil]
            #expect(try focus("--pane", "%0") == none)
            let connect = ["scene", "connect", "--app", "example.viewer", "--scene", "page", "--handle"]
            _ = try usher.run(connect + ["@0"])
            _ = try usher.run(connect + ["process:" + pid("%1")])
            #expect(try focus("--pane", "%0") == ["example.viewer", "page", "page-1"])
            // A process within the pane.
            let inner = try usher.shell("pgrep -P \(pid("%0"))").lines[0]
            #expect(try focus("--pid", inner) == ["example.viewer", "page", "page-1"])
            #expect(try focus("--pid", pid("%1")) == ["example.viewer", "page", "page-2"])
            _ = try usher.shell("tmux new-window -d -- sleep 1002")
            #expect(try focus("--pane", "%2") == none)
            // A record that is of no window has the member all the same.
            let invalid = try usher("dispatch", input: "{}").json()
            #expect(invalid["evidence"]?.kind == .null, "\(invalid)")
        }
    }
}
