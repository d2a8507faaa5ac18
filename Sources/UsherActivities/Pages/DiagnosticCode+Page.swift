public import UsherScene

// U81xx: structured data of web pages.
extension DiagnosticCode {
    /// A JSON-LD block is no JSON: it is not read, the others are.
    /// Remedy: correct the block; the message says what stands in the way.
    public static let pageJSON = DiagnosticCode("U8101", "page.json")
    /// A JSON-LD block, or a part of it, has no `@context` of schema.org: it is not read.
    /// Remedy: give it `"@context": "https://schema.org"`.
    public static let pageContext = DiagnosticCode("U8102", "page.context")
    /// A latitude or longitude is no number, or out of range: both are left out.
    /// Remedy: give degrees as decimal numbers.
    public static let pageCoordinate = DiagnosticCode("U8104", "page.coordinate")
    /// A JSON-LD block has more than 64 levels: it is not read.
    /// Remedy: let nodes refer to each other by `@id`.
    public static let pageTooDeep = DiagnosticCode("U8105", "page.too-deep")
    /// The page has more than 100 items, or more data than a browser reads at once: the first of it is read.
    /// Remedy: none is needed.
    public static let pageTooMany = DiagnosticCode("U8106", "page.too-many")
    /// The document about a page has more than 16 MiB.
    /// Remedy: give the part of it that names the place or person.
    public static let pageTooLarge = DiagnosticCode("U8108", "page.too-large")
    /// A warning: the page of an activity has no item, so that the activity gets no attributes from it.
    /// Remedy: none is needed; `usher page inspect` shows what is read.
    public static let pageNoItem = DiagnosticCode("U8109", "page.no-item")
}
