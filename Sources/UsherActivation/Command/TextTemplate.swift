internal import UsherText

/// Text with placeholders in braces; `{{` and `}}` are literal braces.
struct TextTemplate: Sendable {
    enum Segment: Sendable, Hashable {
        case literal(String)
        case placeholder(Placeholder)
    }

    let text: String
    let segments: [Segment]

    /// O(bytes). A brace that is neither doubled nor part of a known placeholder is an error.
    init(_ text: String) throws(ActivationFailure) {
        self.text = text
        var segments: [Segment] = []
        var literal: [UInt8] = []
        var rest = text.utf8[...]
        let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        while let byte = rest.first {
            rest = rest.dropFirst()
            guard byte == open || byte == close else {
                literal.append(byte)
                continue
            }
            if rest.first == byte {
                literal.append(byte)
                rest = rest.dropFirst()
                continue
            }
            guard byte == open else { throw .badTemplate(text, "a } stands alone") }
            guard let end = rest.firstIndex(of: close) else { throw .badTemplate(text, "a { is not closed") }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            guard let placeholder = Placeholder(rawValue: name) else {
                throw .badTemplate(text, "there is no placeholder {\(Printable.text(name))}")
            }
            if !literal.isEmpty { segments.append(.literal(String(decoding: literal, as: UTF8.self))) }
            literal = []
            segments.append(.placeholder(placeholder))
            rest = rest[end...].dropFirst()
        }
        if !literal.isEmpty { segments.append(.literal(String(decoding: literal, as: UTF8.self))) }
        self.segments = segments
    }

    var beginsWithPlaceholder: Bool {
        if case .placeholder = segments.first { return true }
        return false
    }

    var hasPlaceholders: Bool {
        segments.contains { if case .placeholder = $0 { true } else { false } }
    }

    /// See `Placeholder.isPayloadFile`.
    var usesPayloadFile: Bool {
        segments.contains { if case .placeholder(let placeholder) = $0 { placeholder.isPayloadFile } else { false } }
    }

    func expand(_ task: ActivationTask, payloadFile: String) -> String {
        var result = ""
        for segment in segments {
            switch segment {
            case .literal(let text): result += text
            case .placeholder(let placeholder): result += placeholder.value(in: task, payloadFile: payloadFile)
            }
        }
        return result
    }
}
