/// One entry in systemd-journald's native protocol.
///
/// A field is `NAME=value` and a line feed; a value that has a line feed itself is `NAME`, a line feed, its length as 64
/// little-endian bits, the value, a line feed. https://systemd.io/JOURNAL_NATIVE_PROTOCOL/
struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    /// Appends a field; the name must be one already: upper case letters, digits and `_`.
    mutating func append(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        let value = value.utf8
        if value.contains(0x0A) {
            bytes.append(0x0A)
            var length = UInt64(value.count)
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: length))
                length >>= 8
            }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes.append(contentsOf: value)
        bytes.append(0x0A)
    }

    /// The field that a dotted key of the log's metadata becomes: `delivery.id` is `USHER_DELIVERY_ID`.
    ///
    /// journald drops names longer than 64 bytes, so they are cut.
    static func fieldName(_ key: String) -> String {
        var name = "USHER_"
        for byte in key.utf8.prefix(58) {
            switch byte {
            case 0x61...0x7A: name.unicodeScalars.append(Unicode.Scalar(byte - 0x20))
            case 0x41...0x5A, 0x30...0x39: name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name.unicodeScalars.append("_")
            }
        }
        return name
    }
}
