import Glibc
public import UsherScene
internal import UsherSystem
internal import UsherText

/// What kept an activation from taking effect: a stable code, a sentence, and what to do about it.
///
/// Made by the factories below, the one place where these sentences are written.
public struct ActivationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: DiagnosticCode
    public var message: String
    public var help: String?

    public init(_ code: DiagnosticCode, _ message: String, help: String? = nil) {
        self.code = code
        self.message = message
        self.help = help
    }

    public var description: String { "\(code): \(message)" }
}

// MARK: - Texts

extension ActivationFailure {
    static func programNotFound(_ program: String, path: String) -> ActivationFailure {
        if program.utf8.contains(UInt8(ascii: "/")) {
            return ActivationFailure(
                .programNotFound, "\(Printable.text(program)) is not an executable file",
                help: "check the path, and that the file may be executed (chmod +x)")
        }
        return ActivationFailure(
            .programNotFound, "the program \(Printable.text(program)) was not found in PATH",
            help: "install it, or write its absolute path in the manifest; PATH is \(Printable.text(path))")
    }

    static func cannotStart(_ program: String, errno code: Int32) -> ActivationFailure {
        let help: String? =
            switch code {
            case ENOEXEC: "a script needs a first line such as #!/bin/sh"
            case E2BIG: "arguments and environment together are too long; large data is on standard input"
            default: nil
            }
        return ActivationFailure(
            .cannotStart, "\(Printable.text(program)) could not be started: \(SystemError.text(code))", help: help)
    }

    static func noDirectory(_ directory: String, errno code: Int32) -> ActivationFailure {
        ActivationFailure(
            .cannotStart, "the working directory \(Printable.text(directory)) cannot be used: \(SystemError.text(code))"
        )
    }

    static func stringTooLong(_ what: String, bytes: Int) -> ActivationFailure {
        ActivationFailure(
            .cannotStart, "\(what) is \(bytes) bytes long; the system passes at most \(ProgramWords.maximumLength)",
            help: "the whole payload is on standard input and in {payload-file}")
    }

    static func holdsNUL(_ what: String) -> ActivationFailure {
        ActivationFailure(
            .unsafeText, "\(what) holds a NUL character, which no program can be given",
            help: "the whole payload is on standard input and in {payload-file}")
    }

    static func dashArgument(_ template: String, value: String) -> ActivationFailure {
        ActivationFailure(
            .dashArgument,
            "the argument \(Printable.text(template)) would become \(Printable.text(value)), which reads as an option",
            help:
                "write \"--\" before it in the manifest, if the program knows that, or put text before the placeholder")
    }

    static func badTemplate(_ template: String, _ problem: String) -> ActivationFailure {
        ActivationFailure(
            .cannotStart, "\(Printable.text(template)): \(problem)",
            help: "literal braces are written {{ and }}; the placeholders are "
                + Command.placeholders.map { "{\($0)}" }.joined(separator: " "))
    }

    static let emptyCommand = ActivationFailure(.cannotStart, "the command is empty")

    static func badVariable(_ name: String) -> ActivationFailure {
        ActivationFailure(.cannotStart, "\(Printable.text(name)) cannot be the name of an environment variable")
    }

    static func system(_ doing: String, errno code: Int32) -> ActivationFailure {
        ActivationFailure(.cannotStart, "\(doing): \(SystemError.text(code))", help: SystemError(code).remedy)
    }

    static let noStateDirectory = ActivationFailure(
        .cannotStart, "{payload-file} needs a state directory in this place", help: "give --state DIR")

    /// Why a program that ended did not succeed; nil for status 0.
    ///
    /// - Parameter output: the last line that it wrote.
    public static func unsuccessful(_ program: String, _ end: ProcessEnd, output: String? = nil) -> ActivationFailure? {
        let name = Printable.text(program)
        switch end {
        case .exited(0): return nil
        case .exited(let status):
            return ActivationFailure(
                .exitStatus, "\(name) ended with status \(status)", help: output.map { "it said: \($0)" })
        case .signalled(let signal):
            return ActivationFailure(.killedBySignal, "\(name) was ended by \(Self.name(of: signal))")
        case .unknown:
            return ActivationFailure(.exitStatus, "\(name) ended, and its exit status could not be read")
        }
    }

