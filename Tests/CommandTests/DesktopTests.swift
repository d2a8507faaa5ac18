import Testing
import UsherJSON

/// Commands beside an X server with a window of their own.
struct DesktopTests {
    /// Starts a server, a window manager and a terminal, and waits until Usher sees that one's window. Servers that choose
    /// a number themselves choose the same; a window that opens while the manager starts is overlooked by it.
    private static let session = """
        Xvfb :$((20000 + $$ % 40000)) -displayfd 3 -screen 0 640x480x24 -nolisten tcp -noreset 3>display >log 2>&1 &
        all=$!
        trap 'kill $all 2>/dev/null; wait' EXIT
        patience=1200
        later() { patience=$((patience - 1)); [ $patience -gt 0 ] || exit 70; sleep 0.1; }
        until [ -s display ]; do later; done
        export DISPLAY=:$(cat display)
        openbox --sm-disable >/dev/null 2>&1 & all="$! $all"
        until xprop -root _NET_SUPPORTING_WM_CHECK | grep -q '#'; do later; done
        xterm -T Clowns -geometry 40x10+100+100 >/dev/null 2>&1 & all="$! $all"
        until usher scene windows 2>/dev/null | grep -q Clowns; do later; done

        """

    /// Clicks on the terminal until the command has ended, whose status is said.
    private static func picking(_ command: String) -> String {
        """
        rm -f status
        (\(command); echo $? >status) &
        all="$! $all"
        until [ -s status ]; do later; xdotool mousemove 150 160 click 1; done
        cat status

        """
    }

    @Test("the lines of a picked window go into a file as they are")
    func pickedLinesAreAManifest() throws {
        try UsherProgram.run { usher in
            try usher.write("id = \"example.mail\"\n\n", to: "config/usher/apps/mail.toml")
            let ending = try usher.shell(
                Self.session + Self.picking("usher scene pick --format toml >>config/usher/apps/mail.toml 2>notes")
                    + "cat config/usher/apps/mail.toml; cat notes >&2; usher check --format text")
            #expect(ending.status == 0, "\(ending.output) \(ending.errors)")
            let lines = "[[scenes]]\nname = \"main\"\nfocus = { class = \"XTerm\""
            #expect(ending.output.contains(lines), "\(ending.output)")
            #expect(ending.errors.contains("/config/usher/apps/NAME.toml; into a scene"), "\(ending.errors)")
        }
    }

    @Test("windows as JSON say whose they are")
    func windowsNameTheirSession() throws {
        try UsherProgram.run { usher in
            try usher.write("id = \"example.mail\"\n[[scenes]]\nname = \"main\"\n", to: "config/usher/apps/mail.toml")
            let ending = try usher.shell(
                Self.session
                    + """
                    usher scene windows --json
                    handle=$(usher scene windows | grep -o 'x11:0x[0-9a-f]*' | head -1)
                    usher scene connect --app example.mail --scene main --session mail-1 --handle "$handle" >/dev/null
                    usher scene windows --json
                    """)
            #expect(ending.status == 0 && ending.lines.count == 2, "\(ending.output) \(ending.errors)")
            for (line, session) in zip(ending.lines, [JSONValue.null, .string("mail-1")]) {
                let window = try JSONValue(parsing: Array(line.utf8)).elements?.first
                #expect(window?["session"]?.text() == session.text(), "\(line)")
            }
        }
    }

    @Test("off a terminal a picked window is JSON, and lines for a manifest are named")
    func pickedWindowIsJSON() throws {
        try UsherProgram.run { usher in
            let ending = try usher.shell(Self.session + Self.picking("usher scene pick >picked") + "cat picked")
            let lines = ending.lines
            #expect(lines.first == "0", "\(ending.output) \(ending.errors)")
            let window = try JSONValue(parsing: Array((lines.last ?? "").utf8))
            #expect(window["class"]?.string == "XTerm", "\(ending.output)")
            #expect(ending.errors.contains("--format toml"), "\(ending.errors)")
        }
    }

    @Test("a sway that has ended hides no X server", arguments: ["ended", "awaited"])
    func leftOverSocket(_ kind: String) throws {
        try UsherProgram.run { usher in
            // A name that the user chose may be that of a compositor that is not there yet.
            let name = kind == "ended" ? "sway-ipc.0.4711.sock" : "sway.sock"
            let ending = try usher.shell(
                Self.session + "SWAYSOCK=\(usher.folder)/\(name) usher scene windows | grep -c Clowns")
            #expect(ending.output == (kind == "ended" ? "1\n" : "0\n"), "\(ending.errors)")
        }
    }
}
