extension DiagnosticCode {
    /// Neither the process nor a parent of it has a terminal.
    /// Remedy: name a process that runs in a terminal, or its tty.
    public static let terminalNone = DiagnosticCode("U3801", "terminal.none")
    /// The process, the tty or the pane is not there any more.
    /// Remedy: nothing: what ran there has ended.
    public static let terminalGone = DiagnosticCode("U3802", "terminal.gone")
    /// No process of the user holds the other end of the terminal: it is another user's or a container's.
    /// Remedy: ask as that user, or within the container.
    public static let terminalForeign = DiagnosticCode("U3803", "terminal.foreign")
    /// `sshd` holds the terminal: its window is on another machine.
    /// Remedy: bring the window forward on that machine.
    public static let terminalRemote = DiagnosticCode("U3804", "terminal.remote")
    /// What holds the terminal has no window here.
    /// Remedy: see `usher doctor`: which windows are known, and which display usherd uses.
    public static let terminalNoWindow = DiagnosticCode("U3805", "terminal.no-window")
    /// No terminal program is installed that could be opened.
    /// Remedy: install one, or name it in `[terminal] program` of usher.toml.
    public static let terminalNoProgram = DiagnosticCode("U3806", "terminal.no-program")
    /// Terminals contain each other, or there are more than eight in each other.
    /// Remedy: detach the client of tmux that shows its own session.
    public static let terminalLoop = DiagnosticCode("U3807", "terminal.loop")
}

// Why it is not verified that the user sees a window: warnings, and `reason` of the record's `evidence`.
extension DiagnosticCode {
    /// A warning: the session is locked.
    /// Remedy: unlock it.
    public static let seenLocked = DiagnosticCode("U3901", "seen.locked")
    /// A warning: the window does not have the keyboard.
    /// Remedy: see `seen`: what has it.
    public static let seenNotFront = DiagnosticCode("U3902", "seen.not-front")
    /// A warning: the window's process is stopped, or the client of tmux is suspended.
    /// Remedy: continue it with `fg`, or SIGCONT.
    public static let seenClientStopped = DiagnosticCode("U3903", "seen.client-stopped")
    /// A warning: another tab of the terminal is in front.
    /// Remedy: turn to the tab by hand; `[terminal] tabs` of usher.toml says what may be tried.
    public static let seenTabHidden = DiagnosticCode("U3904", "seen.tab-hidden")
    /// A warning: nothing tells which tab or window of the terminal is in front.
    /// Remedy: allow `[terminal] probe`, or use a terminal of the table in Windows.md.
    public static let seenTabUnknown = DiagnosticCode("U3905", "seen.tab-unknown")
    /// A warning: the client of tmux shows another window or pane, or one is zoomed over it.
    /// Remedy: look for a hook of tmux that selects another one.
    public static let seenOtherPane = DiagnosticCode("U3906", "seen.other-pane")
    /// A warning: the pane is in a mode of tmux, such as copy mode, which is left as it is.
    /// Remedy: leave the mode with `q`.
    public static let seenPaneMode = DiagnosticCode("U3907", "seen.pane-mode")
    /// A warning: a popup is open on the tmux server, or the program runs in one.
    /// Remedy: close the popup.
    public static let seenPopup = DiagnosticCode("U3908", "seen.popup")
    /// A warning: the terminal has told tmux that it lost the keyboard.
    /// Remedy: see `seen`: what has it.
    public static let seenUnfocused = DiagnosticCode("U3909", "seen.unfocused")
    /// A warning: an editor, or a multiplexer such as GNU screen, is in between, and which of its windows it shows is not known.
    /// Remedy: turn to it by hand.
    public static let seenPaneUnknown = DiagnosticCode("U3910", "seen.pane-unknown")
    /// A warning: another program runs there now.
    /// Remedy: nothing: the one that was meant has ended.
    public static let seenOtherProgram = DiagnosticCode("U3911", "seen.other-program")
    /// A warning: something else came to the front at once.
    /// Remedy: find the program that takes the keyboard.
    public static let seenLostFront = DiagnosticCode("U3912", "seen.lost-front")
    /// A warning: the terminal of the client of tmux has no window here.
    /// Remedy: attach a client in a terminal on this desktop.
    public static let seenNoWindow = DiagnosticCode("U3913", "seen.no-window")
    /// A warning: no client of tmux shows the session, and none was opened.
    /// Remedy: attach one; `--detached open` opens a terminal.
    public static let seenNoClient = DiagnosticCode("U3914", "seen.no-client")
    /// A warning: less than half of the window is on the screens.
    /// Remedy: move the window back onto a screen.
    public static let seenOffScreen = DiagnosticCode("U3915", "seen.off-screen")
    /// A warning: other windows cover half of what is on the screens, or more.
    /// Remedy: see what stays above all other windows.
    public static let seenCovered = DiagnosticCode("U3916", "seen.covered")
    /// A warning: the window shows other content.
    /// Remedy: see what it shows; the page may still be loading.
    public static let seenOtherTarget = DiagnosticCode("U3917", "seen.other-target")
}
