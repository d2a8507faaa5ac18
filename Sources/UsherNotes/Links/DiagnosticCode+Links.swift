public import UsherScene

// U452x: links.
extension DiagnosticCode {
    /// There is no such link.
    /// Remedy: see `usher link list`.
    public static let linkUnknown = DiagnosticCode("U4520", "link.no-such-link")
    /// The activity has no identifier: nothing would lead back to it.
    /// Remedy: the app has to give it one of the three.
    public static let linkNoIdentifier = DiagnosticCode("U4521", "link.no-identifier")
    /// It is not said what the link leads to, or it is said twice.
    /// Remedy: one of `--target`, `--activity` and `--from-current`.
    public static let linkSource = DiagnosticCode("U4523", "link.source")
    /// There is no such app.
    /// Remedy: see the suggestion.
    public static let linkApp = DiagnosticCode("U4524", "link.no-such-app")
    /// The file that a link leads to is not at its path any more, and may be elsewhere.
    /// Remedy: `usher link open LINK --follow`, or `usher content moved OLD NEW` with one of `moved_to`.
    public static let fileMoved = DiagnosticCode("U4525", "file.moved")
    /// The file that a link leads to is not at its path any more, and was not found below the nearest folder that exists.
    /// Remedy: `usher content moved OLD NEW` says where it is.
    public static let fileGone = DiagnosticCode("U4526", "file.gone")

    // U456x: menus.

    /// The program that is to show a menu was not found, or cannot be run.
    /// Remedy: name one that reads lines and writes the chosen one, such as `fzf`, `rofi -dmenu` and `dmenu`.
    public static let menuProgram = DiagnosticCode("U4560", "menu.program")
}
