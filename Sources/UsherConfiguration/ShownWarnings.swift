internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Which configurations' warnings were printed: their digests in a file of the state folder, so that no process repeats them.
package struct ShownWarnings {
    private let path: String

    /// More digests than these are not kept.
    private static let limit = 16

    /// - Parameter state: the folder of the store.
    package init(in state: String) { path = state + "/warnings-shown" }

    /// The warnings of a configuration, the first time; notes that they are printed. A folder that cannot be written to keeps
    /// nothing: then they are printed again.
    package func news(of loaded: LoadedConfiguration) -> [ConfigurationDiagnostic] {
        let warnings = loaded.diagnostics.filter { $0.severity != .error }
        guard !warnings.isEmpty, isFirstTime(of: loaded.configuration.digest) else { return [] }
        return warnings
    }

    private func isFirstTime(of digest: String) -> Bool {
        let text = FileSystem.contents(of: path, limit: 64 << 10) ?? []
        let digests = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        if digests.contains(where: { $0.hasSameBytes(as: digest) }) { return false }
        let kept = (digests + [digest]).suffix(ShownWarnings.limit)
        _ = try? FileSystem.replace(path, Array(kept.map { $0 + "\n" }.joined().utf8), mode: 0o600)
        return true
    }
}
