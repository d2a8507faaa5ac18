internal import UsherJSON
internal import UsherText

/// Finds the nodes that are items, and makes attributes of what belongs to each.
///
/// A page may let very many nodes refer to one. So what a node says is found once for each node (`Facts`), and what is put together
/// for items is limited by the size of the page.
struct ItemReader {
    private(set) var items: [PageItem] = []
    private(set) var findings: [PageFinding] = []
    private let graph: PageGraph
    private let title: String?
    private let base: URLReference?
    /// Of each node.
    private var facts: [Facts] = []
    /// How many nodes may be put together into items, and bytes of attributes be written.
    private var budget: Int

    private typealias Coordinate = (latitude: Double, longitude: Double)

    private static let limit = 100
    /// What stands in these belongs to the node.
    private static let owning = ["address", "geo", "contactPoint"]
    /// How many nodes may belong to one item.
    private static let ownedLimit = 256

    /// - Parameter size: of what the graph was made of, in bytes.
    init(_ graph: PageGraph, title: String?, base: URLReference?, size: Int) {
        self.graph = graph
        self.title = title
        self.base = base
        budget = 4 * size + (64 << 10)
    }

    mutating func read() {
        readFacts()
        for node in graph.nodes.indices { checkCoordinates(node) }
        let isOwned = owned()
        var seen = Set<String>()
        for node in graph.nodes.indices where !isOwned[node] && isItem(node) {
            let item = item(node, ownedNodes(of: node))
            let text = JSONValue.object(item.attributes).text()
            budget -= text.utf8.count
            let isNew = seen.insert(text).inserted
            guard budget >= 0, !isNew || items.count < ItemReader.limit else {
                let message = "the page has more than \(items.count) items: only the first ones are read"
                return findings.append(PageFinding(.pageTooMany, message, block: graph.nodes[node].block))
            }
            if isNew { items.append(item) }
        }
    }

    // MARK: What nodes say

    /// What a node says of itself, whichever node refers to it.
    private struct Facts {
        var name: String?
        var coordinate: Coordinate?
        var phoneNumbers: [String] = []
        var emailAddresses: [String] = []
        /// As they are written.
        var url: String?
        var contentURL: String?
        /// The nodes in its `address`, `geo` and `contactPoint`, in order.
        var owned: [Int] = []
        /// As attributes.
        var place: [JSONValue.Member] = []
        var hasStreetOrCity = false
        /// The first usable value of its `address`.
        var address: Address?
        /// The same without addresses in addresses.
        var directAddress: Address?
        /// Of the first place in its `geo` that has one.
        var geo: Coordinate?
    }

    /// What an address is: a text, or a node with parts of one.
    private enum Address {
        case text(String)
        case node(Int)
    }

    /// Each step looks at every value once, and at what the step before found of the nodes that they refer to.
    private mutating func readFacts() {
        facts = graph.nodes.indices.map { ownFacts($0) }
        for node in graph.nodes.indices { facts[node].place = place(node) }
        for node in graph.nodes.indices {
            facts[node].geo = geo(node)
            facts[node].directAddress = address(of: node, isDirect: true)
        }
        for node in graph.nodes.indices { facts[node].address = address(of: node, isDirect: false) }
    }

    private func ownFacts(_ node: Int) -> Facts {
        var facts = Facts()
        facts.name = text("name", of: node)
        facts.coordinate = coordinate(of: node)
        facts.phoneNumbers = unique(graph.values("telephone", of: node).compactMap(phoneNumber))
        facts.emailAddresses = unique(graph.values("email", of: node).compactMap(emailAddress))
        facts.url = url("url", of: node)
        facts.contentURL = url("contentUrl", of: node)
        facts.hasStreetOrCity = ["streetAddress", "addressLocality"].contains { text($0, of: node) != nil }
        for property in graph.nodes[node].properties where ItemReader.owning.contains(property.name) {
            facts.owned += property.values.lazy.compactMap { graph.node($0) }.prefix(ItemReader.ownedLimit)
        }
        return facts
    }

    private func geo(_ node: Int) -> Coordinate? {
        graph.values("geo", of: node).lazy.compactMap { value in
            graph.node(value).flatMap { facts[$0].coordinate }
        }.first
    }

    private func address(of node: Int, isDirect: Bool) -> Address? {
        graph.values("address", of: node).lazy.compactMap { address($0, isDirect: isDirect) }.first
    }

    /// The address that a value is; nil where it says nothing.
    private func address(_ value: PageValue, isDirect: Bool) -> Address? {
        if let text = text(value) { return .text(text) }
        guard let node = graph.node(value) else { return nil }
        if !facts[node].place.isEmpty { return .node(node) }
        return isDirect ? nil : facts[node].directAddress
    }

