/// One reason why an identifier will not lead back to its content, and a better idea.
public struct LintFinding: Sendable, Hashable {
    public let code: LintCode
    /// The words of the identifier that give rise to it, shortened; empty where it is about the whole.
    public let found: String
    /// What is wrong, as one sentence without a full stop. For people; may change between releases.
    public let message: String
    /// What to do instead. For people; may change between releases.
    public let suggestion: String

    init(_ code: LintCode, found: String, _ message: String, suggestion: String) {
        self.code = code
        self.found = found
        self.message = message
        self.suggestion = suggestion
    }
}

extension LintFinding: CustomStringConvertible {
    public var description: String { "\(code.number) \(code.rawValue): \(message) (\(suggestion))" }
}

// The texts, in one place.
extension LintFinding {
    static func make(_ code: LintCode, _ words: [String]) -> LintFinding {
        var unique: [String] = []
        for word in words where !unique.contains(word) { unique.append(word) }
        let found = shortened(unique.prefix(5).joined(separator: ", "))
        let (message, suggestion) = texts(code, found)
        return LintFinding(code, found: found, message, suggestion: suggestion)
    }

    private static func shortened(_ text: String) -> String {
        text.unicodeScalars.count <= 80 ? text : String(text.unicodeScalars.prefix(77)) + "..."
    }

    private static func texts(_ code: LintCode, _ found: String) -> (message: String, suggestion: String) {
        switch code {
        case .localPath:
            (
                "'\(found)' is a file's place on one device; other devices have nothing there, and files move",
                "name the content: give it a UUID when it is made, and keep that with it"
            )
        case .localHost:
            (
                "the host '\(found)' is known to one device or network only",
                "use the public name of the service, or an identifier without a host"
            )
        case .device:
            (
                "'\(found)' names a device; the same content on another device would have another identifier",
                "leave the device out, or give the content a UUID that all devices share"
            )
        case .deviceStore:
            (
                "'\(found)' is a handle of a store on one device; other devices cannot open it",
                "use the identifier that the content has on the server, or give it a UUID"
            )
        case .personal:
            (
                "'\(found)' depends on the user who opens it, or names that user",
                "name the owner by a permanent number, or leave the person out"
            )
        case .temporaryHost:
            (
                "'\(found)' is a tunnel or preview host; it will be gone",
                "use the host of the finished service"
            )
        case .notGlobal:
            (
                "'\(found)' is a number; another app may give it to other content",
                "write it with a scheme, as in 'myapp:\(found)', or use a UUID; it is compared together with its app"
            )
        case .session:
            (
                "'\(found)' is a session's number; it ends with the session",
                "drop it: the signed-in user is not part of the content"
            )
        case .token:
            (
                "'\(found)' grants access or proves something; it expires, and an identifier is stored and shown",
                "drop it, and revoke it where it was sent already; send secrets beside the identifier, never in it"
            )
        case .timestamp:
            (
                "'\(found)' is the moment of a request, not part of the content's identity",
                "drop it; where versions matter, use the version's number"
            )
        case .viewState:
            (
                "'\(found)' says how the content is looked at",
                "drop it; state of a view belongs in the user info of an activity"
            )
        case .fragment:
            (
                "'\(found)' is a place within the content",
                "drop it; a position belongs in the user info of an activity"
            )
        case .tracking:
            (
                "'\(found)' says where a visitor came from; each campaign makes another identifier of one content",
                "drop it"
            )
        case .mutableTitle:
            (
                "'\(found)' looks like a title or a file name; it changes when the content is renamed",
                "use a UUID or a number that is given once; put the title beside the identifier"
            )
        case .empty: ("the identifier is empty", "leave it out, or name the content")
        case .placeholder:
            (
                "'\(found)' was never filled in",
                "look for the missing value where the identifier is built; usher target build refuses it"
            )
        case .moving:
            (
                "'\(found)' means other content at another time",
                "name the content that it stands for now"
            )
        case .relative:
            (
                "'\(found)' means something only in its place",
                "write the whole address, beginning with its scheme"
            )
        case .credentials:
            (
                "the address holds a user name or password",
                "drop what stands before the '@'; change the password where it was sent already"
            )
        case .spelling:
            (
                "\(found): others will spell the same content differently, and identifiers are compared byte by byte",
                "write it in one normal form (RFC 3986, section 6) wherever it is made"
            )
        case .tooLong:
            (
                "an identifier has at most \(URITemplate.maximumLength) bytes, and this one has \(found)",
                "name the content; do not put it into its identifier"
            )
        }
    }
}

