extension DiagnosticCode {
    /// An identifier that cannot be moved, or moved to: empty, too long, or with a NUL.
    public static let redirectIdentifier = DiagnosticCode("U4530", "redirect.identifier")
    /// Content cannot move to where it is.
    public static let redirectOntoItself = DiagnosticCode("U4531", "redirect.onto-itself")
    /// A redirect with which identifiers would come back to where they were.
    public static let redirectWouldLoop = DiagnosticCode("U4532", "redirect.loop")
    /// A redirect with which some identifier would need more hops than are followed.
    public static let redirectTooLong = DiagnosticCode("U4533", "redirect.too-long")
    /// A redirect to or from content that was deleted.
    public static let redirectDeleted = DiagnosticCode("U4534", "redirect.deleted")
    /// An identifier that leads elsewhere already.
    public static let redirectTaken = DiagnosticCode("U4535", "redirect.taken")
    /// There is no redirect or tombstone to take back.
    public static let redirectNone = DiagnosticCode("U4536", "redirect.none")

    static let redirects: [DiagnosticCode] = [
        redirectIdentifier, redirectOntoItself, redirectWouldLoop, redirectTooLong, redirectDeleted, redirectTaken,
        redirectNone,
    ]
}
