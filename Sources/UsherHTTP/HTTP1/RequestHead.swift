internal import UsherText

/// A request's head: where its parts are among the bytes, and how the body is framed.
///
/// What two readers could understand differently is refused: both lengths, two lengths, two hosts, folded lines, blanks
/// before the colon, control characters. RFC 9112, 2 to 7 and 11.2.
struct RequestHead {
    let method: Range<Int>
    let target: Range<Int>
    /// The field lines, without the empty one.
    let fields: Range<Int>
    /// The parts of each, counted from where `fields` begins.
    private(set) var lines: [HTTPFields.Line] = []
    let minorVersion: UInt8
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var keepsAlive: Bool
    private(set) var expectsContinue = false

    private var hosts = 0
    private var codings = 0
    private var isCodingKnown = true

    /// - Parameters:
    ///   - bytes: begin with the head.
    ///   - range: the head, from the request line to its empty line, as `HeadScanner` found it.
    init(_ bytes: Span<UInt8>, in range: Range<Int>, limits: HTTPServer.Limits) throws(HTTPProblem) {
        var i = range.lowerBound
        while bytes[i].isTokenByte { i += 1 }
        method = range.lowerBound..<i
        guard !method.isEmpty, method.count <= 32, bytes[i] == 0x20 else { throw .malformed("the method is no token") }
        i += 1
        let start = i
        while bytes[i] > 0x20, bytes[i] < 0x7F { i += 1 }
        target = start..<i
        guard !target.isEmpty, bytes[i] == 0x20 else { throw .malformed("the request line has no target") }
        i += 1
        minorVersion = try Self.version(bytes, &i)
        keepsAlive = minorVersion > 0
        fields = i..<(range.upperBound - 2)
        lines.reserveCapacity(8)
        while i < fields.upperBound {
            guard lines.count < limits.fieldCount else { throw .headTooLarge("\(limits.fieldCount) fields") }
            i = try readField(bytes, i)
        }
        try checkFraming()
    }

    /// The digit behind `HTTP/1.`; the line must end there, and `i` is moved to the next one.
    private static func version(_ bytes: Span<UInt8>, _ i: inout Int) throws(HTTPProblem) -> UInt8 {
        let length = 10  // of HTTP/1.1 CR LF
        guard i + length <= bytes.count, bytes.extracting(i..<i + 5).isSameBytes("HTTP/"), bytes[i + 5].isDigit,
            bytes[i + 6] == 0x2E, bytes[i + 7].isDigit, bytes[i + 8] == 0x0D, bytes[i + 9] == 0x0A
        else { throw .malformed("the request line does not end with the version") }
        guard bytes[i + 5] == 0x31 else { throw .version }
        defer { i += length }
        return bytes[i + 7] - 0x30
    }

    /// Checks one field line and takes note of what the server itself must know. Returns where the next one begins.
    private mutating func readField(_ bytes: Span<UInt8>, _ start: Int) throws(HTTPProblem) -> Int {
        var i = start
        while bytes[i].isTokenByte { i += 1 }
        let name = start..<i
        guard bytes[i] == 0x3A, !name.isEmpty else {
            throw bytes[start].isBlank
                ? .malformed("a field goes on in the next line", help: "write each field in one line")
                : .malformed("a line of the head is no field", help: "write the name, and the colon right behind it")
        }
        i += 1
        let first = i
        while bytes[i].isValueByte { i += 1 }
        guard bytes[i] == 0x0D, bytes[i + 1] == 0x0A else {
            throw .malformed("a field has a control character", at: bytes.text(name))
        }
        let value = bytes.trimmed(first..<i)
        try record(bytes, name, value)
        let base = fields.lowerBound
        lines.append(
            HTTPFields.Line(
                name: name.lowerBound - base..<name.upperBound - base,
                value: value.lowerBound - base..<value.upperBound - base))
        return i + 2
    }

    @inline(__always)
    private mutating func record(_ bytes: Span<UInt8>, _ name: Range<Int>, _ value: Range<Int>) throws(HTTPProblem) {
        switch name.count {
        case 4 where bytes.isSameWord(name, "host"):
            hosts += 1
            guard hosts == 1 else { throw .host("there are two Host fields") }
            guard RequestTargetForm.isAuthority(bytes, value) else { throw .host("the Host field is no host") }
        case 6 where bytes.isSameWord(name, "expect"):
            guard bytes.isSameWord(value, "100-continue") else {
                throw .expectation(String(bytes.text(value).prefix(40)))
            }
            expectsContinue = minorVersion > 0
        case 10 where bytes.isSameWord(name, "connection"):
            if bytes.lists("close", in: value) {
                keepsAlive = false
            } else if minorVersion == 0, bytes.lists("keep-alive", in: value) {
                keepsAlive = true
            }
        case 14 where bytes.isSameWord(name, "content-length"):
            guard contentLength == nil else {
                throw .framing("there are two Content-Length fields", at: "Content-Length")
            }
            contentLength = try Self.length(bytes, value)
        case 17 where bytes.isSameWord(name, "transfer-encoding"):
            codings += 1
            if bytes.isSameWord(value, "chunked") { isChunked = true } else { isCodingKnown = false }
        default: break
        }
    }

