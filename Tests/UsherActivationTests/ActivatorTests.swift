import Foundation
import TestSupport
import Testing
import UsherScene

@testable import UsherActivation

/// The verbs with programs of their own; windows are the dry-run twin's.
@Suite("Activator")
struct ActivatorTests {
    let directory = TemporaryFolder()
    let windows = DryRunWindowSystem(windows: [.init(handle: "@3", title: "Crusty", group: "clown-town")])

    func activator(_ environment: [String: String] = [:], isDryRun: Bool = false) -> Activator {
        let base = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root"]
        return Activator(
            windowSystem: windows, environment: base.merging(environment) { $1 }, stateDirectory: directory.path,
            isDryRun: isDryRun)
    }

    func launch(_ command: Command, ready: Command? = nil, grace: Int = LaunchHandler.defaultGrace) -> LaunchHandler {
        var handler = LaunchHandler(method: .exec, command: command)
        handler.ready = ready.map(LaunchHandler.Readiness.exec)
        handler.grace = grace
        return handler
    }

    // MARK: - Launch

    @Test("a launch without ready is done at once when the program runs")
    func launchAtOnce() {
        let report = activator().launch(task(), launch(shell("sleep 0.2; exit 3")))
        #expect(report.outcome == .done)
        #expect(report.failure == nil)
        #expect(report.handlers.map(\.status) == [.running])
    }

    @Test("a launch is done as soon as ready holds")
    func launchReady() {
        let file = directory.path + "/ready"
        let report = activator().launch(
            task(), launch(shell("sleep 0.1; touch \(file); exec sleep 1"), ready: command(["test", "-e", file])))
        #expect(report.outcome == .done)
        #expect(report.handlers.map(\.verb) == ["launch", "ready"])
        #expect(report.handlers[0].milliseconds < 1000)
    }

    @Test("ready that does not hold within the grace leaves the outcome open")
    func launchNotReady() {
        let report = activator().launch(
            task(), launch(shell("exec sleep 1"), ready: command(["false"]), grace: 150))
        #expect(report.outcome == .unverified)
        #expect(report.failure == nil)
        #expect(report.warnings.map(\.code) == [.notReady])
    }

    @Test("ready that hangs is stopped with the grace")
    func launchReadyHangs() {
        let report = activator().launch(
            task(), launch(shell("exec sleep 20"), ready: command(["sleep", "60"]), grace: 150))
        // Nothing waited for the end of the program, which would decide.
        #expect(report.outcome == .unverified)
    }

    @Test(
        "how a program ends before it is ready decides",
        arguments: [
            ("exit 0", Outcome.done, nil), ("exit 3", .failed, DiagnosticCode.exitStatus),
            ("kill -9 $$", .failed, .killedBySignal),
        ] as [(String, Outcome, DiagnosticCode?)])
    func launchEnds(script: String, outcome: Outcome, code: DiagnosticCode?) {
        let report = activator().launch(task(), launch(shell(script), ready: command(["false"]), grace: 3000))
        #expect(report.outcome == outcome)
        #expect(report.failure?.code == code)
        #expect(report.handlers[0].milliseconds < 2000)
    }

    @Test("a program that is missing fails the launch, and ready that is missing too")
    func launchMissing() {
        let missing = activator().launch(task(), launch(command(["usher-no-such-program"])))
        #expect(missing.outcome == .failed)
        #expect(missing.failure?.code == .programNotFound)
        #expect(missing.handlers.map(\.status) == [.failedToStart])
        let ready = activator().launch(
            task(), launch(command(["sleep", "1"]), ready: command(["usher-no-such-program"])))
        #expect(ready.failure?.code == .programNotFound)
    }

    @Test("what was started is found by its nonce")
    func find() throws {
        let task = task()
        #expect(activator().find(nonce: task.nonce) == nil)
        _ = activator().launch(task, launch(command(["sleep", "60"])))
        let found = try #require(activator().find(nonce: task.nonce))
        #expect(found.handle == nil)
        kill(found.process, SIGKILL)
    }

