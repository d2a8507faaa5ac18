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
                "'\(found)' is a handle of a store on one device; nobody else can follow it",
                "use the identifier that the content has on the server, or give it a UUID"
            )
        case .personal:
            (
                "'\(found)' depends on who follows it, or tells who did",
                "name the owner by a permanent number, or leave the person out"
            )
        case .temporaryHost:
            (
                "'\(found)' is a tunnel or preview host; it will be gone",
                "use the host of the finished service"
            )
        case .session:
            (
                "'\(found)' is a session's number; it ends with the session",
                "drop it: who is signed in is not part of what is shown"
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
                "'\(found)' looks like a title or a file name; it changes when somebody renames the content",
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
