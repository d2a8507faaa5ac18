internal import UsherConfiguration
internal import UsherHook

/// A sender that `usher hook add` supports: the hook that is written for it, and what its users enter there.
struct HookTemplate: Sendable {
    /// Where the secret comes from.
    enum Secret: Sendable {
        /// Made here, in hexadecimal, and entered at the sender.
        case made
        /// Made here, as Standard Webhooks has it: `whsec_` and Base64.
        case madeForStandard
        /// The sender gives it; the words say what it is and where.
        case given(String)
    }

    /// A field of the sender's form. In the value `{url}` stands for the URL of the hook, and `{secret}` for the secret.
    typealias Field = (name: String, value: String)

    /// As it stands on the command line.
    let name: String
    /// For the comment at the beginning of the file.
    let title: String
    let secret: Secret
    /// `signature`, without the source of the secrets.
    let signature: String
    /// The target, unless the command line names another one; nil where the events name nothing that could be shown.
    let target: String?
    /// The keys of the hook, as they stand in the file.
    let keys: String
    /// `[hooks.NAME.values]`.
    let values: String
    let fields: [Field]

    init(
        _ name: String, _ title: String, _ secret: Secret, signature: String? = nil, target: String?, keys: String,
        values: String, fields: [Field]
    ) {
        self.name = name
        self.title = title
        self.secret = secret
        self.signature = signature ?? "scheme = \"\(name)\""
        self.target = target
        self.keys = keys
        self.values = values
        self.fields = fields
    }

    static func named(_ name: String) -> HookTemplate? { all.first { $0.name == name } }

    /// The file of a hook.
    ///
    /// - Parameters:
    ///   - hook: its name; of letters, digits, `.`, `-` and `_`.
    ///   - path: nil where it is the name.
    ///   - app: nil where the target alone says which app it is.
    func text(hook: String, path: String?, app: String?, target: String?) -> String {
        let key = hook.utf8.contains(UInt8(ascii: ".")) ? "\"\(hook)\"" : hook
        let source = HookVendor.named(name)?.scheme.hasPublicKeys == true ? "key-file" : "secret-file"
        var text = "# \(title)\n# Written by `usher hook add \(name)`; yours to change.\n\n[hooks.\(key)]\n"
        if let path { text += "path = \(TOMLText.quoted(path))\n" }
        if let app { text += "app = \(TOMLText.quoted(app))\n" }
        text += "signature = { \(signature), \(source) = \(TOMLText.quoted(hook + ".secret")) }\n"
        if let target = target ?? self.target { text += "target = \(TOMLText.quoted(target))\n" }
        return text + keys + "\n\n[hooks.\(key).values]\n" + values + "\n"
    }

    /// Whether the sender signs the URL, which the daemon then has to know.
    var signsURL: Bool {
        if case .code(let code)? = HookVendor.named(name)?.scheme { code.signedParts.contains(.url) } else { false }
    }
}