    // MARK: - Focus and show

    @Test("a handle is focused without a handler")
    func focusHandle() {
        let report = activator().focus(task(handle: "tmux:@3"), nil)
        #expect(report.outcome == .verified)
        #expect(report.handle == "@3")
        #expect(report.handleServer == "dry-run")
        #expect(windows.current == "@3")
    }

    @Test("a window that is gone is said to be gone")
    func focusGone() {
        var stale = task(handle: "@3")
        stale.handleServer = "another server"
        for task in [task(handle: "@4"), stale] {
            let report = activator().focus(task, nil)
            #expect(report.outcome == .failed)
            #expect(report.windowGone)
            #expect(report.failure?.code == .windowGone)
        }
    }

    @Test("with neither handle nor handler nothing can be confirmed, and nothing failed")
    func focusNothing() {
        let report = activator().focus(task(), nil)
        #expect(report.outcome == .unverified)
        #expect(report.failure == nil)
        #expect(report.handlers.isEmpty)
    }

    @Test("a handle of another window system is left to the handler")
    func focusForeign() {
        #expect(activator().focus(task(handle: "x11:0x40"), .exec(command(["true"]))).outcome == .done)
        #expect(activator().focus(task(handle: "x11:0x40"), nil).outcome == .unverified)
    }

    @Test("without a handle the tmux session of the manifest is meant")
    func focusSession() {
        #expect(activator().focus(task(), .tmux(session: "clown-town", location: here)).outcome == .verified)
        #expect(activator().focus(task(), .tmux(session: "nowhere", location: here)).windowGone)
    }

    @Test(
        "a handler's end decides",
        arguments: [
            ("exit 0", Outcome.done, nil, nil), ("echo no such clown >&2; exit 7", .failed, .exitStatus, nil),
            ("kill -15 $$", .failed, .killedBySignal, nil), ("exec sleep 30", .unverified, nil, .timeLimit),
        ] as [(String, Outcome, DiagnosticCode?, DiagnosticCode?)])
    func handlerEnds(script: String, outcome: Outcome, failure: DiagnosticCode?, warning: DiagnosticCode?) {
        let handler = shell(script, timeLimit: outcome == .unverified ? 150 : 5000)
        for (verb, report) in [
            ("focus", activator().focus(task(), .exec(handler))), ("show", activator().show(task(), .exec(handler))),
            ("background", activator().run(task(), handler, verb: "background")),
        ] {
            #expect(report.outcome == outcome)
            #expect(report.failure?.code == failure)
            #expect(report.warnings.map(\.code) == [warning].compactMap { $0 })
            #expect(report.handlers.map(\.verb) == [verb])
        }
    }

    @Test("a failing handler's last words are in the help, and the end of both streams in the report")
    func handlerWords() {
        let report = activator().show(
            task(), .exec(shell("echo out; echo Traceback >&2; printf 'no such cl\\303\\266wn\\n\\377\\n' >&2; exit 7"))
        )
        #expect(report.failure?.message == "sh ended with status 7")
        #expect(report.failure?.help == "it said: \u{FFFD}")
        #expect(report.handlers[0].exitStatus == 7)
        #expect(report.handlers[0].output == "out\n")
        #expect(report.handlers[0].errorOutput == "Traceback\nno such clöwn\n\u{FFFD}\n")
        let silent = activator().show(task(), .exec(shell("echo only this; exit 1")))
        #expect(silent.failure?.help == "it said: only this")
        #expect(silent.handlers[0].errorOutput == "")
    }

    @Test("of long output the last 4 KiB are kept, from a whole character on")
    func longOutput() {
        let report = activator().run(
            task(), shell("yes ä | head -c 99999; yes € | head -c 100000 >&2; echo end >&2"), verb: "background")
        #expect(report.outcome == .done)
        let (output, errors) = (report.handlers[0].output, report.handlers[0].errorOutput)
        #expect((4090...4096).contains(output.utf8.count) && !output.unicodeScalars.contains("\u{FFFD}"))
        #expect((4090...4096).contains(errors.utf8.count) && errors.hasSuffix("end\n"))
        #expect(errors.first == "€" || errors.first == "\n")
    }

