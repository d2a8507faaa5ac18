import Foundation
import TestSupport
import Testing
import UsherJSON

/// Activities that are continued by the built program, in windows of a tmux server of the test's own.
@Suite("activity continue")
struct ActivityContinueTests {
    static let page = "https://pages.example/1"
    static let activity =
        #"{"activityType":"example.pages.read","title":"Page 1","targetContentIdentifier":"\#(page)","#
        + #""userInfo":{"line":12},"x-own":"kept"}"#

    /// An app whose windows wait, and whose handlers write down their arguments and input.
    static let manifest = """
        id = "example.pages"
        domains = ["pages.example"]
        activity-types = ["example.pages.read"]

        [handlers]
        will-continue = { exec = ["./note", "will"] }
        continue = { exec = ["./note", "continue"] }
        did-fail = { exec = ["./note", "failed"] }
        save = { exec = ["./save"] }

        [[scenes]]
        name = "page"
        opens = 'SELF BEGINSWITH "https://pages.example/"'
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        launch = { tmux = ["./wait", "{restoration-file}"], in = "pages" }
        """

    static let note = """
        #!/bin/sh
        # usage: note WORD < ACTIVITY. In one piece: the window may write at the same time.
        printf '%s %s %s|%s\\n' "$1" "$USHER_ACTIVITY_TYPE" "$USHER_ERROR_CODE" "$(cat)" >> "$HOME/told"
        """

    static let wait = """
        #!/bin/sh
        # A window. The activity that it is brought back with is noted.
        printf 'launched %s|%s\\n' "$USHER_SESSION" "$([ -z "$1" ] || { stat -c %a "$1"; cat "$1"; })" >> "$HOME/told"
        exec sleep 600
        """

    static let save = """
        #!/bin/sh
        # Fresh user info of the activity on standard input.
        cat > "$HOME/asked"
        echo '{"line": 99}'
        """

    func prepare(_ usher: UsherProgram) throws {
        try usher.write(Self.manifest, to: "config/usher/apps/pages.toml")
        for (name, text) in [("note", Self.note), ("wait", Self.wait), ("save", Self.save)] {
            try usher.writeProgram(text + "\n", to: "config/usher/apps/\(name)")
        }
    }

    func told(_ usher: UsherProgram) -> String { usher.text("told") }

    /// Waits until the handlers have written this down.
    func hears(_ text: String, _ usher: UsherProgram) -> Bool { eventually { told(usher).contains(text) } }

    @Test("an activity from elsewhere launches its window and is handed over byte for byte")
    func standardInput() throws {
        try UsherProgram.run { usher in
            try prepare(usher)
            let record = try usher("activity", "continue", "-", input: Self.activity + "\n").json()
            #expect(record["action"]?.string == "launch")
            #expect(record["app"]?.string == "example.pages")
            let verbs = (record["handlers"]?.elements ?? []).compactMap { $0["verb"]?.string }
            #expect(verbs == ["launch", "will-continue", "continue"])
            // The window may say in between that it is there.
            let lines = told(usher).split(separator: "\n").filter { !$0.hasPrefix("launched") }
            #expect(
                lines == [
                    "will example.pages.read |\(Self.activity)", "continue example.pages.read |\(Self.activity)",
                ])
        }
    }

    @Test("an activity of the store is saved first, and a window that comes back gets it")
    func storedActivity() throws {
        try UsherProgram.run { usher in
            try prepare(usher)
            _ = try usher("open", Self.page)
            #expect(hears("launched page-1|\n", usher))
            let became = try usher(
                "activity", "become-current", "--session", "page-1", "--activity", Self.activity, "--needs-save")
            #expect(became.status == 0, "\(became.errors)")

            let record = try usher("activity", "continue", "current").json()
            #expect(record["action"]?.string == "focus")
            #expect(told(usher).contains(#""userInfo":{"line":99}"#))
            #expect(told(usher).contains(#""x-own":"kept""#))
            #expect(FileManager.default.fileExists(atPath: usher.path("asked")))

            // Its windows go with the server, and come back on demand, each time with what was there.
            for _ in 1...2 {
                _ = try usher.shell("tmux kill-server")
                try? FileManager.default.removeItem(atPath: usher.path("told"))
                let again = try usher("open", Self.page).json()
                #expect(again.summaryOfWindow == "launch page-1")
                #expect(hears("launched page-1|600\n", usher))
                #expect(hears(#""userInfo":{"line": 99}"#, usher))
            }
            try? FileManager.default.removeItem(atPath: usher.path("told"))
            let kept = try usher("activity", "continue", "--session", "page-1").json()
            #expect(kept["action"]?.string == "focus")
            #expect(told(usher).contains("continue example.pages.read |"))
        }
    }

    @Test("an app that was uninstalled leaves its web page")
    func uninstalled() throws {
        try UsherProgram.run { usher in
            try prepare(usher)
            _ = try usher("open", Self.page)
            let page = Self.activity.dropLast() + #","webpageURL":"https://web.example/1"}"#
            _ = try usher("activity", "become-current", "--session", "page-1", "--activity", String(page))
            try usher.write("id = \"example.other\"\nwebsite = true\n", to: "config/usher/apps/pages.toml")
            try usher.writeProgram("#!/bin/sh\nprintf %s \"$1\" > \"$HOME/web\"\n", to: "bin/xdg-open")
            var other = usher
            other.environment["PATH"] = usher.path("bin") + ":" + (usher.environment["PATH"] ?? "")
            let record = try other("activity", "continue", "current").json()
            #expect(record["action"]?.string == "open-web")
            #expect(record["reason"]?.string == "web-fallback")
            #expect((try? String(contentsOfFile: usher.path("web"), encoding: .utf8)) == "https://web.example/1")
            let warnings = (record["warning_details"]?.elements ?? []).compactMap { $0["message"]?.string }
            #expect(warnings.contains { $0.contains("example.pages") })
        }
    }

    @Test("which activity is said in one way", arguments: [[], ["current", "--session", "page-1"]])
    func usage(_ arguments: [String]) throws {
        try UsherProgram.run { usher in
            try prepare(usher)
            let ending = try usher.run(["activity", "continue"] + arguments)
            #expect(ending.status == 2)
            #expect(ending.errors.contains("which activity?"))
        }
    }
}

extension JSONValue {
    fileprivate var summaryOfWindow: String {
        [self["action"]?.string ?? "-", self["session"]?.string ?? "-"].joined(separator: " ")
    }
}
