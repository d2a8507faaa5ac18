/// A strict JSON text (RFC 8259, UTF-8 only) as a flat tape of its values.
///
/// Parsing is iterative and linear; it reports the first error in the text. A document is made to be reused: its
/// storage stays for the next text, so that a steady stream of payloads is parsed without allocation. Strings and
/// numbers are made only when asked for. The parsed bytes are kept (shared, not copied), so raw slices of any value
/// can be handed on byte for byte.
///
/// Beyond the grammar: no byte order mark, no duplicate member in one object (compared after unescaping, by bytes) unless
/// that is allowed, no escape that is half a surrogate pair, no number with a magnitude beyond the range of a double,
/// nesting up to `maximumDepth`.
public struct JSONDocument: Sendable {
    /// Containers inside containers; the outermost is at depth 1.
    public let maximumDepth: Int
    /// Whether an object may have a member twice: RFC 8259 only says that it should not.
    public let allowsRepeatedNames: Bool

    /// The array parsed last, and the part of it that is the text.
    public internal(set) var source: [UInt8] = []
    public internal(set) var range: Range<Int> = 0..<0

    @usableFromInline var tape: [Node] = []
    /// Unescaped text of the strings that needed it, one after the other.
    var decoded: [UInt8] = []
    /// Where in `decoded` such a string lies; a node's `link` is an index here.
    var decodedRanges: [DecodedRange] = []

    // Scratch of the scanner: the open containers and the keys seen in each.
    var frames: [Frame] = []
    var keys: [Key] = []
    var keyIndex = KeyIndex()

    public init(maximumDepth: Int = 512, allowsRepeatedNames: Bool = false) {
        self.maximumDepth = maximumDepth
        self.allowsRepeatedNames = allowsRepeatedNames
    }

    /// Parses a whole array. See `parse(_:in:)`.
    public mutating func parse(_ bytes: [UInt8]) throws(JSONError) {
        try parse(bytes, in: bytes.indices)
    }

    /// Parses one text; after an error the document is empty.
    ///
    /// - Parameters:
    ///   - range: the bytes that are the text; must lie within the array.
    public mutating func parse(_ bytes: [UInt8], in range: Range<Int>) throws(JSONError) {
        _ = try parse(bytes, in: range, isWhole: true)
    }

    /// Parses the text that a range begins with, and leaves alone what follows; after an error the document is empty.
    ///
    /// - Returns: the end of the text in the array.
    public mutating func parse(prefixOf bytes: [UInt8], in range: Range<Int>) throws(JSONError) -> Int {
        let end = range.lowerBound + (try parse(bytes, in: range, isWhole: false))
        self.range = range.lowerBound..<end
        return end
    }

    private mutating func parse(_ bytes: [UInt8], in range: Range<Int>, isWhole: Bool) throws(JSONError) -> Int {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range must lie within the array")
        if root != nil { reset() }
        guard range.count < Int(UInt32.max) else {
            throw JSONError(code: .tooLarge, offset: 0, found: "\(range.count) bytes", expected: "less than 4 GiB")
        }
        source = bytes
        self.range = range
        // A new document grows once, and not step by step; most texts are short.
        if tape.capacity == 0 {
            tape.reserveCapacity(min(64, range.count / 8 + 4))
            frames.reserveCapacity(8)
            keys.reserveCapacity(16)
        }
        do throws(JSONError) {
            return try scan(bytes.span.extracting(range), isWhole: isWhole)
        } catch {
            reset()
            throw error
        }
    }

    /// Forgets the text and lets go of its bytes; storage stays for the next one.
    public mutating func reset() {
        source = []
        range = 0..<0
        tape.removeAll(keepingCapacity: true)
        // Most texts leave these empty, and emptying costs more than asking.
        if !decoded.isEmpty { decoded.removeAll(keepingCapacity: true) }
        if !decodedRanges.isEmpty { decodedRanges.removeAll(keepingCapacity: true) }
        if !frames.isEmpty { frames.removeAll(keepingCapacity: true) }
        if !keys.isEmpty { keys.removeAll(keepingCapacity: true) }
        keyIndex.reset()
    }

    /// The outermost value, or nil before the first successful parse.
    public var root: JSONElement? { tape.isEmpty ? nil : JSONElement(0) }
}

extension JSONDocument {
    /// One value, or one member's name, of the tape. Offsets are relative to the text.
    @frozen @usableFromInline
    struct Node: Sendable {
        @usableFromInline var kind: NodeKind
        /// The bytes of the value; of a string those between its quotes.
        @usableFromInline var start: UInt32
        @usableFromInline var end: UInt32
        /// A container's: the node after its last descendant. Of a string with escapes: its place in
        /// `decodedRanges`. Of another name: its signature, or 0 where none was kept.
        @usableFromInline var link: UInt32
    }

    @frozen @usableFromInline
    enum NodeKind: UInt8, Sendable {
        case null, `false`, `true`, integer, number, string, escapedString, array, object
    }

    struct DecodedRange: Sendable {
        var start: UInt32
        var end: UInt32
    }

    /// An open container.
    struct Frame: Sendable {
        var node: UInt32
        /// Its first entry in `keys`.
        var firstKey: UInt32
        var isObject: Bool
    }

    /// A name seen in an open object: the node and its signature.
    struct Key: Sendable {
        var node: UInt32
        var signature: UInt32
    }
}