    static func timeLimit(_ program: String, milliseconds: Int) -> ActivationFailure {
        ActivationFailure(
            .timeLimit, "\(Printable.text(program)) was still running after \(milliseconds) ms and was stopped")
    }

    static func notReady(_ program: String, milliseconds: Int) -> ActivationFailure {
        ActivationFailure(
            .notReady, "\(Printable.text(program)) was started, but `ready` did not hold within \(milliseconds) ms")
    }

    static func closedBeforeReady(_ program: String) -> ActivationFailure {
        ActivationFailure(.notReady, "\(Printable.text(program)) ended before `ready` held")
    }

    static func unsafeText(_ value: String) -> ActivationFailure {
        ActivationFailure(
            .unsafeText,
            "the text \(Printable.text(value)) holds control characters, which are never typed into a window",
            help: "use an exec handler, which takes any text")
    }

    static func shellPane(_ shell: String) -> ActivationFailure {
        ActivationFailure(
            .unsafeText, "the window runs \(Printable.text(shell)), where typed text of a payload would be a command",
            help: "run the application itself in the window, or use an exec handler")
    }

    static let synchronizedPanes = ActivationFailure(
        .unsafeText, "the panes of the window are synchronized: text would be typed into all of them",
        help: "turn synchronize-panes off for this window")

    package static func windowGone(_ window: String) -> ActivationFailure {
        ActivationFailure(.windowGone, "the window \(Printable.text(window)) is gone")
    }

    static func noTabs(_ system: String) -> ActivationFailure {
        ActivationFailure(
            .windowSystem, "\(system): its windows have no tabs",
            help: "`show = { tab = … }` is for windows of a browser")
    }

    static func noWindow(like rule: WindowRule) -> ActivationFailure {
        ActivationFailure(.windowGone, "no window is as `focus` at \(rule.location) says")
    }

    /// Nothing could be brought forward, and there is nothing to be launched.
    static func nothingToShow(
        _ scene: String, _ rule: WindowRule, _ windows: [WindowList.Window], _ held: HeldWindows
    ) -> ActivationFailure {
        let place = "`focus` at \(rule.location)"
        let taken = windows.lazy.filter(rule.matches).compactMap { window in
            held.holder(of: window).map { "\(window.handle), which is \($0)'s" }
        }
        if let first = taken.first {
            return ActivationFailure(
                .noHandler, "the scene \(scene) has no launch, and \(place) means no other window than \(first)",
                help: "a window is one session's: let \(place) say more, or the other scene's, or add a launch")
        }
        let near = rule.nearest(among: windows)
        return ActivationFailure(
            .noHandler, "the scene \(scene) has no launch, and no window is as \(place) says",
            help: near.map { "the nearest is \($0.handle): \(rule.difference(from: $0)); or add a launch" }
                ?? "usher scene windows shows what there is, usher scene pick writes `focus`; or add a launch")
    }

    static func ambiguousWindow(_ windows: [WindowList.Window], like rule: WindowRule) -> ActivationFailure {
        let named = windows.prefix(8).map { "\(Printable.text($0.title, limit: 60)) (\($0.handle))" }
        let more = windows.count > named.count ? " and \(windows.count - named.count) more" : ""
        return ActivationFailure(
            .windowAmbiguous,
            "\(windows.count) windows are as `focus` at \(rule.location) says: "
                + named.joined(separator: ", ") + more,
            help: "say more about the window in `focus`, or connect each with `usher scene connect --handle`")
    }

    static func noWindowYet(_ program: String, milliseconds: Int, _ rule: WindowRule?) -> ActivationFailure {
        ActivationFailure(
            .notReady, "\(program) runs, but its window was not there within \(milliseconds) ms",
            help: rule?.isOfBrowsers == true
                ? "usher browser status says whether the browser is connected; or give it longer with `time-limit`"
                : "give it longer with `time-limit`, or say with `focus` how its window looks: usher scene pick")
    }

