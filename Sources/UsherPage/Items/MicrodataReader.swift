/// Makes nodes of elements with microdata (https://html.spec.whatwg.org/multipage/microdata.html).
struct MicrodataReader {
    private let elements: [MicrodataElement]
    private let identities: [Int: MicrodataElement.Identity]
    private let text: [UInt8]
    /// The innermost item around each element; -1 is none.
    private var scopes: [Int32] = []
    /// The first element of each id.
    private var ids: [String: Int] = [:]
    /// How many more elements may be reached by references: a page can make very many of few.
    private var budget = 200_000

    /// Adds the items of a page behind the nodes that are there.
    static func add(_ page: PageReader, base: String?, to graph: inout PageGraph) {
        guard page.elements.contains(where: \.isScope) else { return }
        var reader = MicrodataReader(page)
        reader.add(base: base, to: &graph)
    }

    private init(_ page: PageReader) {
        elements = page.elements
        identities = page.identities
        text = page.text
        scopes.reserveCapacity(elements.count)
        for element in elements {
            let parent = Int(element.parent)
            scopes.append(parent < 0 ? -1 : elements[parent].isScope ? element.parent : scopes[parent])
        }
        for (index, identity) in identities {
            if let id = identity.id { ids[id] = min(index, ids[id] ?? index) }
        }
    }

    private mutating func add(base: String?, to graph: inout PageGraph) {
        var nodes = [Int32](repeating: -1, count: elements.count)
        for (index, element) in elements.enumerated() where element.isScope {
            nodes[index] = Int32(graph.nodes.count)
            let id = identities[index]?.itemID.flatMap { URLReference.resolve($0, against: base) }
            var node = PageNode(syntax: .microdata, offset: element.offset, id: id)
            node.types = element.types.map { SchemaName.local($0) }
            graph.nodes.append(node)
        }
        for (index, element) in elements.enumerated() {
            if !element.names.isEmpty, scopes[index] >= 0, references(of: Int(scopes[index])).isEmpty {
                add(index, to: Int(nodes[Int(scopes[index])]), nodes, &graph)
            }
            guard element.isScope, !references(of: index).isEmpty else { continue }
            for property in properties(of: index) { add(property, to: Int(nodes[index]), nodes, &graph) }
        }
    }

    private func references(of item: Int) -> [String] { identities[item]?.references ?? [] }

    private func add(_ property: Int, to node: Int, _ nodes: [Int32], _ graph: inout PageGraph) {
        let element = elements[property]
        let value: PageValue
        if element.isScope {
            value = .node(Int(nodes[property]))
        } else {
            value = .text(element.value ?? String(decoding: text[element.text], as: UTF8.self))
        }
        for name in element.names { graph.nodes[node].add(value, to: SchemaName.local(name)) }
    }

    /// The properties of an item that refers to other elements, in document order.
    private mutating func properties(of item: Int) -> [Int] {
        var found = Set<Int>()
        add(below: item, scope: Int32(item), to: &found)
        for id in references(of: item) {
            guard let element = ids[id], element != item else { continue }
            if !elements[element].names.isEmpty { found.insert(element) }
            if !elements[element].isScope { add(below: element, scope: scopes[element], to: &found) }
        }
        return found.sorted()
    }

    /// Adds the properties below an element that are no properties of items below it.
    private mutating func add(below element: Int, scope: Int32, to found: inout Set<Int>) {
        var index = element + 1
        while index < elements.count, Int(elements[index].parent) >= element, budget > 0 {
            if scopes[index] == scope, !elements[index].names.isEmpty { found.insert(index) }
            budget -= 1
            index += 1
        }
    }
}
