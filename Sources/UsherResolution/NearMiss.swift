@_spi(_Unicode) import Swift
internal import UsherPredicate
public import UsherScene
internal import UsherText

/// Another spelling of a target, which a claim or a condition accepts that does not accept the target itself.
public struct NearMiss: Sendable, Hashable {
    /// The other spelling.
    public var id: String
    public var app: String
    /// The session whose condition accepts it; nil for a claim or a scene.
    public var session: String?
    public var scene: String?
    /// Where the claim or the condition stands.
    public var location: SourceLocation?
    public var difference: [Difference]

    /// What two spellings differ by.
    public enum Difference: String, Sendable, Hashable, CaseIterable {
        case schemeCase = "scheme-case"
        case hostCase = "host-case"
        /// http and https.
        case scheme
        case percentEncoding = "percent-encoding"
        /// One at the end of the path.
        case slash
        /// NFC and NFD.
        case normalization
    }
}

extension Resolver {
    /// The most near misses that an explanation has, and the most windows that are tried for them.
    private static let limits = (misses: 8, windows: 200)

    /// - Complexity: an evaluation of each condition in question for each spelling; for `explain` alone.
    func nearMisses(of explanation: Explanation) -> [NearMiss] {
        let request = explanation.request
        guard let target = request.target?.text ?? request.url, target.utf8.count <= 4096 else { return [] }
        let spellings = Spelling.all(of: target)
        var misses: [NearMiss] = []
        func add(_ accepted: [Spelling], _ miss: (Spelling) -> NearMiss) {
            for spelling in accepted where misses.count < Resolver.limits.misses {
                // Of several spellings for one place, those with a needless difference are left out.
                let isNeedless = accepted.contains { other in
                    other.differences.count < spelling.differences.count
                        && Set(other.differences).isSubset(of: spelling.differences)
                }
                let found = miss(spelling)
                if !isNeedless, !misses.contains(found) { misses.append(found) }
            }
        }
        if explanation.owners.isEmpty, request.app == nil {
            var accepted: [Int: [(Spelling, OwnerClaim)]] = [:]
            for spelling in spellings {
                for claim in claims(to: TargetContentIdentifier(spelling.text)) {
                    accepted[claim.place, default: []].append((spelling, claim))
                }
            }
            for place in accepted.keys.sorted() {
                let found = accepted[place] ?? []
                add(found.map(\.0)) { spelling in
                    let claim = found.first { $0.0 == spelling }?.1
                    return NearMiss(
                        id: spelling.text, app: snapshot.configuration.apps[place].id,
                        location: claim?.claim.location, difference: spelling.differences)
                }
            }
        }
        guard let app = explanation.app else { return misses }
        let subjects = spellings.map { PredicateSubject($0.text) }
        let host = Host(of: target)
        func accepted(by condition: Explanation.Truth) -> [Spelling] {
            let predicate = condition.predicate
            if condition.result || predicate == .always { return [] }
            let cased = host.map { Spelling.all(of: $0, as: predicate.canonicalText) } ?? []
            return spellings.indices.filter { predicate.evaluate(subjects[$0]) }.map { spellings[$0] }
                + cased.filter { predicate.evaluate($0.text) }
        }
        for candidate in explanation.candidates.prefix(Resolver.limits.windows) {
            let session = candidate.session
            let prefers = accepted(by: candidate.prefers)
            add(prefers) {
                NearMiss(
                    id: $0.text, app: app.id, session: session.id, scene: session.scene,
                    location: candidate.prefers.location, difference: $0.differences)
            }
            if candidate.can.predicate == candidate.prefers.predicate { continue }
            let can = accepted(by: candidate.can).filter { !prefers.contains($0) }
            add(can) {
                NearMiss(
                    id: $0.text, app: app.id, session: session.id, scene: session.scene,
                    location: candidate.can.location, difference: $0.differences)
            }
        }
        for configuration in explanation.configurations {
            guard let opens = configuration.opens else { continue }
            add(accepted(by: opens)) {
                NearMiss(
                    id: $0.text, app: app.id, scene: configuration.scene.name, location: opens.location,
                    difference: $0.differences)
            }
        }
        return misses
    }
}

/// A spelling of an identifier that differs from it in what people and programs often change.
private struct Spelling: Hashable {
    var text: String
    var differences: [NearMiss.Difference]

    private static let most = 600

    static func == (one: Self, other: Self) -> Bool {
        one.text.hasSameBytes(as: other.text) && one.differences == other.differences
    }

