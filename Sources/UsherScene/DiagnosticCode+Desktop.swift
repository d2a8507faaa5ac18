extension DiagnosticCode {
    /// There is no session bus, or it does not let us in.
    public static let busAbsent = DiagnosticCode("U3501", "bus.absent")
    /// The session bus went away while an answer was awaited.
    public static let busLost = DiagnosticCode("U3502", "bus.lost")
    /// The name has no owner on the session bus, and no service file says how to start one.
    public static let busNoService = DiagnosticCode("U3503", "bus.no-service")
    /// The program that a bus name stands for could not be started.
    public static let busNotStarted = DiagnosticCode("U3504", "bus.not-started")
    /// No answer came within the time limit.
    public static let busNoReply = DiagnosticCode("U3505", "bus.no-reply")
    /// The program does not know what it was asked: it is no `org.freedesktop.Application`, or has no such action.
    public static let busUnknownMethod = DiagnosticCode("U3506", "bus.unknown-method")
    /// The program, or the bus, answered with an error.
    public static let busRefused = DiagnosticCode("U3507", "bus.refused")
    /// Something that no message on the bus can carry, or that is larger than we take.
    public static let busMessage = DiagnosticCode("U3508", "bus.message")

    /// The program left the bus before it answered.
    public static let busLeft = DiagnosticCode("U3509", "bus.left")

    /// There is no desktop entry of this name, or it is hidden.
    public static let entryUnknown = DiagnosticCode("U3510", "entry.unknown")
    /// A desktop entry that does not say how to start its program.
    public static let entryBroken = DiagnosticCode("U3511", "entry.broken")
    /// The program of a desktop entry is not installed.
    public static let entryNoProgram = DiagnosticCode("U3512", "entry.no-program")
    /// A desktop entry has no action of this name.
    public static let entryNoAction = DiagnosticCode("U3513", "entry.no-action")
    /// A desktop entry wants a terminal, and none was found.
    public static let entryNoTerminal = DiagnosticCode("U3514", "entry.no-terminal")
    /// A warning: the entry's bus name could not be called, so its command line was started.
    public static let entryNotActivated = DiagnosticCode("U3515", "entry.not-activated")
    /// Usher cannot write a desktop entry, because a file with this name exists that Usher has not written.
    public static let entryForeign = DiagnosticCode("U3516", "entry.foreign")

    static let desktop: [DiagnosticCode] = [
        busAbsent, busLost, busNoService, busNotStarted, busNoReply, busUnknownMethod, busRefused, busMessage, busLeft,
        entryUnknown, entryBroken, entryNoProgram, entryNoAction, entryNoTerminal, entryNotActivated, entryForeign,
    ]
}
