/// Where a secret is read: never in the configuration itself.
public enum SecretSource: Sendable, Hashable {
    /// An absolute path.
    case file(String)
    /// A file of that name in `$CREDENTIALS_DIRECTORY`, where systemd puts credentials.
    case credential(String)
}

extension SecretSource: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let path): path
        case .credential(let name): "the credential \(name)"
        }
    }
}
