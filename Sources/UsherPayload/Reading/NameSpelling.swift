internal import UsherText

/// "Did you mean": names that differ by spelling style or by a slip.
enum NameSpelling {
    /// Lower-case letters and digits only: snake, camel and kebab case of one name are the same.
    private static func normalized(_ name: some Sequence<UInt8>) -> [UInt8] {
        name.compactMap { byte in
            switch byte {
            case 0x41...0x5A: byte | 0x20
            case 0x61...0x7A, 0x30...0x39: byte
            default: byte < 0x80 ? nil : byte
            }
        }
    }

    static func closest(to name: String, in candidates: [String]) -> String? {
        let wanted = normalized(name.utf8)
        guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
        let limit = wanted.count < 5 ? 1 : 2
        return Spelling.closest(
            to: wanted, among: candidates, spelled: { normalized($0.utf8) }, within: { _ in limit })
    }

    /// Says whether a name is another spelling of Apple's key for the target, in any case style.
    ///
    /// - Parameters:
    ///   - loosely: also names that leave "content" out.
    static func looksLikeTarget(_ name: ArraySlice<UInt8>, loosely: Bool) -> Bool {
        // Almost every other name ends here.
        guard let first = name.first, first | 0x20 == 0x74, name.count >= 8, name.count <= 40 else { return false }
        let text = String(decoding: normalized(name), as: UTF8.self)
        switch text {
        case "targetcontentid", "targetcontentidentifier", "targetcontentids", "targetcontentidentifer": return true
        case "targetid", "targetidentifier", "targetcontent", "targetcontenturl": return loosely
        default: return false
        }
    }
}
