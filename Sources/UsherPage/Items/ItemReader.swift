internal import UsherJSON

/// Finds the nodes that are items, and makes attributes of what belongs to each.
struct ItemReader {
    private(set) var items: [PageItem] = []
    private(set) var findings: [PageFinding] = []
    private let graph: PageGraph
    private let title: String?
    private let base: String?

    private static let limit = 100
    /// What stands in these belongs to the node.
    private static let owning = ["address", "geo", "contactPoint"]
    /// How many nodes may belong to one item, and how many values may be looked at in all: pages of malice have more.
    private static let ownedLimit = 256
    private static let budget = 2_000_000

    init(_ graph: PageGraph, title: String?, base: String?) {
        self.graph = graph
        self.title = title
        self.base = base
    }

    mutating func read() {
        for node in graph.nodes.indices { checkCoordinates(node) }
        let isOwned = owned()
        var seen = Set<String>()
        var work = 0
        for node in graph.nodes.indices where !isOwned[node] && isItem(node) {
            let owned = ownedNodes(of: node)
            work += owned.reduce(0) { $0 + 1 + graph.nodes[$1].properties.reduce(0) { $0 + $1.values.count } }
            let item = item(node, owned)
            guard seen.insert(JSONValue.object(item.attributes).text()).inserted || work > ItemReader.budget else {
                continue
            }
            guard items.count < ItemReader.limit, work < ItemReader.budget else {
                let message = "the page has more than \(items.count) items: only the first ones are read"
                return findings.append(PageFinding(.pageTooMany, message, at: graph.nodes[node].offset))
            }
            items.append(item)
        }
    }

    // MARK: Which nodes are items

    /// Whether it can be called, has a place, or is one.
    private func isItem(_ node: Int) -> Bool {
        ["streetAddress", "addressLocality"].contains { text($0, of: node) != nil } || coordinate(of: node) != nil
            || graph.values("telephone", of: node).contains { phoneNumber($0) != nil }
            || graph.values("address", of: node).contains { address($0) != nil }
            || graph.values("geo", of: node).contains { graph.node($0).flatMap { coordinate(of: $0) } != nil }
    }

    /// Which nodes belong to items. Each node is looked through once.
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
    private func ownedNodes(of node: Int) -> [Int] {
        var found: [Int] = []
        var seen: Set<Int> = [node]
        var open = [node]
        while let next = open.popLast(), found.count < ItemReader.ownedLimit {
            if next != node { found.append(next) }
            var inner: [Int] = []
            for property in graph.nodes[next].properties where ItemReader.owning.contains(property.name) {
                for value in property.values.prefix(ItemReader.ownedLimit) {
                    if let index = graph.node(value), seen.insert(index).inserted { inner.append(index) }
                }
            }
            open += inner.reversed()
        }
        return found
    }

    // MARK: Attributes

    private func item(_ node: Int, _ owned: [Int]) -> PageItem {
        let types = graph.nodes[node].types
        let isPerson = types.contains("Person")
        let address = graph.values("address", of: node).lazy.compactMap { self.address($0) }.first ?? .node(node)
        var attributes: [JSONValue.Member] = []
        func add(_ name: String, _ text: String?) {
            if let text { attributes.append(.init(name, .string(text))) }
        }
        var place: [JSONValue.Member] = []
        switch address {
        // Parts that stand in an address which is no item are the node's own, and said better than in its text.
        case .text where text("streetAddress", of: node) != nil: place = self.place(node)
        case .text(let text): place = [.init("fullThoroughfare", .string(text))]
        case .node(let index): place = self.place(index)
        }
        if let coordinate = coordinate(of: node, address) {
            place.append(.init("latitude", ItemReader.number(coordinate.latitude)))
            place.append(.init("longitude", ItemReader.number(coordinate.longitude)))
        }
        let numbers = unique(([node] + owned).flatMap { graph.values("telephone", of: $0).compactMap(phoneNumber) })
        if !isPerson || !place.isEmpty {
            add("namedLocation", text("name", of: node) ?? text("legalName", of: node) ?? title)
        }
        attributes += place
        if !numbers.isEmpty {
            attributes.append(.init("phoneNumbers", .array(numbers.map { .string($0) })))
            attributes.append(.init("supportsPhoneCalls", true))
        }
        if !place.isEmpty { attributes.append(.init("supportsNavigation", true)) }
        add(
            "thumbnailURL",
            graph.values("image", of: node).lazy.compactMap { self.url($0, in: ["url", "contentUrl"]) }.first)
        if isPerson {
            add("displayName", text("name", of: node))
            add("givenName", text("givenName", of: node))
            add("familyName", text("familyName", of: node))
            let addresses = unique(([node] + owned).flatMap { graph.values("email", of: $0).compactMap(emailAddress) })
            if !addresses.isEmpty {
                attributes.append(.init("emailAddresses", .array(addresses.map { .string($0) })))
            }
        }
        let url = graph.values("url", of: node).lazy.compactMap { self.url($0, in: ["url"]) }.first
        return PageItem(syntax: graph.nodes[node].syntax, types: types, url: url, attributes: attributes)
    }

