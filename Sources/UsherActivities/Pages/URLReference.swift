internal import UsherText

/// An absolute address that others are relative to (RFC 3986, section 5.2).
struct URLReference {
    private struct Parts {
        var scheme: Substring.UTF8View?
        var authority: Substring.UTF8View?
        var path: Substring.UTF8View
        var query: Substring.UTF8View?
        var fragment: Substring.UTF8View?
    }

    private let root: Parts

    /// nil for an address without folders, such as `mailto:`.
    init?(_ address: String) {
        root = URLReference.parts(address)
        guard root.scheme != nil, root.authority != nil || root.path.first == UInt8(ascii: "/") else { return nil }
    }

    /// Whether a text begins with a scheme.
    static func isAbsolute(_ text: String) -> Bool { schemeLength(text.utf8) != nil }

    /// The address that a text means: itself where it is absolute; nil where it is blank, or relative without a base.
    static func resolve(_ text: String, against base: URLReference?) -> String? {
        let text = text.whiteSpaceCollapsed
        guard !text.isEmpty else { return nil }
        return isAbsolute(text) ? text : base?.resolve(text)
    }

    private func resolve(_ text: String) -> String {
        let reference = URLReference.parts(text)
        var path: [UInt8]
        var authority = root.authority
        var query = reference.query
        if reference.authority != nil {
            authority = reference.authority
            path = URLReference.withoutDots(Array(reference.path))
        } else if reference.path.isEmpty {
            path = Array(root.path)
            if query == nil { query = root.query }
        } else if reference.path.first == UInt8(ascii: "/") {
            path = URLReference.withoutDots(Array(reference.path))
        } else {
            path = URLReference.withoutDots(merged(reference.path))
        }
        var result = Array(root.scheme ?? ""[...].utf8) + [UInt8(ascii: ":")]
        if let authority { result += Array("//".utf8) + Array(authority) }
        result += path
        if let query { result += [UInt8(ascii: "?")] + Array(query) }
        if let fragment = reference.fragment { result += [UInt8(ascii: "#")] + Array(fragment) }
        return String(decoding: result, as: UTF8.self)
    }

    private static func schemeLength(_ text: String.UTF8View) -> Int? {
        var length = 0
        for byte in text {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A: break
            case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): if length == 0 { return nil }
            case UInt8(ascii: ":"): return length > 0 ? length : nil
            default: return nil
            }
            length += 1
        }
        return nil
    }

    private static func parts(_ text: String) -> Parts {
        var rest = Substring(text).utf8
        var parts = Parts(path: rest)
        if let length = schemeLength(text.utf8) {
            parts.scheme = rest.prefix(length)
            rest = rest.dropFirst(length + 1)
        }
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            parts.fragment = rest[rest.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            parts.query = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            parts.authority = rest[..<slash]
            rest = rest[slash...]
        }
        parts.path = rest
        return parts
    }

    private func merged(_ path: Substring.UTF8View) -> [UInt8] {
        if root.authority != nil, root.path.isEmpty { return [UInt8(ascii: "/")] + Array(path) }
        guard let slash = root.path.lastIndex(of: UInt8(ascii: "/")) else { return Array(path) }
        return Array(root.path[...slash]) + Array(path)
    }

    /// Follows `.` and `..` (section 5.2.4).
    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard path.first == slash else { return path }
        var kept: [ArraySlice<UInt8>] = []
        var isFolder = false
        for segment in path.dropFirst().split(separator: slash, omittingEmptySubsequences: false) {
            isFolder = true
            if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
            } else if !segment.elementsEqual(".".utf8) {
                kept.append(segment)
                isFolder = false
            }
        }
        return kept.flatMap { [slash] + $0 } + (isFolder ? [slash] : [])
    }
}
