/// Finds the end of a head while it arrives, and refuses at once what can no longer become one.
///
/// Each byte is looked at once, however small the pieces are.
struct HeadScanner {
    /// Where the current line begins, and from where on there was no line feed yet; from the beginning of the head.
    private var line = 0
    private var scanned = 0
    /// Empty lines before the request line.
    private var blanks = 0

    /// The length of the head with its empty line; nil while it is incomplete.
    ///
    /// - Parameter bytes: what there is of the head from its beginning.
    mutating func end(in bytes: Span<UInt8>, limit: Int) throws(HTTPProblem) -> Int? {
        if scanned == 0, let first = bytes.indices.first.map({ bytes[$0] }), !first.isTokenByte, first != 0x0D,
            first != 0x0A
        {
            throw first == 0x16
                ? .malformed("this looks like TLS, and the port speaks plain HTTP", help: "use http://")
                : .malformed("the request does not begin with a method")
        }
        while let feed = bytes.firstIndex(of: 0x0A, from: scanned) {
            guard feed > line, bytes[feed - 1] == 0x0D else { throw .bareLineFeed }
            if feed - 1 == line, line > blanks { return try fits(feed + 1, limit) }
            // RFC 9112, 2.2: some clients send an empty line after a body.
            if feed - 1 == line {
                guard blanks < 4 else { throw .malformed("the request begins with empty lines") }
                blanks += 2
            }
            line = feed + 1
            scanned = line
        }
        scanned = bytes.count
        _ = try fits(bytes.count, limit)
        return nil
    }

    /// How many bytes of empty lines go before the request line.
    var leading: Int { blanks }

    private func fits(_ count: Int, _ limit: Int) throws(HTTPProblem) -> Int {
        guard count > limit else { return count }
        throw line <= blanks ? .targetTooLong(limit: limit) : .headTooLarge("\(limit) bytes")
    }
}
