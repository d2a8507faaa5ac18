/// The forms a request's target may have. RFC 9112, 3.2.
enum RequestTarget {
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
            throw .notImplemented("this is no proxy")
        } else {
            self = try Self.absolute(target)
        }
    }

    private static func absolute(_ target: String) throws(HTTPProblem) -> RequestTarget {
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
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: break
            // - . _ ~ % ! $ & ' ( ) * + ; = : [ ]
            case 0x2D, 0x2E, 0x5F, 0x7E, 0x25, 0x21, 0x24, 0x26...0x2B, 0x3B, 0x3D, 0x3A, 0x5B, 0x5D: break
            default: return false
            }
        }
        return true
    }
}