    func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }

    /// Every spelling but its own, those with the fewest differences first.
    static func all(of text: String) -> [Spelling] {
        var spellings = [Spelling(text: text, differences: [])]
        for difference in NearMiss.Difference.allCases {
            for spelling in spellings {
                for other in spelling.changed(difference)
                where spellings.count < most && !spellings.contains(where: { $0.text.hasSameBytes(as: other) }) {
                    spellings.append(Spelling(text: other, differences: spelling.differences + [difference]))
                }
            }
        }
        return spellings.dropFirst().sorted { $0.differences.count < $1.differences.count }
    }

    /// The same with scheme and host in the case in which they stand in a condition.
    static func all(of host: Host, as condition: String) -> [Spelling] {
        let (wanted, scheme) = (host.prefix, host.schemeCount)
        let bytes = Array(condition.utf8)
        guard wanted.count <= bytes.count else { return [] }
        for start in 0...(bytes.count - wanted.count) where host.isFolded(in: bytes, at: start) {
            let own = bytes[start..<start + wanted.count]
            if own.elementsEqual(wanted) { continue }
            var differences: [NearMiss.Difference] = []
            if own.prefix(scheme) != wanted.prefix(scheme) { differences.append(.schemeCase) }
            if own.dropFirst(scheme) != wanted.dropFirst(scheme) { differences.append(.hostCase) }
            let changed = String(decoding: own + host.rest, as: UTF8.self)
            // Its other spellings keep the case.
            let others = all(of: changed).filter {
                !$0.differences.contains(.schemeCase) && !$0.differences.contains(.hostCase)
            }
            return [Spelling(text: changed, differences: differences)]
                + others.map { Spelling(text: $0.text, differences: differences + $0.differences) }
        }
        return []
    }

    private func changed(_ difference: NearMiss.Difference) -> [String] {
        let parts = Parts(text)
        switch difference {
        case .schemeCase: return [parts.with(scheme: parts.scheme.map(Parts.lowercased))]
        case .hostCase: return [parts.with(authority: parts.authority.map(Parts.lowercased))]
        case .scheme:
            switch parts.scheme {
            case "http": return [parts.with(scheme: "https")]
            case "https": return [parts.with(scheme: "http")]
            default: return []
            }
        case .percentEncoding:
            return [
                Spelling.withHex(text, isUpper: true), Spelling.withHex(text, isUpper: false),
                Spelling.decoded(text) { PercentEncoding.isUnreserved($0) },
                Spelling.decoded(text) { PercentEncoding.isUnreserved($0) || $0 >= 0x80 },
                Spelling.decoded(text) { $0 >= 0x20 && $0 != 0x7F },
                PercentEncoding.encode(text.utf8, isUpper: true, keeping: Spelling.isInURI),
                PercentEncoding.encode(text.utf8, isUpper: false, keeping: Spelling.isInURI),
            ]
        case .slash: return [parts.withOtherSlash]
        case .normalization:
            return [String(String.UnicodeScalarView(text._nfc)), String(String.UnicodeScalarView(text._nfd))]
        }
    }

    /// With the digits of all triplets in one case.
    private static func withHex(_ text: String, isUpper: Bool) -> String {
        var bytes = Array(text.utf8)
        for index in bytes.indices where PercentEncoding.triplet(in: bytes, at: index) != nil {
            for digit in [index + 1, index + 2] where bytes[digit] >= 0x41 {
                bytes[digit] = isUpper ? bytes[digit] & 0xDF : bytes[digit] | 0x20
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text itself where it would not be UTF-8.
    private static func decoded(_ text: String, _ isDecoded: (UInt8) -> Bool) -> String {
        String(validating: PercentEncoding.decode(text.utf8, where: isDecoded), as: UTF8.self) ?? text
    }

    /// No URI has bytes outside ASCII, blanks, and a few signs (RFC 3986, 2).
    private static func isInURI(_ byte: UInt8) -> Bool {
        (0x21..<0x7F).contains(byte) && !#""<>\^`{|}"#.utf8.contains(byte)
    }
}

/// An identifier with a host, as it is searched for in conditions.
private struct Host {
    /// `SCHEME://HOST`.
    let prefix: ArraySlice<UInt8>
    let schemeCount: Int
    /// What follows.
    let rest: ArraySlice<UInt8>

    init?(of text: String) {
        let parts = Parts(text)
        guard let scheme = parts.scheme, let authority = parts.authority, !authority.isEmpty else { return nil }
        schemeCount = scheme.utf8.count
        let bytes = Array(text.utf8)
        let count = schemeCount + 3 + authority.utf8.count
        (prefix, rest) = (bytes.prefix(count), bytes.dropFirst(count))
    }

    /// Whether scheme and host stand there, in any case.
    func isFolded(in bytes: [UInt8], at start: Int) -> Bool {
        for index in prefix.indices where prefix[index].lowercasedASCII != bytes[start + index].lowercasedASCII {
            return false
        }
        return true
    }
}

/// The parts of an identifier that a spelling changes.
private struct Parts {
    var scheme: String?
    /// Of an identifier with `//`.
    var authority: String?
    var path: String
    /// From `?` or `#` on.
    var rest: String

    init(_ text: String) {
        var bytes = Array(text.utf8)[...]
        func part(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), TargetContentIdentifier.isScheme(bytes[..<colon]) {
            scheme = part(bytes[..<colon])
            bytes = bytes[(colon + 1)...]
            if bytes.starts(with: "//".utf8) {
                let end = bytes.dropFirst(2).firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
                authority = part(bytes[(bytes.startIndex + 2)..<end])
                bytes = bytes[end...]
            }
        }
        let end = bytes.firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
        path = part(bytes[..<end])
        rest = part(bytes[end...])
    }

    private var text: String {
        (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + rest
    }

    func with(scheme: String?) -> String {
        var parts = self
        parts.scheme = scheme
        return parts.text
    }

    func with(authority: String?) -> String {
        var parts = self
        parts.authority = authority
        return parts.text
    }

    /// With a slash at the end of the path, or without the one that is there.
    var withOtherSlash: String {
        var parts = self
        if parts.path.utf8.last == UInt8(ascii: "/") { parts.path.removeLast() } else { parts.path += "/" }
        return parts.text
    }

    /// ASCII only.
    static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { $0.lowercasedASCII }, as: UTF8.self)
    }
}
