internal import UsherText

/// Bytes of cards as text: UTF-8, or what a `CHARSET` says.
enum CardText {
    private static let names: [String: Encoding] = [
        "utf-8": .utf8, "utf8": .utf8,
        "iso-8859-1": .windows1252, "iso8859-1": .windows1252, "iso_8859-1": .windows1252, "latin1": .windows1252,
        "latin-1": .windows1252, "windows-1252": .windows1252, "cp1252": .windows1252, "us-ascii": .windows1252,
        "ascii": .windows1252,
        "iso-8859-2": .latin2, "iso8859-2": .latin2, "iso_8859-2": .latin2, "latin2": .latin2, "latin-2": .latin2,
        "windows-1250": .windows1250, "cp1250": .windows1250,
    ]

    enum Encoding {
        case utf8, windows1252, latin2, windows1250
    }

    /// - Parameter charset: nil, or one that is not known, is UTF-8; bytes that are none are then windows-1252.
    static func decode(_ bytes: some Collection<UInt8>, charset: String? = nil) -> String {
        let bytes = Array(bytes)
        switch charset.flatMap({ names[$0.lowercased()] }) ?? .utf8 {
        case .utf8: return String(validating: bytes, as: UTF8.self) ?? decode(bytes, upper: windows1252)
        case .windows1252: return decode(bytes, upper: windows1252)
        case .latin2: return decode(bytes, upper: latin2)
        case .windows1250: return decode(bytes, upper: windows1250)
        }
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// UTF-16 with a byte order mark as UTF-8; other bytes as they are.
    static func utf8(of bytes: [UInt8]) -> [UInt8] {
        let isLittle = bytes.starts(with: [0xFF, 0xFE])
        guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
        var units: [UInt16] = []
        for place in stride(from: 2, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            units.append(isLittle ? second << 8 | first : first << 8 | second)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Without blanks and line ends around it.
    static func trimmed(_ text: some StringProtocol) -> String { text.trimmed ?? "" }

    static func withoutEndBlanks(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while line.last == 0x20 || line.last == 0x09 { line.removeLast() }
        return line
    }

    /// - Parameter upper: the 128 characters from 0x80 on.
    private static func decode(_ bytes: [UInt8], upper: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80]) }
        return String(text)
    }

    private static let controls = (UInt8(0x80)...0x9F).map { Unicode.Scalar($0) }

    private static let windows1252 =
        Array(
            "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
        + (UInt8(0xA0)...0xFF).map { Unicode.Scalar($0) }

    private static let latin2 =
        controls
        + Array(
            """
            \u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙
            """.unicodeScalars)

    private static let windows1250 =
        Array(
            "€\u{81}‚\u{83}„…†‡\u{88}‰Š‹ŚŤŽŹ\u{90}‘’“”•–—\u{98}™š›śťžź".unicodeScalars)
        + Array("\u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż".unicodeScalars) + latin2[64...]
}
