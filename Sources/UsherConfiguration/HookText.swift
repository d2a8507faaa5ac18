/// A text with `{names}` of values; `{{` and `}}` are braces.
public struct HookText: Sendable, Hashable {
    public enum Part: Sendable, Hashable {
        case literal(String)
        case value(String)
    }

    public let text: String
    public let parts: [Part]

    public init(_ text: String) {
        let bytes = Array(text.utf8)
        var parts: [Part] = []
        var literal: [UInt8] = []
        var index = 0
        for place in Placeholders.occurrences(in: text) {
            literal += bytes[index..<place.offset]
            HookText.flush(&literal, into: &parts)
            parts.append(.value(place.name))
            index = place.offset + place.count
        }
        literal += bytes[index...]
        HookText.flush(&literal, into: &parts)
        self.text = text
        self.parts = parts
    }

    /// The names it uses, in order.
    public var names: [String] {
        parts.compactMap { if case .value(let name) = $0 { name } else { nil } }
    }

    /// The text with the values in place of their names; a name without a value leaves nothing.
    public func expand(_ values: [String: String]) -> String {
        parts.map { part in
            switch part {
            case .literal(let text): text
            case .value(let name): values[name] ?? ""
            }
        }.joined()
    }

    /// Ends a literal, its doubled braces made single.
    private static func flush(_ literal: inout [UInt8], into parts: inout [Part]) {
        guard !literal.isEmpty else { return }
        var single: [UInt8] = []
        var index = 0
        while index < literal.count {
            let byte = literal[index]
            single.append(byte)
            let isDoubled =
                (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")) && index + 1 < literal.count
                && literal[index + 1] == byte
            index += isDoubled ? 2 : 1
        }
        parts.append(.literal(String(decoding: single, as: UTF8.self)))
        literal = []
    }
}
