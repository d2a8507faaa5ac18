import Glibc
import UsherScene
internal import UsherSystem

/// Reads a configuration: a folder with `usher.toml` and `apps/*.toml`, or one manifest.
public enum ConfigurationLoader {
    /// A larger file is refused.
    public static let maximumFileSize = 4 << 20

    /// Reads `path` with the `PATH` of this process. Never fails: whatever is wrong is a diagnostic.
    public static func load(path: String) -> LoadedConfiguration {
        let searchPath = unsafe getenv("PATH").map { unsafe String(cString: $0) }
        return load(path: path, searchPath: searchPath)
    }

    /// - Parameters:
    ///   - path: a folder (`usher.toml`, optional, and `apps/*.toml`) or one file, which then is a manifest.
    ///   - searchPath: the `PATH` in which commands are looked for.
    public static func load(path: String, searchPath: String?) -> LoadedConfiguration {
        var loading = ConfigurationLoading(programs: ProgramSearch(path: searchPath))
        return loading.load(FilePath.resolve(path, from: FileSystem.currentFolder()))
    }

    /// Reads the apps of an earlier time from `Configuration.manifests`: no file is opened, no program is looked for, and
    /// the settings are the defaults. nil where the bytes are not such a text.
    public static func load(kept manifests: [UInt8]) -> LoadedConfiguration? {
        guard let kept = KeptManifests(reading: manifests) else { return nil }
        var loading = ConfigurationLoading(programs: ProgramSearch(path: nil), kept: kept)
        return loading.loadKept()
    }
}
