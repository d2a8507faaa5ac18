/// Reads parameters of the form `name=value&name=value` (URL Standard, application/x-www-form-urlencoded).
public enum FormParameters {
    public struct Parameter: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The parameters in order, decoded. What is not valid UTF-8 after decoding is repaired; a `%` that begins no escape
    /// stays as it is. At most `limit` are read.
    ///
    /// - Returns: nil where there are more than `limit`.
    public static func parse(_ text: some Collection<UInt8>, limit: Int = .max) -> [Parameter]? {
        var parameters: [Parameter] = []
        for part in Array(text).split(separator: UInt8(ascii: "&")) {
            guard parameters.count < limit else { return nil }
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            parameters.append(Parameter(decode(name), decode(part.dropFirst(name.count).dropFirst())))
        }
        return parameters
    }

    /// One name or value.
    package static func decode(_ text: some Collection<UInt8>) -> String {
        PercentEncoding.decodedText(text, plus: UInt8(ascii: " "))
    }
}
