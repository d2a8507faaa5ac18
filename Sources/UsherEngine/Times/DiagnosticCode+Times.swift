public import UsherScene

// U89xx: times, and notifications that wait for theirs.
extension DiagnosticCode {
    /// The time has passed.
    /// Remedy: give a later one.
    public static let schedulePast = DiagnosticCode("U8900", "schedule.past")
    /// What was given is no time, or no duration.
    /// Remedy: give RFC 3339, `09:00`, `tomorrow 09:00` or `friday 09:00`; a duration is `90s`, `15m`, `2h` or `7d`.
    public static let scheduleTime = DiagnosticCode("U8901", "schedule.time")
    /// What was given is no rule.
    /// Remedy: give a duration of at least a second, `day 09:00`, or days such as `mon,thu 09:00`.
    public static let scheduleRule = DiagnosticCode("U8902", "schedule.rule")
    /// A notification is to come at one time, or by one rule.
    /// Remedy: give one of `--at`, `--in` and `--every`.
    public static let scheduleWhen = DiagnosticCode("U8903", "schedule.when")
    /// The id is empty, longer than 128 bytes, or has control characters.
    /// Remedy: give another one, or none.
    public static let scheduleID = DiagnosticCode("U8904", "schedule.id")
    /// 1000 notifications wait already, or 64 MiB of them.
    /// Remedy: remove some, as with `usher notification remove --pending ID`.
    public static let scheduleTooMany = DiagnosticCode("U8905", "schedule.too-many")
    /// There is no notification of that id in that list.
    /// Remedy: see `usher notification pending` and `usher notification delivered`.
    public static let scheduleUnknown = DiagnosticCode("U8906", "schedule.unknown")
    /// A scheduled notification came more than five seconds after its time.
    /// Remedy: none, if the machine slept or `usherd` did not run then; else see whether the clock was set.
    public static let scheduleLate = DiagnosticCode("U8907", "schedule.late")
}
