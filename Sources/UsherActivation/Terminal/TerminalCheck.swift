public import UsherScene
internal import UsherText

/// Something on which the way to terminals depends: a row of `terminal` of `usher doctor`.
public struct TerminalCheck: Sendable {
    public var check: String
    public var isMet: Bool
    public var detail: String
    /// What can be done; nil where nothing needs to be.
    public var help: String?

    public init(_ check: String, _ isMet: Bool, _ detail: String, help: String? = nil) {
        (self.check, self.isMet, self.detail, self.help) = (check, isMet, detail, isMet ? nil : help)
    }
}

extension Activator {
    /// What is here of all that terminals need but the hooks of agents.
    ///
    /// - Parameters:
    ///   - systems: the window systems, as they name themselves.
    ///   - settings: what is configured for terminals.
    public func terminalChecks(_ systems: [WindowSupport], _ settings: TerminalSettings) -> [TerminalCheck] {
        [conditions(systems), accessibility, program(settings), focusEvents]
    }

    private func conditions(_ systems: [WindowSupport]) -> TerminalCheck {
        let desktops = systems.compactMap { system in
            DesktopName(rawValue: String(system.system.prefix { $0 != " " }))
        }
        let unknown = desktops.isEmpty ? [.window] : desktops.flatMap(\.unknownConditions)
        let words = unknown.map(\.rawValue).joined(separator: ", ")
        return TerminalCheck(
            "conditions", unknown.isEmpty,
            unknown.isEmpty ? "whether a window is seen is known" : "not known here: \(words)",
            help: desktops.isEmpty
                ? "run it in the session of the desktop"
                : "outcomes are verified without it, and notifications are shown whatever is in front")
    }

    private var accessibility: TerminalCheck {
        let name = "accessibility"
        guard let applications else {
            return TerminalCheck(
                name, false, "there is no desktop session here", help: "run it in the session of the desktop")
        }
        do throws(ActivationFailure) {
            let isThere = try applications.isProvided(name: "org.a11y.Bus")
            return TerminalCheck(
                name, isThere,
                isThere
                    ? "terminals that were started with accessibility tell their tabs"
                    : "hidden tabs of GTK and Qt terminals are not found: org.a11y.Bus is not on the session bus",
                help: "install at-spi2-core, and start the terminals again")
        } catch {
            return TerminalCheck(name, false, error.message, help: error.help ?? "run it in the session of the desktop")
        }
    }

    private func program(_ settings: TerminalSettings) -> TerminalCheck {
        let words = terminalProgram(settings)
        return TerminalCheck(
            "program", words != nil,
            words.map { "terminals are opened with \(ShellText.command($0))" }
                ?? "no program is there that opens a terminal",
            help: "install one, or name it in $TERMINAL or in [terminal] program of usher.toml")
    }

    private var focusEvents: TerminalCheck {
        let name = "focus-events"
        switch Result(catching: { () throws(ActivationFailure) in
            try tmux.run([["show-options", "-gqv", "focus-events"], ["show-options", "-sqv", "focus-events"]])
        }) {
        case .success(.lines(let lines)):
            let isOn = lines.contains("on")
            return TerminalCheck(
                name, isOn, isOn ? "terminals tell tmux whether they have the keyboard" : "they are off in tmux",
                help: "set-option -g focus-events on in ~/.tmux.conf: without it seen.unfocused is not noticed")
        case .success(.noServer): return TerminalCheck(name, true, "no tmux server runs")
        case .success(.error(let problem, _)): return TerminalCheck(name, false, Printable.text(problem))
        case .failure(let failure): return TerminalCheck(name, false, failure.message, help: failure.help)
        }
    }
}
