/// The part of a URL behind its host, cut into what an association file speaks of.
///
/// The forms in which rules want to see it are made when the first of them asks.
public struct LinkAddress: Sendable {
    struct Parts: Sendable {
        var path: [UInt8]
        /// Without its `?`; empty where there is none.
        var query: [UInt8]
        var fragment: [UInt8]
        var items: [Item]
    }

    struct Item: Sendable {
        var name: [UInt8]
        var value: [UInt8]
    }

    private let path: [UInt8]
    private let query: [UInt8]
    private let fragment: [UInt8]
    private var forms: [Parts?] = [nil, nil, nil, nil]

    /// - Parameter rest: from the first `/`, `?` or `#` on, as ``TargetContentIdentifier/webHost`` gives it.
    public init(_ rest: Substring) {
        let bytes = Array(rest.utf8)
        let hash = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let question = bytes[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        // No path and the root are the same address (RFC 3986, 6.2.3).
        path = question == 0 ? [UInt8(ascii: "/")] : Array(bytes[..<question])
        query = question == hash ? [] : Array(bytes[(question + 1)..<hash])
        fragment = hash == bytes.count ? [] : Array(bytes[(hash + 1)...])
    }

    mutating func parts(in form: LinkForm) -> Parts {
        if let parts = forms[form.index] { return parts }
        let items = query.split(separator: UInt8(ascii: "&")).map { item in
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            return Item(
                name: form.apply(to: Array(item[..<equals])),
                value: form.apply(to: Array(item[equals...].dropFirst())))
        }
        let parts = Parts(
            path: form.apply(to: path), query: form.apply(to: query), fragment: form.apply(to: fragment), items: items)
        forms[form.index] = parts
        return parts
    }
}