    static func unidentified(_ window: WindowList.Window, of program: String) -> ActivationFailure {
        ActivationFailure(
            .windowAmbiguous,
            "the window \(Printable.text(window.title)) (\(window.handle)) came, and nothing tells whether it is of this "
                + "launch or of another one of \(program) at the same time",
            help: "the session keeps no window: its next request launches the program again, alone")
    }

    static func held(_ window: WindowList.Window, by program: String) -> ActivationFailure {
        ActivationFailure(
            .windowAmbiguous,
            "\(program) opened no window of its own: \(Printable.text(window.title)) (\(window.handle)) came forward, and "
                + "that is the window of another session",
            help: "let the program open a new window for each target, or declare one scene for all of them")
    }

    static func stoppedWaiting(_ program: String) -> ActivationFailure {
        ActivationFailure(
            .notReady,
            "\(program) had handed over to another program, and usherd was stopped before its window was there",
            help: "nothing was lost: the next request finds the window, where `focus` says how it looks")
    }

    static func notDescribed(_ window: WindowList.Window, by rule: WindowRule) -> ActivationFailure {
        ActivationFailure(
            .notReady,
            "its window \(window.handle) is not as `focus` at \(rule.location) says: \(rule.difference(from: window))",
            help: (rule.correction(for: window).map { "write \($0) at \(rule.location)" }
                ?? "correct `focus`: usher scene pick writes it")
                + "; until then each launch waits longer for its window")
    }

    static func nobodyTells(of rule: WindowRule?) -> ActivationFailure {
        guard rule?.isOfBrowsers != true else {
            return ActivationFailure(
                .windowSystem, "browsers tell only usherd when a window of theirs is there",
                help: "start usherd within the session")
        }
        return ActivationFailure(
            .windowSystem, "no window system here reports windows of programs, so the new window cannot be found",
            help: "usher doctor says why: start usherd within the desktop, whose DISPLAY or WAYLAND_DISPLAY it needs")
    }

    static let noDesktop = ActivationFailure(
        .windowSystem, "there is no desktop session here: neither desktop entries nor the session bus can be asked",
        help: "usherd asks them: start it within the session")

    package static func windowSystem(_ name: String, _ problem: String, help: String? = nil) -> ActivationFailure {
        ActivationFailure(.windowSystem, "\(name): \(Printable.text(problem))", help: help)
    }

    static let noWindowToType = ActivationFailure(
        .noHandler, "the session has no window handle: no keys can be typed into its window, and no tab turned to",
        help: "connect the session with --handle, or use an exec handler")

    /// `SIGKILL (9)`; the number alone where it has no name.
    private static func name(of signal: Int32) -> String {
        let names: [Int32: String] = [
            SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
            SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
            SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
            SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGSYS: "SIGSYS",
        ]
        return names[signal].map { "\($0) (\(signal))" } ?? "signal \(signal)"
    }
}

// What the system refuses a launch.
extension ActivationFailure {
    /// The result of `body`; its error as `system` words it.
    static func attempting<Value: ~Copyable>(
        _ doing: String, _ body: () throws(SystemError) -> Value
    ) throws(ActivationFailure) -> Value {
        try Result(catching: body).mapError { ActivationFailure.system(doing, errno: $0.number) }.get()
    }

    static func descriptorAboveStandard(
        _ descriptor: consuming FileDescriptor
    ) throws(ActivationFailure) -> FileDescriptor {
        do throws(SystemError) {
            return try descriptor.aboveStandard()
        } catch {
            throw .system("no file descriptor", errno: error.number)
        }
    }

    /// The bytes for a child's standard input.
    static func memory() throws(ActivationFailure) -> FileDescriptor {
        try attempting("the output cannot be captured") { () throws(SystemError) in
            try FileDescriptor.memory(named: "usher-output")
        }
    }

    static func sealed(_ input: [UInt8]) throws(ActivationFailure) -> FileDescriptor {
        try attempting("the payload cannot be handed over") { () throws(SystemError) in
            try FileDescriptor.sealedMemory(input, named: "usher-payload")
        }
    }
}
