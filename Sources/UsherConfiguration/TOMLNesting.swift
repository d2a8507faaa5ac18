/// Bounds the nesting of a document before it is parsed: toml++ parses and frees nested values by recursion.
///
/// Sound for whatever toml++ accepts: strings and comments are told apart as TOML 1.0 does, and toml++ stops at the
/// first byte that is not TOML.
enum TOMLNesting {
    private static let maximumBrackets = 32
    private static let maximumDots = 32

    /// The byte at which nesting becomes too deep, or nil.
    static func violation(in bytes: [UInt8]) -> Int? {
        var position = 0
        var brackets = 0
        /// The dots of the dotted key that may be under way.
        var dots = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "#"):
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position = afterString(at: position, in: bytes)
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                brackets += 1
                dots = 0
                if brackets > maximumBrackets { return position }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                brackets = max(0, brackets - 1)
                dots = 0
            case UInt8(ascii: "."):
                dots += 1
                if dots > maximumDots { return position }
            case UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: ":"): dots = 0
            default: break
            }
            position += 1
        }
        return nil
    }

    private static func afterString(at start: Int, in bytes: [UInt8]) -> Int {
        let delimiter = bytes[start]
        let isLong = start + 2 < bytes.count && bytes[start + 1] == delimiter && bytes[start + 2] == delimiter
        var position = start + (isLong ? 3 : 1)
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\\"), delimiter == UInt8(ascii: "\"") {
                position += 2
            } else if byte == delimiter {
                if !isLong { return position + 1 }
                if position + 2 < bytes.count, bytes[position + 1] == delimiter, bytes[position + 2] == delimiter {
                    position += 3
                    // Up to two quotes may stand right before the closing three.
                    var extra = 0
                    while extra < 2, position < bytes.count, bytes[position] == delimiter {
                        position += 1
                        extra += 1
                    }
                    return position
                }
                position += 1
            } else if byte == UInt8(ascii: "\n"), !isLong {
                // Not closed: toml++ stops here.
                return position
            } else {
                position += 1
            }
        }
        return bytes.count
    }
}
