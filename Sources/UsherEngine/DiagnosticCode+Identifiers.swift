public import UsherScene

// U457x: ids of notes, links, activities and deliveries that are given short.
extension DiagnosticCode {
    /// What was given is the beginning of several ids.
    /// Remedy: give more characters of the one that is meant.
    public static let idAmbiguous = DiagnosticCode("U4570", "id.ambiguous")
    /// A number stands for the row of a list, and no list of that kind was printed on a terminal.
    /// Remedy: print one first, as with `usher note list`.
    public static let idNoList = DiagnosticCode("U4571", "id.no-list")
    /// The last list has fewer rows than the number says.
    /// Remedy: give the number of one of its rows, or print another list.
    public static let idRow = DiagnosticCode("U4572", "id.row")

    // U452x: links. The others are in UsherNotes.

    /// An identifier is empty, longer than 16 KiB, has a NUL, or is no web address where one is needed.
    /// Remedy: see the message.
    public static let linkIdentifier = DiagnosticCode("U4522", "link.identifier")
}
