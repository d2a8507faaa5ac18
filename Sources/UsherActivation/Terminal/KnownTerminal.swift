internal import UsherScene
internal import UsherText

/// What is known of programs by their names for the kernel, which are cut after 15 bytes.
enum KnownTerminal {
    /// What a program that holds terminals is.
    enum Role: Sendable {
        case terminal, tmux, screen, editor, ssh
    }

    static func role(of name: String) -> Role? {
        if name.hasSameBytes(as: "tmux: server") { return .tmux }
        if multiplexers.contains(name) { return .screen }
        if name.utf8.starts(with: "sshd".utf8) { return .ssh }
        if editors.contains(name) || name.utf8.starts(with: "emacs".utf8) { return .editor }
        return title(of: name) == nil && !others.contains(name) ? nil : .terminal
    }

    /// What the title of a terminal's window says.
    enum Title: Sendable {
        /// Each window has one terminal, and its title.
        case only
        /// The title is that of the tab in front.
        case active
        /// A tab that is not in front changes the title as well.
        case any
    }

    /// nil for a program that is not in the table of Documentation/Windows.md.
    static func title(of name: String) -> Title? { titles[name] }

    private static let titles: [String: Title] = [
        "xterm": .only, "foot": .only, "footclient": .only, "alacritty": .only, "urxvt": .only, "urxvtd": .only,
        "rxvt": .only, "st": .only, "zutty": .only, "cool-retro-term": .only,
        "kitty": .active, "gnome-terminal-": .active, "konsole": .active, "tilix": .active,
        "xfce4-terminal": .active, "mate-terminal": .active, "lxterminal": .active, "qterminal": .active,
        "terminator": .any, "sakura": .any,
    ]

    /// How a tab of a terminal that is not in front can be selected.
    static func ways(of name: String) -> Set<TerminalSettings.TabWay> {
        switch name {
        // They publish no tabs, or tabs without their titles.
        case "kitty", "konsole", "tilix": [.api]
        // Its interface has no request for a terminal.
        case "gnome-terminal-": [.accessibility, .walk]
        default: title(of: name) == .only ? [] : [.accessibility]
        }
    }

    /// Terminals whose windows have titles of a fixed form: nothing that is written to them is found there.
    static func hasFixedTitles(_ name: String) -> Bool { name.hasSameBytes(as: "konsole") }

    /// Terminals that do not keep the title which a program replaces.
    static func forgetsTitles(_ name: String) -> Bool { name.hasSameBytes(as: "qterminal") }

    /// Terminals whose titles were not tried.
    private static let others: Set<String> = [
        "terminology", "wezterm-gui", "ghostty", "ptyxis", "ptyxis-agent", "kgx", "warp", "rio", "contour", "yakuake",
        "guake", "tilda", "deepin-terminal", "lxterm", "uxterm", "mlterm", "eterm", "blackbox",
    ]
    private static let multiplexers: Set<String> = ["screen", "zellij", "dtach", "abduco"]
    private static let editors: Set<String> = ["nvim", "vim", "vim.basic", "vim.gtk3", "gvim", "kakoune"]
}
