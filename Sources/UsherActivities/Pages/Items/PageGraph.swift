internal import UsherText

/// What a page says of one thing.
struct PageNode {
    struct Property {
        var name: String
        var values: [PageValue]
        /// What other nodes of the same `@id` say of it: it is not read, but belongs to this node all the same.
        var others: [PageValue] = []
        /// Which object of the document said it first.
        var object: Int
    }

    /// From 1: the first block that says something of it.
    var block: Int
    /// nil also of a node that is named within its block only (`_:`).
    var id: String?
    var types: [String] = []
    var properties: [Property] = []
    /// Where each property is, once there are many.
    private var positions: [String: Int] = [:]

    private static let few = 12

    init(block: Int, id: String?) {
        self.block = block
        self.id = id
    }

    func property(_ name: String) -> Property? { position(name).map { properties[$0] } }

    func position(_ name: String) -> Int? {
        guard properties.count > PageNode.few else {
            return properties.firstIndex { $0.name.hasSameBytes(as: name) }
        }
        return positions[name]
    }

    mutating func append(_ property: Property) {
        properties.append(property)
        guard properties.count > PageNode.few else { return }
        if positions.isEmpty {
            for (index, property) in properties.enumerated() where positions[property.name] == nil {
                positions[property.name] = index
            }
        } else if positions[property.name] == nil {
            positions[property.name] = properties.count - 1
        }
    }
}

/// One value of a property.
enum PageValue {
    case text(String)
    /// The digits as written.
    case number(String)
    /// A node that stands here.
    case node(Int)
    /// A node that stands elsewhere, by its id.
    case reference(String)
}

/// The nodes of a page in document order, and how they refer to each other.
struct PageGraph {
    var nodes: [PageNode] = []
    /// The nodes that have an id.
    var ids: [String: Int] = [:]

    /// The node that a value is or refers to.
    func node(_ value: PageValue) -> Int? {
        switch value {
        case .node(let index): index
        case .reference(let id): ids[id]
        case .text, .number: nil
        }
    }

    func values(_ name: String, of node: Int) -> [PageValue] { nodes[node].property(name)?.values ?? [] }
}

/// Names of schema.org.
enum SchemaName {
    /// A name of a property or type without `http(s)://schema.org/` or `schema:`.
    static func local(_ name: String) -> String {
        let text = name.utf8
        guard text.contains(UInt8(ascii: ":")) else { return name }
        let rest = text.starts(with: "schema:".utf8) ? text.dropFirst(7) : afterHost(text)?.dropSlash
        guard let rest, !rest.isEmpty else { return name }
        return String(Substring(rest))
    }

    /// Whether a context is schema.org's.
    static func isContext(_ text: String) -> Bool {
        guard let rest = afterHost(text.whiteSpaceCollapsed.lowercased().utf8) else { return false }
        return rest.isEmpty || rest.elementsEqual("/".utf8)
    }

    private static func afterHost(_ text: String.UTF8View) -> Substring.UTF8View? {
        for scheme in ["https://", "http://"] where text.starts(with: scheme.utf8) {
            var rest = text.dropFirst(scheme.utf8.count)
            if rest.starts(with: "www.".utf8) { rest = rest.dropFirst(4) }
            return rest.starts(with: "schema.org".utf8) ? rest.dropFirst(10) : nil
        }
        return nil
    }
}

extension Substring.UTF8View {
    /// What follows the slash at the beginning; nil where there is none.
    fileprivate var dropSlash: Substring.UTF8View? { first == UInt8(ascii: "/") ? dropFirst() : nil }
}
