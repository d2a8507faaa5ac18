/// Something that does not stop a payload but is probably a mistake.
public struct PayloadWarning: Hashable, Sendable {
    public var name: DiagnosticName
    /// One sentence about this payload.
    public var message: String
    /// The place as a JSON pointer (RFC 6901).
    public var pointer: String
    /// Bytes from the start of the line or file.
    public var offset: Int?
    /// What the sender should do.
    public var help: String

    public init(
        _ name: DiagnosticName, _ message: String, pointer: String = "", offset: Int? = nil, help: String? = nil
    ) {
        self.name = name
        self.message = message
        self.pointer = pointer
        self.offset = offset
        self.help = help ?? name.remedy
    }

    /// The stable code, such as `U1104`.
    public var code: String { name.code }
}

extension PayloadWarning: CustomStringConvertible {
    public var description: String {
        "\(code) \(name.rawValue)\(pointer.isEmpty ? "" : " at \(pointer)"): \(message); \(help)"
    }
}
