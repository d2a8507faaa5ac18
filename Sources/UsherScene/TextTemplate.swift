public import UsherTarget
internal import UsherText

/// Text with variables, `{file} — Zathura`: reads the variables out of a text, or fills them in.
///
/// A name has ASCII letters, digits, `_`, `.` and `-`. There is no escape for braces.
public struct TextTemplate: Sendable {
    /// Why a template cannot be read. `offset` counts UTF-8 bytes from its start.
    public struct Mistake: Error, Sendable {
        public var code: URITemplateError.Code
        public var offset: Int
        public var message: String
    }

    private enum Part: Sendable {
        case literal([UInt8])
        /// By its place in `variableNames`.
        case variable(Int)
    }

    /// The most bytes that a template may have.
    public static let maximumLength = 1024
    /// Where a text has more ways to be read than can be followed in this many steps, it counts as having several.
    private static let maximumSteps = 20_000

    /// Each once, in the order of their first appearance.
    public private(set) var variableNames: [String] = []
    private var parts: [Part] = []

    public init(_ text: String) throws(Mistake) {
        let bytes = Array(text.utf8)
        guard bytes.count <= TextTemplate.maximumLength else {
            throw Mistake(
                code: .templateTooLong, offset: TextTemplate.maximumLength,
                message: "the template has \(bytes.count) bytes, of at most \(TextTemplate.maximumLength)")
        }
        var literal: [UInt8] = []
        var offset = 0
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "}"):
                throw Mistake(code: .syntax, offset: offset, message: "`}` has no `{` before it")
            case UInt8(ascii: "{"):
                guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: "}")) else {
                    throw Mistake(code: .syntax, offset: offset, message: "`{` has no `}` after it")
                }
                let name = bytes[(offset + 1)..<end]
                guard !name.isEmpty else {
                    throw Mistake(code: .syntax, offset: offset, message: "`{}` names no variable")
                }
                if let wrong = name.firstIndex(where: { !TextTemplate.isOfName($0) }) {
                    throw Mistake(
                        code: .syntax, offset: wrong,
                        message: "a variable is named by ASCII letters, digits, `_`, `.` and `-`")
                }
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = []
                let text = String(decoding: name, as: UTF8.self)
                if let known = variableNames.firstIndex(of: text) {
                    parts.append(.variable(known))
                } else {
                    parts.append(.variable(variableNames.count))
                    variableNames.append(text)
                }
                offset = end + 1
            default:
                literal.append(bytes[offset])
                offset += 1
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
    }

    private static func isOfName(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "_.-".utf8.contains(byte) }

    /// The template with values in the places of its variables; nil where one has no value.
    public func filled(_ values: [String: String]) -> String? {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .literal(let literal): bytes += literal
            case .variable(let index):
                guard let value = values[variableNames[index]] else { return nil }
                bytes += value.utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Reading

    /// Gives every way in which the whole text can be read, the variables not empty, until `visit` returns false.
    ///
    /// O(parts × bytes) to find out that there is none.
    ///
    /// - Returns: false where there are too many to follow.
    public func forEachReading(of text: String, _ visit: ([String: String]) -> Bool) -> Bool {
        let bytes = Array(text.utf8)
        let fits = TextTemplate.suffixes(of: bytes, parts)
        guard fits[0][0] else { return true }
        var values = [Range<Int>?](repeating: nil, count: variableNames.count)
        // The first end of a variable that has not been tried, for each part before the current one; -1 for a literal.
        var tried: [(offset: Int, next: Int, binds: Bool)] = []
        var offset = 0
        var steps = 0
        /// Goes back to the last variable that can end elsewhere; nil where there is none.
        func goBack() -> Bool {
            while let last = tried.popLast() {
                guard case .variable(let index) = parts[tried.count], last.binds else { continue }
                values[index] = nil
                if let end = (last.next..<(bytes.count + 1)).first(where: { fits[tried.count + 1][$0] }) {
                    values[index] = last.offset..<end
                    tried.append((last.offset, end + 1, true))
                    offset = end
                    return true
                }
            }
            return false
        }
        while true {
            steps += 1
            guard steps <= TextTemplate.maximumSteps else { return false }
            var isStuck = false
            if tried.count == parts.count {
                var reading: [String: String] = [:]
                for (index, range) in values.enumerated() {
                    if let range { reading[variableNames[index]] = String(decoding: bytes[range], as: UTF8.self) }
                }
                guard visit(reading) else { return true }
                isStuck = true
            } else {
                switch parts[tried.count] {
                case .literal(let literal):
                    if bytes[offset...].starts(with: literal), fits[tried.count + 1][offset + literal.count] {
                        tried.append((offset, 0, false))
                        offset += literal.count
                    } else {
                        isStuck = true
                    }
                case .variable(let index):
                    if let value = values[index] {
                        // A name that is there twice stands for the same text.
                        if bytes[offset...].starts(with: bytes[value]), fits[tried.count + 1][offset + value.count] {
                            tried.append((offset, 0, false))
                            offset += value.count
                        } else {
                            isStuck = true
                        }
                    } else if offset < bytes.count,
                        let end = ((offset + 1)...bytes.count).first(where: { fits[tried.count + 1][$0] })
                    {
                        values[index] = offset..<end
                        tried.append((offset, end + 1, true))
                        offset = end
                    } else {
                        isStuck = true
                    }
                }
            }
            if isStuck, !goBack() { return true }
        }
    }

    /// For each part and offset, whether the parts from there on can be the bytes from there on.
    private static func suffixes(of bytes: [UInt8], _ parts: [Part]) -> [[Bool]] {
        var fits = [[Bool]](repeating: [Bool](repeating: false, count: bytes.count + 1), count: parts.count + 1)
        fits[parts.count][bytes.count] = true
        for index in parts.indices.reversed() {
            switch parts[index] {
            case .literal(let literal):
                guard literal.count <= bytes.count else { continue }
                for offset in 0...(bytes.count - literal.count) where fits[index + 1][offset + literal.count] {
                    fits[index][offset] = bytes[offset...].starts(with: literal)
                }
            case .variable:
                var isFollowed = false
                for offset in bytes.indices.reversed() {
                    isFollowed = isFollowed || fits[index + 1][offset + 1]
                    // No variable begins inside a character.
                    fits[index][offset] = isFollowed && bytes[offset] & 0xC0 != 0x80
                }
            }
        }
        return fits
    }
}
