public import UsherScene

// U83xx: contacts.
extension DiagnosticCode {
    /// A card has no version, or one that is not read: 2.1, 3.0 and 4.0 are.
    /// Remedy: let the program that made the file export vCard 3.0 or 4.0.
    public static let vcardVersion = DiagnosticCode("U8300", "vcard.version")
    /// A card has no `END:VCARD` before the next one begins, or before the end of the file.
    /// Remedy: export it again; the file was cut, or a card stands within another one.
    public static let vcardUnterminated = DiagnosticCode("U8301", "vcard.unterminated")
    /// A card names no person and no organization: no `FN`, `N`, `NICKNAME` and `ORG`.
    /// Remedy: give the contact a name in its address book.
    public static let vcardNoName = DiagnosticCode("U8302", "vcard.no-name")
    /// The file has no `BEGIN:VCARD`.
    /// Remedy: give a file of contacts: `.vcf`.
    public static let vcardNone = DiagnosticCode("U8303", "vcard.none")
}