    private static func length(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPProblem) -> Int {
        guard (1...18).contains(range.count) else {
            throw .framing("the Content-Length is no number, or too large a one", at: "Content-Length")
        }
        var length = 0
        for i in range {
            guard bytes[i].isDigit else { throw .framing("the Content-Length is no number", at: "Content-Length") }
            length = length * 10 + Int(bytes[i] - 0x30)
        }
        return length
    }

    private func checkFraming() throws(HTTPProblem) {
        if minorVersion > 0, hosts != 1 { throw .host("there is no Host field") }
        guard codings > 0 else { return }
        // The length that another reader believes could be where a smuggled request begins.
        if contentLength != nil {
            throw .framing("there are both Content-Length and Transfer-Encoding", at: "Transfer-Encoding")
        }
        if minorVersion == 0 { throw .framing("HTTP/1.0 has no Transfer-Encoding", at: "Transfer-Encoding") }
        if codings > 1 || !isCodingKnown {
            throw .notImplemented(
                "the only transfer coding is chunked", help: "send Transfer-Encoding: chunked",
                at: "Transfer-Encoding")
        }
    }
}

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
            if feed - 1 == line, line > blanks { return try checkedLength(feed + 1, limit) }
            // RFC 9112, 2.2: some clients send an empty line after a body.
            if feed - 1 == line {
                guard blanks < 4 else { throw .malformed("the request begins with empty lines") }
                blanks += 2
            }
            if line <= blanks, feed >= limit { throw .targetTooLong(limit: limit) }
            line = feed + 1
            scanned = line
        }
        scanned = bytes.count
        _ = try checkedLength(bytes.count, limit)
        return nil
    }

    /// How many bytes of empty lines go before the request line.
    var leading: Int { blanks }

    private func checkedLength(_ count: Int, _ limit: Int) throws(HTTPProblem) -> Int {
        guard count > limit else { return count }
        throw line <= blanks ? .targetTooLong(limit: limit) : .headTooLarge("\(limit) bytes")
    }
}

/// The forms a request's target may have. RFC 9112, 3.2.
enum RequestTargetForm {
    /// Path and query; or `*`, for OPTIONS.
    case origin
    /// A whole URI, which goes before the Host field.
    case absolute(authority: String, path: String)

    init(_ target: String, method: String) throws(HTTPProblem) {
        let bytes = target.utf8Span.span
        if bytes.count > 0, bytes[0] == 0x2F {
            guard bytes.firstIndex(of: 0x23, from: 0) == nil else { throw .malformed("the target has a fragment") }
            self = .origin
        } else if target == "*" {
            guard method == "OPTIONS" else { throw .malformed("only OPTIONS may ask for *") }
            self = .origin
        } else if method == "CONNECT" {
            throw .notImplemented("this is no proxy", help: "send the request to its own server")
        } else {
            self = try Self.absolute(target)
        }
    }

    private static func absolute(_ target: String) throws(HTTPProblem) -> RequestTargetForm {
        let bytes = target.utf8Span.span
        let prefixes = ["http://", "https://"]
        guard
            let prefix = prefixes.first(where: {
                bytes.count > $0.utf8.count && bytes.isSameWord(0..<$0.utf8.count, $0)
            }),
            bytes.firstIndex(of: 0x23, from: 0) == nil
        else { throw .malformed("the target is neither a path nor a URI of this server") }
        let start = prefix.utf8.count
        var end = start
        while end < bytes.count, bytes[end] != 0x2F, bytes[end] != 0x3F { end += 1 }
        guard end > start, isAuthority(bytes, start..<end) else {
            throw .malformed("the host of the target is no host")
        }
        let rest = bytes.text(end..<bytes.count)
        return .absolute(authority: bytes.text(start..<end), path: rest.utf8.first == 0x2F ? rest : "/" + rest)
    }

    /// Whether this may be a host with or without a port. It may be empty.
    static func isAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for i in range {
            switch bytes[i] {
            case let byte where byte.isASCIILetterOrDigit: break
            // - . _ ~ % ! $ & ' ( ) * + ; = : [ ]
            case 0x2D, 0x2E, 0x5F, 0x7E, 0x25, 0x21, 0x24, 0x26...0x2B, 0x3B, 0x3D, 0x3A, 0x5B, 0x5D: break
            default: return false
            }
        }
        return true
    }
}
