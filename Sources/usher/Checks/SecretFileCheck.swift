internal import Glibc
internal import UsherConfiguration
internal import UsherHook
internal import UsherScene
internal import UsherSystem

/// Whether the files of secrets and tokens can be used on this machine, by this user.
///
/// `usherd` starts without the secret of a hook, and refuses its requests: a warning, since a configuration is also checked
/// where its secrets are not. Without its tokens it does not start: an error.
/// Credentials of systemd are known to the service only.
enum SecretFileCheck {
    static func findings(on loaded: LoadedConfiguration) -> [ConfigurationDiagnostic] {
        var findings = loaded.settings.hooks.compactMap { hook in
            hook.signature.secret.flatMap {
                finding(
                    on: loaded, $0, at: hook.location, "the hook \(hook.name) refuses every request",
                    isPublic: hook.signature.scheme.hasPublicKeys)
            }
        }
        if let tokens = loaded.settings.server.tokens {
            // The settings know no places of single keys.
            let place = SourceLocation(path: "usher.toml", line: 1, column: 1)
            findings += [finding(on: loaded, tokens, at: place, "usherd does not start", .error)].compactMap(\.self)
        }
        return findings
    }

    private static func finding(
        on loaded: LoadedConfiguration, _ source: SecretSource, at place: SourceLocation, _ effect: String,
        _ severity: ConfigurationDiagnostic.Severity = .warning, isPublic: Bool = false
    ) -> ConfigurationDiagnostic? {
        guard case .file(let path) = source else { return nil }
        var status = stat()
        var problem: String?
        if unsafe stat(path, &status) != 0 {
            problem = SystemError.last.text
        } else if status.st_mode & S_IFMT != S_IFREG {
            problem = "it is not a file"
        } else if let bytes = FileSystem.contents(of: path, limit: 65_536) {
            if bytes.allSatisfy({ $0 <= 0x20 }) { problem = "there is no secret in it" }
        } else {
            problem = SystemError.last.text
        }
        if let problem {
            return loaded.finding(
                .secretFile, severity, at: place, "\(effect): \(path) cannot be used: \(problem)",
                help: "write the secret into it, one a line, readable for this user only")
        }
        guard !isPublic, status.st_mode & 0o077 != 0 else { return nil }
        return loaded.finding(
            .secretFile, .warning, at: place, "other users can use the secrets in \(path)", help: "chmod 600 \(path)")
    }
}