/// What can be wrong with an identifier, under names and numbers that never change meaning.
///
/// The raw value is the dotted name; ``number`` is what logs and answers call `code`. Numbers are grouped by the quality
/// that is missing: U71xx global, U72xx stable, U73xx unique, U74xx safe to compare and to show.
public enum LintCode: String, Sendable, Hashable, CaseIterable {
    /// A file's place on one device.
    /// Remedy: give the content a UUID.
    case localPath = "lint.local-path"
    /// A host that only some networks know.
    /// Remedy: use the public name.
    case localHost = "lint.local-host"
    /// A device's name or number.
    /// Remedy: leave the device out.
    case device = "lint.device"
    /// A handle of a store on one device.
    /// Remedy: use the identifier that the server has.
    case deviceStore = "lint.device-store"
    /// An address that depends on the user who opens it.
    /// Remedy: name the owner by a permanent number, or leave the person out.
    case personal = "lint.personal"
    /// A tunnel or preview host.
    /// Remedy: use the host of the finished service.
    case temporaryHost = "lint.temporary-host"
    /// A number that other apps give to other content.
    /// Remedy: write it with a scheme, or use a UUID.
    case notGlobal = "lint.not-global"
    /// A session's number.
    /// Remedy: drop it.
    case session = "lint.session"
    /// A secret, or a proof that expires.
    /// Remedy: drop it, and revoke it.
    case token = "lint.token"
    /// The moment of a request.
    /// Remedy: drop it.
    case timestamp = "lint.timestamp"
    /// How the content is looked at.
    /// Remedy: drop it.
    case viewState = "lint.view-state"
    /// A place within the content.
    /// Remedy: drop it.
    case fragment = "lint.fragment"
    /// Where a visitor came from.
    /// Remedy: drop it.
    case tracking = "lint.tracking"
    /// A title or file name that a user may change.
    /// Remedy: use a UUID or a number.
    case mutableTitle = "lint.mutable-title"
    /// No identifier at all.
    /// Remedy: leave it out, or name the content.
    case empty = "lint.empty"
    /// A name that was never filled in.
    /// Remedy: look where the identifier is built.
    case placeholder = "lint.placeholder"
    /// A word whose content changes: current, latest.
    /// Remedy: name what it stands for.
    case moving = "lint.moving"
    /// A part of an address.
    /// Remedy: write the whole address.
    case relative = "lint.relative"
    /// A user name or password.
    /// Remedy: drop it, and change the password.
    case credentials = "lint.credentials"
    /// What other programs spell differently.
    /// Remedy: one normal form (RFC 3986, section 6).
    case spelling = "lint.spelling"
    /// More than 16384 bytes.
    /// Remedy: name the content; do not put it into its identifier.
    case tooLong = "lint.too-long"

    /// `U` and four digits, one to one with the name.
    public var number: String {
        switch self {
        case .localPath: "U7101"
        case .localHost: "U7102"
        case .device: "U7103"
        case .deviceStore: "U7104"
        case .personal: "U7105"
        case .temporaryHost: "U7106"
        case .notGlobal: "U7107"
        case .session: "U7201"
        case .token: "U7202"
        case .timestamp: "U7203"
        case .viewState: "U7204"
        case .fragment: "U7205"
        case .tracking: "U7206"
        case .mutableTitle: "U7207"
        case .empty: "U7301"
        case .placeholder: "U7302"
        case .moving: "U7303"
        case .relative: "U7304"
        case .credentials: "U7401"
        case .spelling: "U7402"
        case .tooLong: "U7403"
        }
    }
}
