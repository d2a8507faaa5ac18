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
        var help: String?
        if error.code == .invalidUTF8 || error.code == .syntax, error.found.contains("UTF-16") {
            help = "the text looks like UTF-16; save it as UTF-8"
        } else if error.code == .syntax {
            help = Self.help(forFound: error.found)
        }
        self.init(PayloadCode(error.code), error.message, pointer: error.pointer, offset: error.offset, help: help)
    }

    /// The remedy for what people write most often that is not JSON.
    private static func help(forFound found: String) -> String? {
        switch found {
        case "'/'", "'#'": "JSON has no comments: remove it"
        case "'''": "JSON quotes with \", not with '"
        case "'}'", "']'": "remove the comma before the bracket, or add what is missing"
        case "the end of the input": "the text ends too early: is it cut off?"
        case "a line feed", "a tab": "write line breaks and tabs in strings as \\n and \\t"
        case "'T'", "'F'", "'N'": "JSON writes true, false and null in lower case and has no NaN"
        default: nil
        }
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
