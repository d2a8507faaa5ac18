/// Durations as people give them: `90s`, `15m`, `2h`, `7d`, `1h30m`.
public enum DurationText {
    /// nil where the text is none, or has a number of more than nine digits. Units come from the largest to the smallest.
    public static func seconds(_ text: some StringProtocol) -> Int64? {
        var (sum, number, digits, last): (Int64, Int64, Int, Int64) = (0, 0, 0, .max)
        for byte in text.utf8 {
            if byte &- 0x30 < 10 {
                digits += 1
                guard digits <= 9 else { return nil }
                number = number * 10 + Int64(byte - 0x30)
            } else {
                guard digits > 0, let unit = unit(byte), unit < last else { return nil }
                sum += number * unit
                (number, digits, last) = (0, 0, unit)
            }
        }
        return digits == 0 && last != .max ? sum : nil
    }

    private static func unit(_ letter: UInt8) -> Int64? {
        switch letter {
        case UInt8(ascii: "s"): 1
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "h"): 3600
        case UInt8(ascii: "d"): 86_400
        default: nil
        }
    }
}