    private func place(_ node: Int) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        let street = graph.values("streetAddress", of: node).compactMap { text($0) }
        if !street.isEmpty { members.append(.init("fullThoroughfare", .string(street.joined(separator: ", ")))) }
        let parts = [
            ("city", "addressLocality"), ("stateOrProvince", "addressRegion"), ("postalCode", "postalCode"),
            ("country", "addressCountry"),
        ]
        for (name, property) in parts {
            // A country may be a node, with a name; so are regions, now and then.
            let value = graph.values(property, of: node).lazy.compactMap { value in
                text(value) ?? graph.node(value).flatMap { facts[$0].name }
            }.first
            if let value { members.append(.init(name, .string(value))) }
        }
        return members
    }

    // MARK: Which nodes are items

    /// Whether it can be called, has a place, or is one.
    private func isItem(_ node: Int) -> Bool {
        let facts = facts[node]
        return facts.hasStreetOrCity || facts.coordinate != nil || !facts.phoneNumbers.isEmpty || facts.address != nil
            || facts.geo != nil
    }

    /// Which nodes belong to items. Each node is looked through at most twice: as an item, and as a part of one.
    private func owned() -> [Bool] {
        var owned = [Bool](repeating: false, count: graph.nodes.count)
        for root in graph.nodes.indices where !owned[root] && isItem(root) {
            var open = [root]
            while let node = open.popLast() {
                for property in graph.nodes[node].properties {
                    let isOwning = ItemReader.owning.contains(property.name)
                    guard isOwning || node != root else { continue }
                    for values in [property.values, property.others] {
                        for value in values {
                            guard let inner = graph.node(value), inner != root, !owned[inner],
                                isOwning || graph.nodes[inner].id == nil
                            else { continue }
                            owned[inner] = true
                            open.append(inner)
                        }
                    }
                }
            }
        }
        return owned
    }

    /// The nodes in its `address`, `geo` and `contactPoint`, in order.
    private mutating func ownedNodes(of node: Int) -> [Int] {
        var found: [Int] = []
        var seen: Set<Int> = [node]
        var open = [node]
        while let next = open.popLast(), found.count < ItemReader.ownedLimit, budget > 0 {
            if next != node { found.append(next) }
            budget -= 1 + facts[next].owned.count
            open += facts[next].owned.filter { seen.insert($0).inserted }.reversed()
        }
        return found
    }

    // MARK: Attributes

    private func item(_ node: Int, _ owned: [Int]) -> PageItem {
        let types = graph.nodes[node].types
        let isPerson = types.contains("Person")
        let facts = facts[node]
        let address = facts.address ?? .node(node)
        var attributes: [JSONValue.Member] = []
        func add(_ name: String, _ text: String?) {
            if let text { attributes.append(.init(name, .string(text))) }
        }
        var place: [JSONValue.Member] = []
        switch address {
        // Parts that stand in an address which is no item are the node's own, and said better than in its text.
        case .text where facts.place.first?.name == "fullThoroughfare": place = facts.place
        case .text(let text): place = [.init("fullThoroughfare", .string(text))]
        case .node(let index): place = self.facts[index].place
        }
        if let coordinate = coordinate(of: node, address) {
            place.append(.init("latitude", ItemReader.number(coordinate.latitude)))
            place.append(.init("longitude", ItemReader.number(coordinate.longitude)))
        }
        let numbers = unique(([node] + owned).flatMap { self.facts[$0].phoneNumbers })
        if !isPerson || !place.isEmpty {
            add("namedLocation", facts.name ?? text("legalName", of: node) ?? title)
        }
        attributes += place
        if !numbers.isEmpty {
            attributes.append(.init("phoneNumbers", .array(numbers.map { .string($0) })))
            attributes.append(.init("supportsPhoneCalls", true))
        }
        if !place.isEmpty { attributes.append(.init("supportsNavigation", true)) }
        add(
            "thumbnailURL",
            graph.values("image", of: node).lazy.compactMap { self.url($0) { $0.url ?? $0.contentURL } }.first)
        if isPerson {
            add("displayName", facts.name)
            add("givenName", text("givenName", of: node))
            add("familyName", text("familyName", of: node))
            let addresses = unique(([node] + owned).flatMap { self.facts[$0].emailAddresses })
            if !addresses.isEmpty {
                attributes.append(.init("emailAddresses", .array(addresses.map { .string($0) })))
            }
        }
        let url = graph.values("url", of: node).lazy.compactMap { self.url($0) { $0.url } }.first
        return PageItem(types: types, url: url, attributes: attributes)
    }

    private func unique(_ texts: [String]) -> [String] {
        var seen = Set<String>()
        return texts.filter { seen.insert($0).inserted }
    }

    /// Of its `geo`, else its own, else of the place that is its address.
    private func coordinate(of node: Int, _ address: Address) -> Coordinate? {
        if let own = facts[node].geo ?? facts[node].coordinate { return own }
        guard case .node(let place) = address else { return nil }
        return facts[place].coordinate ?? facts[place].geo
    }

    /// Its own `latitude` and `longitude`, where both are usable.
    private func coordinate(of node: Int) -> Coordinate? {
        guard let latitude = degrees("latitude", of: node), latitude.magnitude <= 90,
            let longitude = degrees("longitude", of: node), longitude.magnitude <= 180
        else { return nil }
        return (latitude, longitude)
    }

    private mutating func checkCoordinates(_ node: Int) {
        for (name, limit) in [("latitude", 90.0), ("longitude", 180.0)] {
            let values = graph.values(name, of: node)
            guard !values.isEmpty else { continue }
            let problem: String
            if let degrees = degrees(name, of: node) {
                guard degrees.magnitude > limit else { continue }
                problem = "the \(name) \(degrees) is out of range: -\(Int(limit)) to \(Int(limit)) degrees"
            } else {
                problem = "a \(name) is no decimal number"
            }
            return findings.append(PageFinding(.pageCoordinate, problem, block: graph.nodes[node].block))
        }
    }

    private func degrees(_ name: String, of node: Int) -> Double? {
        graph.values(name, of: node).lazy.compactMap { value in
            switch value {
            case .number(let digits): Double(digits)
            case .text(let text): ItemReader.decimal(text.whiteSpaceCollapsed)
            case .node, .reference: nil
            }
        }.first
    }

    /// `[+-]digits[.digits]`.
    private static func decimal(_ text: String) -> Double? {
        var digits = Substring(text).utf8
        if let first = digits.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            digits = digits.dropFirst()
        }
        let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.contains(where: { !$0.isEmpty }), parts.joined().allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Double(
            (text.hasPrefix("-") ? "-" : "") + (digits.first == UInt8(ascii: ".") ? "0" : "") + String(digits)!)
    }

    private static func number(_ value: Double) -> JSONValue {
        // Zero has no sign here; whole numbers no fraction.
        if value == value.rounded() { return .number(String(Int(value))) }
        return .number(value.description)
    }

    // MARK: Values

    /// The first text of a property that has more than white space in it.
    private func text(_ name: String, of node: Int) -> String? {
        graph.values(name, of: node).lazy.compactMap { self.text($0) }.first
    }

    private func text(_ value: PageValue) -> String? {
        switch value {
        case .number(let digits): return digits
        case .text(let text):
            let text = text.whiteSpaceCollapsed
            return text.isEmpty ? nil : text
        case .node, .reference: return nil
        }
    }

    /// The first text of a property that can be an address, as it is written.
    private func url(_ name: String, of node: Int) -> String? {
        graph.values(name, of: node).lazy.compactMap { self.text($0) }.first {
            base != nil || URLReference.isAbsolute($0)
        }
    }

    /// An absolute address: a text, a node's, or that of a node that is not on the page.
    private func url(_ value: PageValue, of node: (Facts) -> String?) -> String? {
        if case .text(let text) = value { return URLReference.resolve(text, against: base) }
        if let index = graph.node(value) {
            return node(facts[index]).flatMap { URLReference.resolve($0, against: base) }
        }
        guard case .reference(let id) = value, !id.hasPrefix("_:"), URLReference.isAbsolute(id) else { return nil }
        return id
    }

    private func phoneNumber(_ value: PageValue) -> String? {
        switch value {
        case .number(let digits): digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? PhoneNumber.text(digits) : nil
        case .text(let text): PhoneNumber.text(text.whiteSpaceCollapsed)
        case .node, .reference: nil
        }
    }

    private func emailAddress(_ value: PageValue) -> String? {
        guard case .text(let text) = value else { return nil }
        var address = text.whiteSpaceCollapsed
        if address.lowercased().hasPrefix("mailto:") {
            address = String(address.dropFirst(7).prefix { $0 != "?" }).whiteSpaceCollapsed
        }
        return address.contains("@") ? address : nil
    }
}

/// Telephone numbers as activities may have them.
private enum PhoneNumber {
    /// A number without `tel:`; nil where it is none: three to twenty digits, and what people write between.
    static func text(_ text: String) -> String? {
        var number = text
        if number.lowercased().hasPrefix("tel:") { number = String(number.dropFirst(4)).whiteSpaceCollapsed }
        var digits = 0
        var word = ""
        for scalar in number.unicodeScalars {
            switch scalar {
            case "0"..."9": digits += 1
            case " ", "+", "(", ")", "-", ".", "/", "#", "*", ",", ";": break
            case "a"..."z", "A"..."Z":
                word.unicodeScalars.append(scalar)
                continue
            default: return nil
            }
            guard isExtension(word) else { return nil }
            word = ""
        }
        return (3...20).contains(digits) && isExtension(word) ? number : nil
    }

    private static func isExtension(_ word: String) -> Bool {
        word.isEmpty || word.lowercased() == "ext" || word.lowercased() == "x"
    }
}
