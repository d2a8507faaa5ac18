import Foundation
import TestSupport
import Testing
import UsherScene

@testable import UsherActivation

/// What is typed into windows, and what must never be.
extension TmuxWindowSystemTests {
    func show(_ keys: [String], handle: String, title: String = "Crusty") -> ActivationReport {
        server.activator.show(task(handle: handle, title: title), .tmuxKeys(command(keys)))
    }

    /// A window whose program writes what is typed, line by line, to the file `typed`.
    func typewriter() -> String {
        server.tmux(
            "new-window", "-P", "-F", "#{window_id}", "-t", "main:", "--", "env", "sed", "-u",
            "-n", "w \(directory.path)/typed")
    }

    @Test(
        "text arrives as it is, keys as keys",
        arguments: ["Crusty", "a;", ";", "#(touch x) #{pid}", "$(touch x) `touch x`", "-l", "é 🤡 ~ {}", "Enter", "\\;"])
    func keys(title: String) {
        server.start()
        let window = typewriter()
        let report = show(["open ", "{title}", "<Enter>"], handle: window, title: title)
        #expect(report.outcome == .done)
        #expect(eventually { directory.text("typed") == "open \(title)\n" })
        #expect(!directory.exists("x"))
    }

    @Test("a payload's text is not typed into a shell, the manifest's own is")
    func keysShell() {
        server.start()
        for shell in [["bash", "--norc"], ["sh", "-i"], ["bash", "-c", "exec -a innocent sh -i"]] {
            let arguments = ["new-window", "-P", "-F", "#{window_id}", "-t", "main:", "--"] + shell
            let window = tmux(arguments)
            // Its prompt is there: it reads.
            #expect(eventually { !tmux(["capture-pane", "-p", "-t", window]).isEmpty })
            #expect(show(["{title}", "<Enter>"], handle: window).failure?.code == .unsafeText)
            unlink(directory.path + "/ran")
            #expect(show(["touch \(directory.path)/ran", "<Enter>"], handle: window).outcome == .done)
            #expect(eventually { directory.exists("ran") })
        }
    }

    private func tmux(_ arguments: [String]) -> String {
        let request = SpawnRequest(
            program: "/usr/bin/tmux", arguments: ["tmux"] + server.options + arguments,
            environment: server.environment.map { EnvironmentVariable($0.key, $0.value) }, captureLimit: 1000)
        let output = (try? Spawner.run(request, timeLimit: 5000))?.output ?? []
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("control characters are not typed")
    func keysControl() {
        server.start()
        let window = typewriter()
        for title in ["a\nb", "a\rb", "\u{1B}", "\u{7F}", "\u{85}"] {
            #expect(show(["{title}"], handle: window, title: title).failure?.code == .unsafeText)
        }
    }

    @Test("a payload's text is not typed into synchronized panes")
    func keysSynchronized() {
        server.start()
        let window = typewriter()
        server.tmux("set-option", "-w", "-t", window, "synchronize-panes", "on")
        #expect(show(["{title}"], handle: window).failure?.code == .unsafeText)
    }

    @Test("copy mode is left before keys are typed")
    func keysCopyMode() {
        server.start()
        let window = typewriter()
        server.tmux("copy-mode", "-t", window)
        #expect(show(["{title}", "<Enter>"], handle: window).outcome == .done)
        #expect(eventually { directory.text("typed") == "Crusty\n" })
    }

    @Test("in a split window the program that was launched is typed to")
    func keysSplit() {
        server.start()
        let out = directory.path + "/typed"
        let report = server.activator.launch(task(), launch(["sed", "-u", "-n", "w \(out)"], session: "main"))
        server.tmux("split-window", "-t", report.handle ?? "?", "--", "sh", "-i")
        #expect(eventually { directory.exists("typed") })
        #expect(show(["{title}", "<Enter>"], handle: report.handle ?? "?").outcome == .done)
        #expect(eventually { directory.text("typed") == "Crusty\n" })
    }

    // MARK: - Injection

    @Test("nothing in a title or target runs, and each arrives byte for byte, with a client attached")
    func injection() {
        server.start()
        server.tmux("set-option", "-g", "automatic-rename", "on")
        server.tmux("set-option", "-g", "allow-rename", "on")
        server.tmux("set-option", "-g", "set-titles", "on")
        server.tmux("set-option", "-g", "status-interval", "1")
        server.attach()
        let x = directory.path + "/x"
        let values = [
            "#(touch \(x))", "#{pid}", ";", "a;", "\\;", "a\\;", "--exec=touch \(x)", "-c", "$(touch \(x))",
            "`touch \(x)`",
            "a\nrun-shell 'touch \(x)'\n", "; run-shell 'touch \(x)' ;", "' \" \\ { } ~ $HOME %if", "#[fg=red]",
            "é🤡\u{202E}",
            "a;\u{301}", "=", "A=B", "\u{1B}]0;#(touch \(x))\u{7}",
        ]
        let script = """
            out=$1; shift
            printf '%s\\0' "$@" "$USHER_TITLE" "$USHER_TARGET" "$MINE" > "$out.part"
            mv "$out.part" "$out"
            printf '\\033k%s\\033\\\\\\033]0;%s\\007' "$USHER_TITLE" "$USHER_TITLE"
            exec cat
            """
        for (index, value) in values.enumerated() {
            let out = "out-\(index)"
            var handler = launch(
                ["sh", "-c", script, "sh", "\(directory.path)/\(out)", "--", "{title}", "{target}", "x{title}"])
            handler.command.environment = ["MINE": "{title}"]
            let report = server.activator.launch(task(target: value, title: value), handler)
            #expect(report.outcome == .verified, "\(value.debugDescription)")
            #expect(eventually { directory.exists(out) }, "\(value.debugDescription)")
            #expect(strings(directory.read(out)) == ["--", value, value, "x" + value, value, value, value])
            #expect(focus(report.handle ?? "?").outcome == .verified)
        }
        // Names and titles are drawn with the status line; give it the time for one more.
        usleep(1_200_000)
        #expect(!directory.exists("x"))
    }
}
