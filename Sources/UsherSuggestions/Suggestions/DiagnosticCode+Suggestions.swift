public import UsherScene

// U84xx: interactions.
extension DiagnosticCode {
    /// There is no intent of that name.
    /// Remedy: give one of `sendMessage`, `startAudioCall`, `startVideoCall`, `sendEmail`, `playMedia`, `requestRide` and `getDirections`.
    public static let interactionIntent = DiagnosticCode("U8400", "interaction.intent")
    /// A message, a call or an e-mail was with nobody.
    /// Remedy: name the person: `--participant`.
    public static let interactionNoParticipant = DiagnosticCode("U8401", "interaction.no-participant")
    /// What was played is missing.
    /// Remedy: give its identifier: `--target`.
    public static let interactionNoTarget = DiagnosticCode("U8402", "interaction.no-target")
    /// The app has no manifest.
    /// Remedy: install it, or correct the name.
    public static let interactionNoSuchApp = DiagnosticCode("U8403", "interaction.no-such-app")
    /// It is to happen more than a minute from now.
    /// Remedy: correct the time, or the clock of the machine that gave it.
    public static let interactionFuture = DiagnosticCode("U8404", "interaction.future")
    /// There is no interaction of that id.
    /// Remedy: see `usher interaction list`.
    public static let interactionNoSuch = DiagnosticCode("U8405", "interaction.no-such-interaction")
}

// U88xx: the search provider.
extension DiagnosticCode {
    /// Another process answers the searches of the desktop under Usher's name.
    /// Remedy: end it; usherd then has the name at once.
    public static let searchNameTaken = DiagnosticCode("U8800", "search.name-taken")
}

// U85xx: reminders, signals, and what is forgotten.
extension DiagnosticCode {
    /// The time of the reminder has passed.
    /// Remedy: give a later one.
    public static let remindPast = DiagnosticCode("U8500", "remind.past")
    /// A reminder waits for one thing, and for nothing else.
    /// Remedy: give one of `--at`, `--in`, `--when-opens` and `--when`.
    public static let remindWhen = DiagnosticCode("U8501", "remind.when")
    /// There is no reminder of that id.
    /// Remedy: see `usher reminder list`.
    public static let reminderNoSuch = DiagnosticCode("U8502", "reminder.no-such-reminder")
    /// A reminder waits, and there is no session bus on which its notification could be shown.
    /// Remedy: run `usherd` in the session of the desktop, so that `DBUS_SESSION_BUS_ADDRESS` is set.
    public static let reminderNoBus = DiagnosticCode("U8503", "reminder.no-bus")
    /// Nothing says what is to be forgotten.
    /// Remedy: give `--app`, `--source`, `--since`, or `--all` for everything.
    public static let forgetWhat = DiagnosticCode("U8520", "forget.what")
}
