internal import UsherJSON

/// Text from outside, made safe to show: control, bidirectional and separator characters become visible escapes.
public enum TerminalText {
    public static func escape(_ text: some StringProtocol) -> String {
        guard text.unicodeScalars.contains(where: disturbs) else { return String(text) }
        var safe = ""
        for scalar in text.unicodeScalars {
            if disturbs(scalar) {
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    private static func disturbs(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || JSONWriter.disturbsTerminals(scalar)
    }
}
