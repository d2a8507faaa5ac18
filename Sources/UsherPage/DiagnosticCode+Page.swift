public import UsherScene

// U81xx: structured data of web pages.
extension DiagnosticCode {
    /// A JSON-LD block is no JSON: it is not read, the others are.
    /// Remedy: correct the block; the message says what stands in the way.
    public static let pageJSON = DiagnosticCode("U8101", "page.json")
    /// A JSON-LD block, or a part of it, has no `@context` of schema.org: it is not read.
    /// Remedy: give it `"@context": "https://schema.org"`.
    public static let pageContext = DiagnosticCode("U8102", "page.context")
    /// A JSON-LD block has more than 1 MiB: it is not read.
    /// Remedy: divide it into several.
    public static let pageBlockTooLarge = DiagnosticCode("U8103", "page.block-too-large")
    /// A latitude or longitude is no number, or out of range: both are left out.
    /// Remedy: give degrees as decimal numbers.
    public static let pageCoordinate = DiagnosticCode("U8104", "page.coordinate")
    /// A JSON-LD block has more than 64 levels: it is not read.
    /// Remedy: let nodes refer to each other by `@id`.
    public static let pageTooDeep = DiagnosticCode("U8105", "page.too-deep")
    /// The page has more than 100 items: the first 100 are read.
    /// Remedy: none is needed.
    public static let pageTooMany = DiagnosticCode("U8106", "page.too-many")
    /// The page's encoding is none of UTF-8, windows-1252 and ISO-8859-2: it is read as UTF-8.
    /// Remedy: convert the page to UTF-8.
    public static let pageEncoding = DiagnosticCode("U8107", "page.encoding")
    /// The page has more than 16 MiB.
    /// Remedy: give the part of it that has the structured data.
    public static let pageTooLarge = DiagnosticCode("U8108", "page.too-large")
    /// A warning: the page of an activity has no item, so that the activity gets no attributes from it.
    /// Remedy: none is needed; `usher page inspect` shows what is read.
    public static let pageNoItem = DiagnosticCode("U8109", "page.no-item")
}
