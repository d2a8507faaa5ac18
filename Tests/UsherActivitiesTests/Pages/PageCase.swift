import Testing
import UsherJSON
import UsherScene

@testable import UsherActivities

/// What a page has for programs, and what is read of it.
struct PageCase: CustomTestStringConvertible, Sendable {
    var name: String
    /// Texts of JSON-LD.
    var data: [String]
    var title: String?
    var base: String?
    var url: String?
    /// The attributes of each item, as JSON; members may be left out.
    var items: [String]
    var findings: [String]

    var testDescription: String { name }

    init(
        _ name: String, _ data: [String], title: String? = nil, base: String? = nil, url: String? = nil,
        _ items: [String], _ findings: [String] = []
    ) {
        self.name = name
        self.data = data
        self.title = title
        self.base = base
        self.url = url
        self.items = items
        self.findings = findings
    }

    init(
        _ name: String, _ block: String, title: String? = nil, base: String? = nil, url: String? = nil,
        _ items: [String], _ findings: [String] = []
    ) {
        self.init(name, [block], title: title, base: base, url: url, items, findings)
    }

    /// A page with one block of schema.org with these members.
    static func item(
        _ name: String, _ members: String, title: String? = nil, base: String? = nil, url: String? = nil,
        _ items: [String], _ findings: [String] = []
    ) -> PageCase {
        PageCase(name, block(members), title: title, base: base, url: url, items, findings)
    }

    /// A block of schema.org with these members.
    static func block(_ members: String) -> String { #"{"@context":"https://schema.org",\#(members)}"# }

    /// As the extension says what microdata there is: each item by itself, and those in it by their names.
    static func graph(_ nodes: String...) -> String { block(#""@graph":[\#(nodes.joined(separator: ","))]"#) }

    var page: Page { Page.read(data, url: url, title: title, base: base) }
}

extension Page {
    /// As usherd and `usher page inspect` read it, which must be the same.
    static func read(_ data: [String], url: String? = nil, title: String? = nil, base: String? = nil) -> Page {
        let members: [JSONValue.Member] = [
            .init("data", .array(data.map { .string($0) })), .init("url", url.map { .string($0) } ?? .null),
            .init("title", title.map { .string($0) } ?? .null), .init("base", base.map { .string($0) } ?? .null),
        ]
        let page = Page(Array(JSONValue.object(members).text().utf8))
        if let url {
            let other = Page(data: data, url: url, title: title, base: base, isPartial: false)
            #expect(page.attributes == other.attributes && page.findingNames == other.findingNames)
        }
        return page
    }

    var attributes: [String] { items.map { JSONValue.object($0.attributes).text() } }
    var findingNames: [String] { findings.map(\.code.name) }
}
