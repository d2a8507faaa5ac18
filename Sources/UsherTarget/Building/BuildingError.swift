/// Why a payload or a request cannot be built as it was described.
///
/// `code` is stable; the message is for people and may change.
public struct BuildingError: Error, Sendable, Hashable {
    /// What is wrong, under a name that does not change between releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A target content identifier is empty or too long.
        case target = "payload.target"
        /// A value that the format does not allow.
        case value = "payload.value"
        /// A member is named like one of the format's own, or twice.
        case member = "payload.member"
        /// Members that exclude each other, or the push type.
        case conflict = "payload.conflict"
        /// More bytes than the service takes; see ``BuildingError/excess``.
        case tooLarge = "payload.too-large"
        /// A header that cannot be sent: empty, too long, with control characters.
        case header = "payload.header"
        /// A signing secret that is none.
        case secret = "payload.secret"
    }

    public let code: Code
    /// The member or header that it is about, as in `aps.badge`.
    public let place: String
    /// One sentence without a full stop.
    public let message: String
    /// How many bytes have to go, where there are too many.
    public let excess: Int

    init(_ code: Code, _ place: String, _ message: String, excess: Int = 0) {
        self.code = code
        self.place = place
        self.message = message
        self.excess = excess
    }
}

extension BuildingError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(place): \(message)" }
}

extension BuildingError {
    static func tooLarge(_ place: String, _ count: Int, limit: Int) -> Self {
        Self(
            .tooLarge, place, "\(count) bytes are \(count - limit) more than the \(limit) allowed",
            excess: count - limit)
    }

    /// A target content identifier that may be sent.
    static func check(target: String, at place: String) throws(BuildingError) {
        guard !target.isEmpty else { throw Self(.target, place, "an identifier is not empty: leave it out") }
        let count = target.utf8.count
        guard count <= URITemplate.maximumLength else {
            throw Self(
                .target, place, "an identifier has at most \(URITemplate.maximumLength) bytes, this one \(count)",
                excess: count - URITemplate.maximumLength)
        }
    }

    /// A header value of visible ASCII and single spaces inside. RFC 9110, section 5.5.
    static func check(header name: String, _ value: String, limit: Int = 8192) throws(BuildingError) {
        guard !value.isEmpty else { throw Self(.header, name, "is empty") }
        guard value.utf8.count <= limit else { throw .tooLarge(name, value.utf8.count, limit: limit) }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), value.utf8.first != 0x20, value.utf8.last != 0x20
        else {
            throw Self(.header, name, "has characters that a header cannot hold")
        }
    }
}
