internal import UsherActivities
internal import UsherText

/// A link to a place in a page by the text that is there: `https://wiki.example/a#:~:text=the%20text`.
///
/// - SeeAlso: the URL Fragment Text Directives specification (WICG).
enum TextFragment {
    /// Longer texts are named by their first and last words.
    private static let wholeLimit = 100
    private static let wordCount = 5

    /// The address of the place in a page; nil where the selected text names none.
    static func address(of page: String, selection: String) -> String? {
        guard let directive = directive(selection) else { return nil }
        let page = PageActivities.withoutDirective(page)
        return page + (page.utf8.contains(UInt8(ascii: "#")) ? ":~:" : "#:~:") + directive
    }

    private static func directive(_ selection: String) -> String? {
        // A text that goes over blocks of the page is no single text there.
        let lines = selection.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.map { words(String($0)) }.filter {
            !$0.isEmpty
        }
        guard let first = lines.first, let last = lines.last else { return nil }
        let whole = first.joined(separator: " ")
        if lines.count == 1, whole.utf8.count <= wholeLimit { return "text=" + encoded(whole) }
        if lines.count == 1, first.count <= 2 * wordCount {
            // Too few words for a beginning and an end that do not overlap.
            return "text=" + encoded(whole)
        }
        let start = first.prefix(wordCount).joined(separator: " ")
        let end = last.suffix(wordCount).joined(separator: " ")
        return "text=\(encoded(start)),\(encoded(end))"
    }

    private static func words(_ text: String) -> [String] {
        text.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
    }

    /// Percent-encoded; a hyphen too, which has a meaning in the directive.
    private static func encoded(_ text: String) -> String {
        PercentEncoding.encode(text.utf8) { $0 != UInt8(ascii: "-") && PercentEncoding.isUnreserved($0) }
    }
}
