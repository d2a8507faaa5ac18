public import UsherJSON
public import UsherScene
internal import UsherText

/// The places and persons that a web page names in JSON-LD of schema.org.
public struct Page: Sendable {
    /// The page's address: the one that was given, else the document's own.
    public let url: String?
    /// nil where it has none.
    public let title: String?
    /// In document order; at most 100.
    public let items: [PageItem]
    /// What was not read, in document order; at most 100.
    public let findings: [PageFinding]

    /// The longest document that should be given, in bytes.
    public static let sizeLimit = 16 << 20
    private static let findingLimit = 100

    /// Reads JSON-LD, or what the browser extension says of a page: an object with `data`, an array of blocks of JSON-LD or of their
    /// texts, and where they are known `url`, `title`, `base` and `partial`. O(its size); nothing that it refers to is fetched.
    ///
    /// - Parameter url: the page's absolute address, against which relative ones are resolved.
    public init(_ text: [UInt8], url: String? = nil) {
        let document: JSONValue
        do throws(PageFinding) {
            document = try LinkedDataReader.parse(text[...], block: 1)
        } catch {
            self.init([], size: 0, url: url, findings: [error])
            return
        }
        guard document["@context"] == nil, let data = document["data"]?.elements else {
            self.init([document], size: text.count, url: url)
            return
        }
        let address = document["url"]?.string.flatMap { URLReference.isAbsolute($0) ? $0 : nil }
        self.init(
            data, size: text.count, url: url ?? address, title: document["title"]?.string,
            base: document["base"]?.string, isPartial: document["partial"]?.boolean ?? false)
    }

    /// Reads what the browser extension says of a page.
    ///
    /// - Parameters:
    ///   - data: texts of blocks of JSON-LD.
    ///   - isPartial: whether the page has more than was read of it.
    public init(data: [String], url: String, title: String?, base: String?, isPartial: Bool) {
        self.init(
            data.map { .string($0) }, size: data.reduce(0) { $0 + $1.utf8.count }, url: url, title: title, base: base,
            isPartial: isPartial)
    }

    private init(
        _ data: [JSONValue], size: Int, url: String?, title: String? = nil, base: String? = nil,
        isPartial: Bool = false,
        findings: [PageFinding] = []
    ) {
        let address = url.flatMap { URLReference($0) }
        let base = base.flatMap { URLReference.resolve($0, against: address) }.flatMap { URLReference($0) } ?? address
        let title = title.map(\.whiteSpaceCollapsed).flatMap { $0.isEmpty ? nil : $0 }
        var linked = LinkedDataReader(base: base)
        for block in data { linked.read(block) }
        var reader = ItemReader(linked.graph, title: title, base: base, size: size)
        reader.read()
        var findings = findings + linked.findings + reader.findings
        if isPartial {
            findings.append(
                PageFinding(.pageTooMany, "the page has more data than a browser reads at once", block: data.count))
        }
        self.url = url
        self.title = title
        items = reader.items
        let sorted = findings.enumerated().sorted { ($0.element.block, $0.offset) < ($1.element.block, $1.offset) }
        self.findings = sorted.prefix(Page.findingLimit).map(\.element)
    }

    /// Whether a text is an absolute address.
    public static func isAbsolute(_ url: String) -> Bool { URLReference.isAbsolute(url) }

    /// What an activity that shows the page gets: the attributes of the first item with an address or coordinates, else of
    /// the first item; nil where there is none.
    ///
    /// They have a name, which attributes must have: that of the item, else its street or city, else the page's address.
    public var activityAttributes: [JSONValue.Member]? {
        guard let item = items.first(where: \.isPlace) ?? items.first else { return nil }
        func text(_ name: String) -> String? { item.attributes.first { $0.name == name }?.value.string }
        let names = item.isPlace ? ["namedLocation"] : ["namedLocation", "displayName", "givenName", "familyName"]
        guard !names.contains(where: { text($0) != nil }) else { return item.attributes }
        let name = ["displayName", "fullThoroughfare", "city"].lazy.compactMap { text($0) }.first ?? url
        return name.map { [.init("namedLocation", .string($0))] + item.attributes }
    }

    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("url", url)
        json.member("title", title)
        json.member("items", objects: items) { json, item in
            json.member("types", item.types)
            json.member("url", item.url)
            json.member("attributes", .object(item.attributes))
        }
        json.member("findings", objects: findings) { json, finding in
            json.member("code", finding.code.code)
            json.member("name", finding.code.name)
            json.member("message", finding.message)
            json.member("block", finding.block)
        }
        json.endObject()
    }
}

/// What of a page was not read, and why.
public struct PageFinding: Error, Sendable {
    public let code: DiagnosticCode
    /// One sentence without a full stop.
    public let message: String
    /// From 1: the block of JSON-LD.
    public let block: Int

    init(_ code: DiagnosticCode, _ message: String, block: Int) {
        self.code = code
        self.message = message
        self.block = block
    }
}
