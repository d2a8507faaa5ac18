internal import UsherOperation
internal import UsherText

/// The path and the query of a request's target, decoded (RFC 3986, 2.1 and 3).
struct RequestTarget: Sendable {
    /// The segments of the path: `v1`, `scenes`, `clown-1`.
    var path: [String]
    var query: [(name: String, value: String)]

    /// - Parameter target: path and query as they were sent.
    init(_ target: String) throws(ControlError) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = []
        let segments = (parts.first ?? "".utf8[...]).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for segment in segments.dropFirst() { path.append(try RequestTarget.decode(segment)) }
        query = []
        guard parts.count > 1 else { return }
        for item in parts[1].split(separator: UInt8(ascii: "&")) {
            let pair = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            query.append(
                (
                    try RequestTarget.decode(pair[0], plusIsBlank: true),
                    pair.count > 1 ? try RequestTarget.decode(pair[1], plusIsBlank: true) : ""
                ))
        }
    }

    /// The values of a parameter that may be repeated.
    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter that may stand once.
    func value(_ name: String) throws(ControlError) -> String? {
        let values = values(name)
        guard values.count <= 1 else { throw ControlError(.controlArgument, "\(name) is given twice", at: "?\(name)") }
        return values.first
    }

    func flag(_ name: String) throws(ControlError) -> Bool {
        guard let value = try value(name) else { return false }
        switch value {
        case "", "1", "true": return true
        case "0", "false": return false
        default:
            throw ControlError(.controlArgument, "\(name) is \(QuotedText.text(value)), not 1 or 0", at: "?\(name)")
        }
    }

    /// Refuses parameters that the operation does not have.
    func check(_ allowed: [String]) throws(ControlError) {
        for item in query where !allowed.contains(item.name) {
            throw .unknown(.controlArgument, "parameter", item.name, among: allowed, at: "?\(item.name)")
        }
    }

    private static func decode(
        _ text: Substring.UTF8View, plusIsBlank: Bool = false
    ) throws(ControlError) -> String {
        let bytes = Array(text)
        let isWellFormed = bytes.indices.allSatisfy {
            bytes[$0] != UInt8(ascii: "%") || PercentEncoding.triplet(in: bytes, at: $0) != nil
        }
        guard isWellFormed else {
            throw ControlError(
                .controlArgument, "the address has a % without two hexadecimal digits", help: "write %25 for a %")
        }
        let result = PercentEncoding.decode(bytes, plus: UInt8(ascii: plusIsBlank ? " " : "+"))
        guard let decoded = String(validating: result, as: UTF8.self) else {
            throw ControlError(.controlArgument, "the address is not UTF-8 when it is decoded")
        }
        return decoded
    }
}
