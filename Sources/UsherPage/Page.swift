public import UsherJSON
public import UsherScene

/// The places and persons that a web page names in JSON-LD and microdata of schema.org.
public struct Page: Sendable {
    /// The address that the page was given with.
    public let url: String?
    /// The text of its `<title>`; nil where it has none.
    public let title: String?
    public let encoding: PageEncoding
    /// In document order, JSON-LD before microdata; at most 100.
    public let items: [PageItem]
    /// What was not read, in document order.
    public let findings: [PageFinding]

    /// The longest page that should be given, in bytes.
    public static let sizeLimit = 16 << 20

    /// Reads a page. O(its size); nothing that it refers to is fetched.
    ///
    /// - Parameters:
    ///   - bytes: in the encoding that they declare, else UTF-8.
    ///   - url: the page's absolute address, against which relative ones are resolved.
    public init(_ bytes: [UInt8], url: String? = nil) {
        let declaration = EncodingDeclaration(bytes)
        let text = declaration.encoding.decode(bytes)
        let reader = PageReader.read(text, from: declaration.markLength)
        let base = reader.base.flatMap { URLReference.resolve($0, against: url) } ?? url
        let title = reader.title.map { WhiteSpace.collapsed($0) }.flatMap { $0.isEmpty ? nil : $0 }

        var linked = LinkedDataReader(base: base)
        for block in reader.blocks { linked.read(text[block.text], offset: block.offset) }
        var graph = linked.graph
        MicrodataReader.add(reader, base: base, to: &graph)
        var items = ItemReader(graph, title: title, base: base)
        items.read()

        var findings = linked.findings + items.findings
        if let (label, offset) = declaration.unread {
            findings.append(
                PageFinding(.pageEncoding, "the encoding \(label) is not read: the page is taken for UTF-8", at: offset)
            )
        }
        self.url = url
        self.title = title
        encoding = declaration.encoding
        self.items = items.items
        self.findings = PageFinding.placed(findings, in: text)
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
        json.member("encoding", encoding.rawValue)
        json.beginArray("items")
        for item in items { item.write(to: &json) }
        json.endArray()
        json.beginArray("findings")
        for finding in findings { finding.write(to: &json) }
        json.endArray()
        json.endObject()
    }
}

/// What of a page was not read, and why.
public struct PageFinding: Sendable {
    public let code: DiagnosticCode
    /// One sentence without a full stop.
    public let message: String
    /// From 1: where the block, element or declaration begins.
    public private(set) var line = 1
    private let offset: Int

    init(_ code: DiagnosticCode, _ message: String, at offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    /// In document order, with their lines.
    static func placed(_ findings: [PageFinding], in page: [UInt8]) -> [PageFinding] {
        var line = 1
        var position = 0
        let sorted = findings.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
        return sorted.map { _, finding in
            while position < finding.offset {
                let byte = page[position]
                position += 1
                // A line ends with CR LF, LF or CR.
                if byte == 0x0A || (byte == 0x0D && (position == page.count || page[position] != 0x0A)) { line += 1 }
            }
            var finding = finding
            finding.line = line
            return finding
        }
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("code", code.code)
        json.member("name", code.name)
        json.member("message", message)
        json.member("line", line)
        json.endObject()
    }
}
