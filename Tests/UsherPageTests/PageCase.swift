import Testing
import UsherJSON
import UsherPage
import UsherScene

/// A page, and what is read of it.
struct PageCase: CustomTestStringConvertible, Sendable {
    var name: String
    var page: String
    var url: String?
    /// The attributes of each item, as JSON; members may be left out.
    var items: [String]
    var findings: [String] = []

    var testDescription: String { name }

    init(_ name: String, _ page: String, url: String? = nil, _ items: [String], _ findings: [String] = []) {
        self.name = name
        self.page = page
        self.url = url
        self.items = items
        self.findings = findings
    }

    /// A page with one block of JSON-LD.
    static func linked(_ json: String) -> String { #"<script type="application/ld+json">\#(json)</script>"# }

    /// A block of schema.org with these members.
    static func block(_ members: String) -> String { linked(#"{"@context":"https://schema.org",\#(members)}"#) }

    static func read(_ page: String, url: String? = nil) -> Page { Page(Array(page.utf8), url: url) }
}

extension Page {
    var attributes: [String] { items.map { JSONValue.object($0.attributes).text() } }
    var findingNames: [String] { findings.map(\.code.name) }
}
