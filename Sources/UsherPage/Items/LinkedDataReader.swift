internal import UsherJSON

/// Reads blocks of JSON-LD (https://www.w3.org/TR/json-ld11/) whose context is schema.org, as far as items need it.
struct LinkedDataReader {
    private(set) var graph = PageGraph()
    private(set) var findings: [PageFinding] = []
    private let base: String?
    private var block = 0
    private var offset = 0

    private static let blockLimit = 1 << 20
    private static let deepest = 64

    init(base: String?) { self.base = base }

    /// Reads a block.
    ///
    /// - Parameter offset: of the block, from the start of the page.
    mutating func read(_ text: ArraySlice<UInt8>, offset: Int) {
        self.offset = offset
        block += 1
        guard text.count <= LinkedDataReader.blockLimit else {
            findings.append(
                PageFinding(
                    .pageBlockTooLarge, "the JSON-LD block has \(text.count) bytes: more than 1 MiB is not read",
                    at: offset))
            return
        }
        // Wrong bytes become U+FFFD here.
        let json = Array(String(decoding: LinkedDataReader.withoutComment(text), as: UTF8.self).utf8)
        do throws(JSONError) {
            try read(JSONValue(parsing: json, maximumDepth: LinkedDataReader.deepest, allowsRepeatedNames: true))
        } catch {
            let finding =
                error.code == .depth
                ? PageFinding(
                    .pageTooDeep, "the JSON-LD block has more than \(LinkedDataReader.deepest) levels", at: offset)
                : PageFinding(.pageJSON, "the JSON-LD block is no JSON: \(error.message)", at: offset)
            findings.append(finding)
        }
    }

    /// Without the `<!--` and `-->` that hid scripts from browsers of old.
    private static func withoutComment(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            var text = text.drop(while: HTMLTokenizer.isSpace)
            while let last = text.last, HTMLTokenizer.isSpace(last) { text.removeLast() }
            return text
        }
        var text = trimmed(text)
        if text.starts(with: "<!--".utf8) { text = text.dropFirst(4) }
        if text.count >= 3, text.suffix(3).elementsEqual("-->".utf8) { text = text.dropLast(3) }
        return trimmed(text)
    }

    // MARK: Nodes

    private mutating func read(_ top: JSONValue) {
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
        findings.append(PageFinding(.pageContext, "\(what) no @context of https://schema.org", at: offset))
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
            graph.nodes.append(PageNode(syntax: .jsonLD, offset: offset, id: id))
            if let id { graph.ids[id] = index }
        }
        // What earlier nodes of the same id say is kept; the names that this one has twice are one property of it.
        let known = Set(graph.nodes[index].properties.map(\.name))
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
            add(values, to: SchemaName.local(member.name), of: index, known)
        }
        return [.node(index)]
    }

    private mutating func add(_ values: [PageValue], to name: String, of node: Int, _ known: Set<String>) {
        guard let position = graph.nodes[node].position(name) else {
            return graph.nodes[node].append(PageNode.Property(name: name, values: values))
        }
        if known.contains(name) {
            graph.nodes[node].properties[position].others += values
        } else {
            graph.nodes[node].properties[position].values += values
        }
    }

    /// An id as it is compared: resolved. What is called `_:` is so in one block only.
    private func id(_ text: String) -> String? {
        if text.hasPrefix("_:") { return "\(text) \(block)" }
        return URLReference.resolve(text, against: base) ?? (text.isEmpty ? nil : text)
    }
}
