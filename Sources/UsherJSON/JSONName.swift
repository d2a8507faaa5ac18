/// A member's name, ready to be written: for objects that are written again and again.
public struct JSONName: Sendable {
    /// With its quotes and its colon.
    let bytes: [UInt8]
    /// The whole member where it has no value.
    let null: [UInt8]

    public init(_ name: String) {
        var writer = JSONWriter()
        writer.quoted(name)
        bytes = writer.bytes + [0x3A]
        null = bytes + Array("null".utf8)
    }
}

// Members are written in one piece where they can be; never pretty.
extension JSONWriter {
    public mutating func key(_ name: JSONName) {
        separate()
        bytes.append(contentsOf: name.bytes)
        followsKey = true
    }

    public mutating func member(_ name: JSONName, _ value: String?) {
        separate()
        guard let value else {
            bytes.append(contentsOf: name.null)
            return
        }
        let text = value.utf8Span.span
        guard Self.isPlain(text) else {
            bytes.append(contentsOf: name.bytes)
            return escape(value)
        }
        let key = name.bytes.span
        bytes.append(addingCapacity: key.count &+ text.count &+ 2) { member in
            for i in key.indices { member.append(key[i]) }
            member.append(0x22)
            for i in text.indices { member.append(text[i]) }
            member.append(0x22)
        }
    }

    public mutating func member(_ name: JSONName, _ value: Bool) {
        key(name)
        self.value(value)
    }

    public mutating func member(_ name: JSONName, _ value: Int64?) {
        separate()
        guard let value else {
            bytes.append(contentsOf: name.null)
            return
        }
        bytes.append(contentsOf: name.bytes)
        bytes.appendDecimal(value)
    }

    /// See `member(_:appending:)` of a name in words.
    public mutating func member(_ name: JSONName, appending body: (inout [UInt8]) -> Void) {
        key(name)
        string(appending: body)
    }
}
