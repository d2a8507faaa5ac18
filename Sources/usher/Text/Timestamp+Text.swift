internal import UsherLog

extension Timestamp {
    /// A moment as `text` writes it: RFC 3339 in UTC; nil where it is none.
    init?(text: String) {
        let parts = text.utf8.split(whereSeparator: { !(0x30...0x39).contains($0) }).map { digits in
            digits.prefix(9).reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        }
        guard parts.count == 7, text.utf8.last == UInt8(ascii: "Z"), (1...12).contains(parts[1]) else { return nil }
        // Years are counted from March, so that a leap day is the last.
        let year = parts[0] - (parts[1] <= 2 ? 1 : 0)
        let month = (parts[1] + 9) % 12
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + parts[2] - 1 - 719_468
        let seconds = ((days * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5]
        self.init(microseconds: (seconds * 1000 + parts[6]) * 1000)
    }
}