    private func unique(_ texts: [String]) -> [String] {
        var seen = Set<String>()
        return texts.filter { seen.insert($0).inserted }
    }

    /// What an address is: a text, or a node with parts of one.
    private enum Address {
        case text(String)
        case node(Int)
    }

    /// The address that a value is; nil where it says nothing. One in another one counts, too.
    private func address(_ value: PageValue) -> Address? {
        if let text = text(value) { return .text(text) }
        guard let node = graph.node(value) else { return nil }
        if hasParts(node) { return .node(node) }
        for inner in graph.values("address", of: node) {
            if let text = text(inner) { return .text(text) }
            if let index = graph.node(inner), hasParts(index) { return .node(index) }
        }
        return nil
    }

    private func hasParts(_ node: Int) -> Bool { !place(node).isEmpty }

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
                text(value) ?? graph.node(value).flatMap { text("name", of: $0) }
            }.first
            if let value { members.append(.init(name, .string(value))) }
        }
        return members
    }

    /// Of its `geo`, else its own, else of the place that is its address.
    private func coordinate(of node: Int, _ address: Address) -> (latitude: Double, longitude: Double)? {
        for value in graph.values("geo", of: node) {
            if let found = graph.node(value).flatMap({ coordinate(of: $0) }) { return found }
        }
        if let own = coordinate(of: node) { return own }
        guard case .node(let place) = address, place != node else { return nil }
        if let found = coordinate(of: place) { return found }
        for value in graph.values("geo", of: place) {
            if let found = graph.node(value).flatMap({ coordinate(of: $0) }) { return found }
        }
        return nil
    }

    /// Its own `latitude` and `longitude`, where both are usable.
    private func coordinate(of node: Int) -> (latitude: Double, longitude: Double)? {
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
            return findings.append(PageFinding(.pageCoordinate, problem, at: graph.nodes[node].offset))
        }
    }

    private func degrees(_ name: String, of node: Int) -> Double? {
        graph.values(name, of: node).lazy.compactMap { value in
            switch value {
            case .number(let digits): Double(digits)
            case .text(let text): ItemReader.decimal(WhiteSpace.collapsed(text))
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
            let text = WhiteSpace.collapsed(text)
            return text.isEmpty ? nil : text
        case .node, .reference: return nil
        }
    }

    /// An absolute address: a text, a node's, or that of a node that is not on the page.
    ///
    /// - Parameter names: of the properties of a node that may have it.
    private func url(_ value: PageValue, in names: [String]) -> String? {
        if case .text(let text) = value { return URLReference.resolve(text, against: base) }
        if let node = graph.node(value) {
            for name in names {
                for value in graph.values(name, of: node) {
                    if let text = text(value), let url = URLReference.resolve(text, against: base) { return url }
                }
            }
            return nil
        }
        guard case .reference(let id) = value, !id.hasPrefix("_:"), URLReference.isAbsolute(id) else { return nil }
        return id
    }

    private func phoneNumber(_ value: PageValue) -> String? {
        switch value {
        case .number(let digits): digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? PhoneNumber.text(digits) : nil
        case .text(let text): PhoneNumber.text(WhiteSpace.collapsed(text))
        case .node, .reference: nil
        }
    }

    private func emailAddress(_ value: PageValue) -> String? {
        guard case .text(let text) = value else { return nil }
        var address = WhiteSpace.collapsed(text)
        if address.lowercased().hasPrefix("mailto:") {
            address = WhiteSpace.collapsed(String(address.dropFirst(7).prefix { $0 != "?" }))
        }
        return address.contains("@") ? address : nil
    }
}

/// Telephone numbers as activities may have them.
private enum PhoneNumber {
    /// A number without `tel:`; nil where it is none: three to twenty digits, and what people write between.
    static func text(_ text: String) -> String? {
        var number = text
        if number.lowercased().hasPrefix("tel:") { number = WhiteSpace.collapsed(String(number.dropFirst(4))) }
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
