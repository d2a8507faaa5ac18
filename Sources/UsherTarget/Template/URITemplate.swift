internal import UsherText

/// A URI template: what a backend may build target content identifiers from, and what they are taken apart by.
///
/// Templates of level 4 and below are understood. Two templates are equal when their texts have the same bytes.
/// A template and an identifier have at most ``maximumLength`` bytes each.
///
///     let template = try URITemplate("https://clowntown.example/clowns/{clown}")
///     try template.expand(["clown": "crusty"])                 // https://clowntown.example/clowns/crusty
///     template.match("https://clowntown.example/clowns/crusty")?.variables  // ["clown": "crusty"]
///
/// RFC 6570, with its verified erratum 6937 (`'` is a literal).
public struct URITemplate: Sendable {
    /// The most bytes of UTF-8 a template, and an identifier, may have.
    public static let maximumLength = 16_384

    /// The template as it was given.
    public let text: String

    /// The names of the variables, each once, in the order of their first appearance.
    public let variableNames: [String]

    let parts: [TemplatePart]
    /// Every occurrence of a variable, in order.
    let occurrences: [TemplateVariable]
    /// For matching with strings, and lists where a variable is exploded: all that most identifiers need.
    let graph: TemplateGraph

    /// Reads a template.
    ///
    /// - Throws: the first mistake, with its offset, what was expected there and, where there is one, the remedy.
    public init(_ text: String) throws(URITemplateError) {
        var parser = URITemplateParser(text)
        let parts = try parser.parse()
        self.text = text
        self.parts = parts
        var occurrences = parts.flatMap(\.variables)
        var names: [String] = []
        var indices: [String: Int] = [:]
        for occurrence in occurrences.indices {
            let name = occurrences[occurrence].name
            let index = indices[name, default: names.count]
            if index == names.count {
                names.append(name)
                indices[name] = index
            }
            occurrences[occurrence].index = index
        }
        self.occurrences = occurrences
        variableNames = names
        graph = TemplateGraph(parts, kinds: [])
    }

    /// The name under which a variable of a template is known in predicates, without its `$`.
    ///
    /// ASCII letters become upper case, digits stay, every other character becomes `_`: `order-id` is `ORDER_ID`.
    public static func variableKey(_ name: String) -> String {
        var key = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "A"..."Z", "0"..."9": key.unicodeScalars.append(scalar)
            case "a"..."z": key.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value) - 0x20))
            default: key += "_"
            }
        }
        return key
    }
}

extension URITemplate: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension URITemplate: CustomStringConvertible {
    public var description: String { text }
}
