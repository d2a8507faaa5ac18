internal import UsherJSON
internal import UsherText

/// Reads blocks of JSON-LD (https://www.w3.org/TR/json-ld11/) whose context is schema.org, as far as items need it.
struct LinkedDataReader {
    private(set) var graph = PageGraph()
    private(set) var findings: [PageFinding] = []
    private let base: URLReference?
    private var block = 0
    private var objects = 0
    /// How many bytes relative ids may become longer by being resolved: very many could be against a long address.
    private var room = 4 << 20

    private static let deepest = 64

    init(base: URLReference?) { self.base = base }

    /// Parses a block, also in the `<!--` and `-->` that hid scripts from browsers of old.
    ///
    /// - Parameter block: its number.
    static func parse(_ text: ArraySlice<UInt8>, block: Int) throws(PageFinding) -> JSONValue {
        var json = trimmed(text)
        if json.starts(with: "<!--".utf8) { json = json.dropFirst(4) }
        if json.count >= 3, json.suffix(3).elementsEqual("-->".utf8) { json = json.dropLast(3) }
        do throws(JSONError) {
            return try JSONValue(parsing: Array(trimmed(json)), maximumDepth: deepest, allowsRepeatedNames: true)
        } catch {
            throw error.code == .depth
                ? PageFinding(.pageTooDeep, "the JSON-LD block has more than \(deepest) levels", block: block)
                : PageFinding(.pageJSON, "the JSON-LD block is no JSON: \(error.message)", block: block)
        }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> { text.trimmed(" \t\n\u{B}\u{C}\r") }

    /// Reads the next block, or its text.
    mutating func read(_ value: JSONValue) {
        block += 1
        do throws(PageFinding) {
            read(
                block: try value.string.map { text throws(PageFinding) in
                    try LinkedDataReader.parse(Array(text.utf8)[...], block: block)
                } ?? value)
        } catch {
            findings.append(error)
        }
    }

    // MARK: Nodes

    private mutating func read(block top: JSONValue) {
        let objects = top.elements ?? [top]
        var hasContext = !objects.isEmpty
        for object in objects {
            if LinkedDataReader.isSchema(LinkedDataReader.last("@context", in: object)) {
                _ = values(object)
            } else {
                hasContext = false
            }
        }
        guard !hasContext else { return }
        let what = top.elements == nil ? "the JSON-LD block has" : "a part of the JSON-LD block has"
        findings.append(PageFinding(.pageContext, "\(what) no @context of https://schema.org", block: block))
    }

    private static func isSchema(_ context: JSONValue?) -> Bool {
        switch context {
        case .string(let text): SchemaName.isContext(text)
        case .array(let elements): elements.contains { isSchema($0) }
        case .object: last("@vocab", in: context!).map { SchemaName.isContext($0.string ?? "") } ?? false
        default: false
        }
    }

    private static func last(_ name: String, in object: JSONValue) -> JSONValue? {
        object.members?.last { $0.name == name }?.value
    }

    /// The values that a JSON value stands for; nodes become part of the graph. At most 64 levels deep.
    private mutating func values(_ value: JSONValue) -> [PageValue] {
        switch value {
        case .null, .boolean: return []
        case .string(let text): return [.text(text)]
        case .number(let digits): return [.number(digits)]
        case .array(let elements): return elements.flatMap { values($0) }
        case .object(let members):
            for name in ["@value", "@list", "@set"] {
                if let inner = LinkedDataReader.last(name, in: value) { return values(inner) }
            }
            return node(members)
        }
    }

    private mutating func node(_ members: [JSONValue.Member]) -> [PageValue] {
        let id = members.last { $0.name == "@id" }?.value.string.flatMap { self.id($0) }
        let facts = members.filter { $0.name != "@id" && $0.name != "@context" }
        if let id, facts.isEmpty { return [.reference(id)] }
        // A graph has no facts of its own.
        if !facts.isEmpty, facts.allSatisfy({ $0.name == "@graph" }) {
            return facts.flatMap { values($0.value) }
        }
        var index = graph.nodes.count
        if let id, let known = graph.ids[id] {
            index = known
        } else {
            graph.nodes.append(PageNode(block: block, id: id.flatMap { $0.hasPrefix("_:") ? nil : $0 }))
            if let id { graph.ids[id] = index }
        }
        // What earlier objects of the same id say is kept; the names that this one has twice are one property of it.
        objects += 1
        let object = objects
        let hasTypes = !graph.nodes[index].types.isEmpty
        // Of members with the same name the last one counts, as for every reader of JSON.
        let last = Dictionary(facts.indices.map { (facts[$0].name, $0) }, uniquingKeysWith: max)
        for (position, member) in facts.enumerated() where last[member.name] == position {
            if member.name == "@type" {
                guard !hasTypes else { continue }
                let types = member.value.elements ?? [member.value]
                graph.nodes[index].types += types.compactMap { $0.string.map { SchemaName.local($0) } }
                continue
            }
            let values = values(member.value)
            guard !member.name.hasPrefix("@") else { continue }
            add(values, to: SchemaName.local(member.name), of: index, object)
        }
        return [.node(index)]
    }

    private mutating func add(_ values: [PageValue], to name: String, of node: Int, _ object: Int) {
        guard let position = graph.nodes[node].position(name) else {
            return graph.nodes[node].append(PageNode.Property(name: name, values: values, object: object))
        }
        if graph.nodes[node].properties[position].object == object {
            graph.nodes[node].properties[position].values += values
        } else {
            graph.nodes[node].properties[position].others += values
        }
    }

    /// An id as it is compared: resolved. What is called `_:` is so in one block only.
    private mutating func id(_ text: String) -> String? {
        if text.hasPrefix("_:") { return "\(text) \(block)" }
        guard room > 0 else { return text }
        guard let id = URLReference.resolve(text, against: base) else { return text.isEmpty ? nil : text }
        room -= max(id.utf8.count - text.utf8.count, 0)
        return id
    }
}
