public import UsherJSON
public import UsherScene
public import UsherText

/// A mistake in a payload, and where: thrown where the payload cannot be used, else one of its warnings.
public struct PayloadError: Error, Hashable, Sendable {
    public var code: DiagnosticCode
    /// One sentence about this payload.
    public var message: String
    /// The place as a JSON pointer (RFC 6901), from the outermost value of the line or file.
    public var pointer: String
    /// Bytes from the first byte of the text, or nil where nothing in it is to blame.
    public var offset: Int?
    /// The same in the input, where that is known.
    public var excerpt: TextExcerpt?
    /// The limit that was exceeded, in bytes, where the error is about a size.
    public var limit: Int?
    /// What the sender should do.
    public var help: String
    /// The format the payload turned out to be of, as far as it was found out.
    public var format: PayloadFormat?

    public init(
        _ code: PayloadCode, _ message: String, pointer: String = "", offset: Int? = nil, limit: Int? = nil,
        help: String? = nil, format: PayloadFormat? = nil
    ) {
        self.code = code.code
        self.message = message
        self.pointer = pointer
        self.offset = offset
        self.limit = limit
        self.help = help ?? code.help
        self.format = format
    }

    /// What was found to be wrong before there was a payload.
    public init(_ problem: Diagnostic) {
        code = problem.code
        message = problem.message
        pointer = problem.at ?? ""
        offset = problem.offset
        excerpt = problem.excerpt
        help = problem.help ?? ""
    }

    /// What `payload inspect` calls `at`: the limit of a size, else the byte offset.
    public var at: Int? { limit ?? offset }
}

extension PayloadError {
    public init(_ error: JSONError) {
        self.init(
            PayloadCode(error.code), error.message, pointer: error.pointer, offset: error.offset,
            help: error.remedy)
    }
}

extension JSONError {
    /// The remedy for what people write most often that is not JSON; nil where the code's own has to do.
    fileprivate var remedy: String? {
        switch code {
        case .invalidUTF8 where found.contains("UTF-16"), .syntax where found.contains("UTF-16"):
            "the text looks like UTF-16; save it as UTF-8"
        case .syntax: syntaxRemedy
        case .trailingData: surplusBracket
        default: nil
        }
    }

    private var syntaxRemedy: String? {
        let expected = self.expected ?? ""
        let isInString = expected.hasPrefix("'\"'") && !isForName
        switch found {
        case "the end of the input":
            return isInString
                ? "a quote is not closed, or the text is cut off" : "the text ends too early: is it cut off?"
        case "a line feed" where isInString, "U+000D" where isInString:
            return "close the quote; a line break inside a string is written \\n"
        case "a tab" where isInString: return "write a tab inside a string as \\t"
        case "'/'", "'#'": return "JSON has no comments: remove it"
        case "'''": return "JSON quotes with \", not with '"
        case "U+2018", "U+2019", "U+201C", "U+201D", "U+201E", "U+00AB", "U+00BB":
            return "JSON quotes with \", not with curly quotes or others: write \" instead"
        case "'}'", "']'":
            if let surplusBracket { return surplusBracket }
            guard isBetweenValues else { return "remove the comma before the bracket, or add what is missing" }
            return "close first, with \(expected.suffix(3)), the bracket that is still open"
        default: break
        }
        guard let byte = foundByte else { return nil }
        let isLetter = (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: "_")
        if isForName { return isLetter ? "write names in quotes: {\"aps\": …}" : nil }
        if isBetweenValues {
            if isLetter { return "close the text before it, or write \\\" for a quote inside of it; or add a comma" }
            let beginsValue = "\"{[-0123456789".utf8.contains(byte)
            return beginsValue ? "a comma is missing after the value before" : nil
        }
        if expected.hasPrefix("a value"), "TFN".utf8.contains(byte) {
            return "JSON writes true, false and null in lower case and has no NaN"
        }
        return expected.hasPrefix("a value") && isLetter ? "write text in quotes" : nil
    }

    private var isForName: Bool { expected?.hasPrefix("'\"' to begin a name") ?? false }

    /// Whether a value of an object or an array has ended.
    private var isBetweenValues: Bool { expected?.hasPrefix("','") ?? false }

    /// Nothing is open that the bracket could close.
    private var surplusBracket: String? {
        guard found == "'}'" || found == "']'", code == .trailingData || pointer.isEmpty && expected == "a value" else {
            return nil
        }
        return "there is one \(found.dropFirst().dropLast()) too many: remove it"
    }

    /// The character that was found, where it is one of ASCII.
    private var foundByte: UInt8? {
        let bytes = Array(found.utf8)
        return bytes.count == 3 && bytes[0] == UInt8(ascii: "'") ? bytes[1] : nil
    }
}

extension PayloadCode {
    public init(_ code: JSONError.Code) {
        self =
            switch code {
            case .empty: .jsonEmpty
            case .byteOrderMark: .jsonBOM
            case .invalidUTF8: .jsonInvalidUTF8
            case .syntax: .jsonSyntax
            case .trailingData: .jsonTrailingData
            case .duplicateKey: .jsonDuplicateKey
            case .depth: .jsonDepth
            case .numberRange: .jsonNumberRange
            case .loneSurrogate: .jsonLoneSurrogate
            case .tooLarge: .jsonTooLarge
            }
    }
}

extension PayloadError: CustomStringConvertible {
    public var description: String {
        "\(code)\(pointer.isEmpty ? "" : " at \(pointer)"): \(message); \(help)"
    }
}

extension PayloadError {
    /// Writes `{"code","name","message","at","offset","help"}`; `at` is the pointer, null where no place is to blame.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code.code)
        writer.member("name", code.name)
        writer.member("message", message)
        writer.member("at", pointer.isEmpty ? nil : pointer)
        writer.member("offset", offset)
        writer.member("help", help)
        writer.endObject()
    }
}

extension PayloadError {
    /// The longest line, and the largest document, in bytes.
    public static let longestLine = 1 << 20

    /// A line that is longer: its bytes were not kept.
    public static let tooLongLine = PayloadError(
        .sizeLineTooLong, "longer than \(longestLine) bytes", limit: longestLine)

    /// The same error with its position in the input.
    ///
    /// - Parameters:
    ///   - bytes: of which a range is the text; what is around it is shown as well.
    ///   - begin: the position of the text in the input.
    public func positioned(in bytes: [UInt8], _ range: Range<Int>, begin: LinePosition) -> PayloadError {
        guard let offset else { return self }
        var error = self
        error.excerpt = TextExcerpt(
            of: bytes, at: range.lowerBound + min(offset, range.count), begin: (range.lowerBound, begin))
        return error
    }
}

extension Diagnostic {
    /// What is wrong with a payload, where, and the remedy.
    public init(_ error: PayloadError) {
        self.init(error.code, error.message, at: error.pointer, offset: error.offset, help: error.help)
        excerpt = error.excerpt
    }
}