    @Test("keys are typed into the window, and need one")
    func showKeys() {
        let keys = ShowHandler.tmuxKeys(command([":open {title}", "<Enter>"]))
        #expect(activator().show(task(handle: "@3"), keys).outcome == .done)
        #expect(windows.keys(typedInto: "@3") == [.text(":open Crusty"), .key("Enter")])
        #expect(activator().show(task(), keys).failure?.code == .noHandler)
        #expect(activator().show(task(handle: "@3", title: "a\nb"), keys).failure?.code == .unsafeText)
        #expect(activator().show(task(handle: "@9"), keys).windowGone)
    }

    // MARK: - What handlers get

    @Test("handlers get the documented variables, the allowed ones and those they keep, and nothing else")
    func environment() {
        var handler = command(["env", "-0"])
        handler.keepEnvironment = ["KEPT", "ABSENT"]
        handler.environment = ["CLOWN": "{title}!", "USHER_APP": "forged"]
        var task = task(action: .focus)
        task.nonce = "n1"
        let report = activator([
            "KEPT": "k", "SECRET": "s", "LC_TIME": "C", "XDG_RUNTIME_DIR": "/run/x", "TMUX": "/tmp/t,1,0",
            "XDG_ACTIVATION_TOKEN": "stale",
        ]).focus(task, .exec(handler))
        let variables = strings(Array(report.handlers[0].output.utf8)).sorted()
        // Of this run alone.
        #expect(variables.count { $0.hasPrefix("USHER_RUN=") } == 1)
        #expect(
            variables.filter { !$0.hasPrefix("USHER_RUN=") } == [
                "CLOWN=Crusty!", "HOME=/root", "KEPT=k", "LC_TIME=C", "PATH=/usr/local/bin:/usr/bin:/bin",
                "TMUX=/tmp/t,1,0", "USHER_ACTION=focus", "USHER_APP=example.clowntown", "USHER_DELIVERY=0199-delivery",
                "USHER_LAUNCH=n1", "USHER_ORIGINAL_TARGET=https://clowntown.example/clowns/crusty",
                "USHER_REASON=opens",
                "USHER_RESOLVED=https://clowntown.example/clowns/crusty",
                "USHER_SCENE=clown", "USHER_SESSION=clown-7", "USHER_TARGET=https://clowntown.example/clowns/crusty",
                "USHER_TITLE=Crusty", "XDG_RUNTIME_DIR=/run/x",
            ])
    }

    @Test("a title that no environment can hold is left out, an identifier is an error")
    func impossibleValues() {
        for title in ["a\0b", String(repeating: "t", count: 200_000)] {
            let report = activator().show(task(title: title), .exec(shell("echo ${{USHER_TITLE-unset}}")))
            #expect(report.handlers[0].output == "unset\n")
        }
        let report = activator().show(task(target: "a\0b"), .exec(command(["true"])))
        #expect(report.failure?.code == .unsafeText)
    }

    @Test("the payload is on standard input and at {payload-file}")
    func payload() {
        let report = activator().show(
            task(payload: Array("{\"a\":1}".utf8)), .exec(shell("cat; cat \"$1\"", ["{payload-file}"])))
        #expect(report.handlers[0].output == "{\"a\":1}{\"a\":1}")
    }

    @Test("a refused argument runs nothing")
    func dash() {
        let file = directory.path + "/ran"
        let report = activator().show(
            task(title: "--exec=touch x"), .exec(shell("touch \(file)", ["{title}"])))
        #expect(report.failure?.code == .dashArgument)
        #expect(report.handlers.map(\.status) == [.failedToStart])
        #expect(!directory.exists("ran"))
    }

    @Test("an argument that is too long is a clear error before anything runs")
    func longArgument() {
        let report = activator().show(
            task(title: String(repeating: "a", count: 200_000)), .exec(command(["echo", "{title}"])))
        #expect(report.failure?.code == .cannotStart)
        #expect(report.failure?.message == "argument 1 is 200000 bytes long; the system passes at most 131071")
    }

    @Test("open-web is a program that may stay")
    func openWeb() {
        let done = activator().run(task(), command(["true"]), verb: "open-web")
        #expect(done.outcome == .done)
        #expect(activator().run(task(), command(["false"]), verb: "open-web").failure?.code == .exitStatus)
    }

    @Test("a tmux launch hands the program, its arguments and variables to the window system")
    func launchWindow() {
        var handler = LaunchHandler(method: .tmux(session: "work"), command: command(["sleep", "--", "{target}"]))
        handler.ready = .exec(command(["test", "{handle}", "=", "@2"]))
        let report = activator().launch(task(), handler)
        #expect(report.outcome == .verified)
        #expect(report.handle == "@2")
        #expect(report.handlers.map(\.verb) == ["launch", "ready"])
        handler.ready = .exec(command(["false"]))
        handler.grace = 100
        #expect(activator().launch(task(), handler).warnings.map(\.code) == [.notReady])
    }

    // MARK: - Dry runs

    @Test("a dry run runs nothing")
    func dryRun() {
        let file = directory.path + "/ran"
        let dry = activator(isDryRun: true)
        let touch = command(["touch", file])
        for report in [
            dry.launch(task(), launch(touch)), dry.focus(task(handle: "@3"), .exec(touch)),
            dry.show(task(), .exec(touch)), dry.run(task(), touch, verb: "background"),
            dry.launch(task(), LaunchHandler(method: .tmux(session: nil), command: touch)),
        ] {
            #expect(report.outcome == .skipped)
            #expect(report.handlers.isEmpty)
        }
        #expect(!directory.exists("ran"))
        #expect(windows.performed.isEmpty)
    }

    @Test("a plan says what would be done")
    func plan() {
        let tmux = LaunchHandler(
            method: .tmux(session: "clown-town"), command: command(["clowntown", "--", "{target}"]))
        let keys = ShowHandler.tmuxKeys(command([":open {title}", "<Enter>"]))
        let cases: [(ActivationTask, ActivationStep, [String])] = [
            (task(handle: "@3"), .focus(nil), ["tmux select-window @3, read it back"]),
            (task(handle: "tmux:%5"), .focus(nil), ["tmux select-pane %5, read it back"]),
            (task(), .focus(nil), []),
            (
                task(), .focus(.tmux(session: "clown-town", location: here)),
                ["tmux switch-client to session clown-town, read it back"]
            ),
            (task(), .focus(.exec(command(["raise", "{title}"]))), ["run raise Crusty"]),
            (
                task(), .launch(tmux),
                [
                    "tmux new-window in session clown-town: "
                        + "clowntown -- https://clowntown.example/clowns/crusty, read it back"
                ]
            ),
            (
                task(title: "a b\u{1B}[2J"), .launch(launch(command(["x", "{title}"]), ready: command(["y"]))),
                [#"run x $'a b\033[2J'"#, "wait until y ends with status 0"]
            ),
            (task(handle: "@3"), .show(keys), ["tmux send-keys to @3: ':open Crusty' <Enter>"]),
            (task(), .run(command(["fetch", "{payload-file}"]), verb: "background"), ["run fetch /dev/stdin"]),
        ]
        for (task, step, lines) in cases { #expect(activator().plan(task, step) == lines) }
        let refused = activator().plan(task(title: "-x"), .show(.exec(command(["x", "{title}"]))))
        #expect(refused.count == 1)
        #expect(refused.first?.hasPrefix("refused: ") == true)
        #expect(windows.performed.isEmpty)
    }
}
