import Glibc
internal import UsherHook
public import UsherScene
internal import UsherSystem
internal import UsherText

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

/// One run of the loader.
private struct ConfigurationLoading {
    private let programs: ProgramSearch
    private var folder = ""
    private var settings = Settings()
    private var settingsReaders: [SettingsReader] = []
    private var manifests: [Manifest] = []
    private var isEveryManifestRead = true
    private var diagnostics: [ConfigurationDiagnostic] = []
    private var sources = SourceMap()
    private var files: [String] = []
    private var digest = MessageDigestParts()
    /// See `Configuration.manifests`.
    private var texts = MessageDigestParts()
    /// What is read instead of files.
    private let kept: KeptManifests?

    init(programs: ProgramSearch, kept: KeptManifests? = nil) {
        self.programs = programs
        self.kept = kept
    }

    /// Reads what was kept.
    mutating func loadKept() -> LoadedConfiguration {
        folder = kept?.folder ?? ""
        for name in kept?.manifests ?? [] { loadManifest(name) }
        return finish()
    }

    mutating func load(_ path: String) -> LoadedConfiguration {
        do {
            if try FileSystem.kind(of: path) == .folder {
                folder = path
                loadFolder()
            } else if FilePath.lastComponent(of: path) == "usher.toml" {
                folder = FilePath.parent(of: path)
                diagnostics.append(
                    ConfigurationDiagnostic(
                        .error, .configurationNotFound, path: path, message: "this file has settings only, and no app",
                        help: "name its folder instead: \(folder)"))
            } else {
                folder = FilePath.parent(of: path)
                loadManifest(FilePath.lastComponent(of: path))
            }
        } catch {
            folder = path
            diagnostics.append(ConfigurationLoading.missing(path, error))
        }
        return finish()
    }

    private mutating func finish() -> LoadedConfiguration {
        finishSettings()
        diagnostics += ManifestComparison.diagnostics(of: manifests, sources: sources)
        diagnostics.sort(by: ConfigurationDiagnostic.precedes)
        var configuration = Configuration(apps: manifests.map(\.app), digest: digest.text())
        configuration.manifests = texts.bytes
        configuration.addresses = settings.addresses
        configuration.pageOpener = settings.pageOpener
        configuration.quiet = settings.quiet
        configuration.terminal = settings.terminal
        configuration.notices = settings.notices
        configuration.agents = settings.agents
        configuration.suggestions = settings.suggestions
        for hook in settings.hooks { configuration.hookCommands[hook.name] = hook.run }
        return LoadedConfiguration(
            configuration: configuration, settings: settings, diagnostics: diagnostics, sources: sources,
            folder: folder, files: files, missingPrograms: missingPrograms(of: configuration))
    }

    private mutating func loadFolder() {
        if let members = members(of: "usher.toml", isOptional: true) {
            var reader = SettingsReader(file: members.file, folder: folder, programs: programs)
            reader.read(members.root)
            settings = reader.settings
            settingsReaders.append(reader)
        }
        for name in names(in: "hooks") ?? [] { loadHooks("hooks/" + name) }
        guard let names = names(in: "apps") else { return }
        if names.isEmpty {
            diagnostics.append(
                ConfigurationDiagnostic(
                    .warning, .noManifest, path: folder, message: "there is no manifest: no app is known",
                    help: "put one into \(folder)/apps, with a name that ends in .toml; `usher init` writes a first one"
                ))
        }
        for name in names { loadManifest("apps/" + name) }
    }

    /// The names of the files of a folder; nil where it cannot be read, which has then been said.
    private mutating func names(in name: String) -> [String]? {
        do {
            return try FileSystem.names(in: folder + "/" + name)
                .filter { !$0.hasPrefix(".") && $0.hasSuffix(".toml") }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        } catch {
            guard case .system(let text) = error else { return [] }
            diagnostics.append(
                ConfigurationDiagnostic(
                    .error, .configurationUnreadable, path: name, message: "the folder cannot be read: \(text)"))
            return nil
        }
    }

    /// Hooks of a file of their own, as if they stood at the end of `usher.toml`.
    private mutating func loadHooks(_ name: String) {
        guard let members = members(of: name, isOptional: false) else { return }
        // Paths in it are relative to its own folder.
        var reader = SettingsReader(
            file: members.file, folder: folder + "/hooks", programs: programs,
            schemas: [SettingsSchema.hookFile] + SettingsSchema.all.dropFirst(),
            after: settingsReaders.last)
        reader.readHookFile(members.root)
        settings.hooks += reader.settings.hooks
        settingsReaders.append(reader)
    }

    /// What can only be judged once the apps are known, unless some could not be read.
    private mutating func finishSettings() {
        for var reader in settingsReaders {
            if isEveryManifestRead { reader.checkApps(among: manifests.map(\.app)) }
            diagnostics += reader.reader.diagnostics
        }
    }

    private mutating func loadManifest(_ name: String) {
        let count = manifests.count
        defer { if manifests.count == count { isEveryManifestRead = false } }
        guard let members = members(of: name, isOptional: false) else { return }
        if texts.bytes.isEmpty { texts.add(name: "", bytes: Array(folder.utf8)) }
        texts.add(name: name, bytes: members.file.bytes)
        let home = FilePath.parent(of: folder + "/" + name)
        var reader = ManifestReader(file: members.file, folder: home, programs: programs, kept: kept)
        let app = reader.read(members.root)
        for included in reader.includedFiles {
            let path = FilePath.resolve(included.name, from: FilePath.parent(of: name))
            // Several manifests may name one file.
            guard !files.contains(path) else { continue }
            files.append(path)
            digest.add(name: path, bytes: included.bytes)
            texts.add(name: FilePath.resolve(included.name, from: home), bytes: included.bytes)
            if let source = included.source { sources.insert(source) }
            diagnostics += included.diagnostics
        }
        diagnostics += reader.reader.diagnostics
        if let app { manifests.append(Manifest(app: app, places: reader.places)) }
    }

    /// The root table of a file; nil where there is none, which has then been said.
    private mutating func members(of name: String, isOptional: Bool) -> (file: SourceFile, root: [TOMLMember])? {
        let bytes: [UInt8]
        do {
            bytes = try FileSystem.read(
                folder + "/" + name, limit: ConfigurationLoader.maximumFileSize, insteadFrom: kept)
        } catch {
            if isOptional, error == .notFound { return nil }
            diagnostics.append(ConfigurationLoading.diagnostic(of: error, path: name))
            return nil
        }
        files.append(name)
        digest.add(name: name, bytes: bytes)
        let file = SourceFile(path: name, bytes: bytes)
        sources.insert(file)
        do {
            return (file, try TOMLDocument.members(of: file))
        } catch {
            diagnostics.append(error)
            return nil
        }
    }

    private static func missing(_ path: String, _ failure: FileSystem.Failure) -> ConfigurationDiagnostic {
        if case .system(let text) = failure {
            return ConfigurationDiagnostic(
                .error, .configurationUnreadable, path: path, message: "the configuration cannot be read: \(text)")
        }
        return ConfigurationDiagnostic(
            .error, .configurationNotFound, path: path, message: "there is no such file or folder",
            help: "`usher init` writes a first configuration; --config and $USHER_CONFIG name another place")
    }

    private static func diagnostic(of failure: FileSystem.Failure, path: String) -> ConfigurationDiagnostic {
        switch failure {
        case .notFound:
            ConfigurationDiagnostic(.error, .configurationNotFound, path: path, message: "there is no such file")
        case .tooLarge:
            ConfigurationDiagnostic(
                .error, .configurationTooLarge, path: path,
                message: "the file has more than \(ConfigurationLoader.maximumFileSize) bytes")
        case .notAFile:
            ConfigurationDiagnostic(.error, .configurationUnreadable, path: path, message: "it is not a file")
        case .system(let text):
            ConfigurationDiagnostic(.error, .configurationUnreadable, path: path, message: "it cannot be read: \(text)")
        }
    }

    private func missingPrograms(of configuration: Configuration) -> Set<SceneName> {
        var missing: Set<SceneName> = []
        for app in configuration.apps {
            for scene in app.scenes {
                guard let launch = scene.launch else { continue }
                if case .found = programs.find(launch.command.arguments[0]) { continue }
                missing.insert(SceneName(app: app.id, scene: scene.name))
            }
        }
        return missing
    }
}

/// An app, and the places of what other manifests may have as well.
struct Manifest: Sendable {
    var app: App
    var places: ManifestReader.Regions
}

/// The digest over the names and bytes of files, in the order in which they were read.
private struct MessageDigestParts {
    private(set) var bytes: [UInt8] = []

    /// Each part begins with its length, which separates it from the next one.
    mutating func add(name: String, bytes content: [UInt8]) {
        bytes.append(contentsOf: "\(name.utf8.count) \(content.count)\n".utf8)
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: content)
    }

    func text() -> String {
        var digest = MessageDigest()
        digest.update(bytes)
        return "sha256:" + digest.hexadecimal()
    }
}

/// What was read: apps and settings, and everything that is wrong with their files.
public struct LoadedConfiguration: Sendable {
    /// With errors: as far as it could be read. Such a configuration is for messages, not for decisions.
    public var configuration: Configuration
    public var settings: Settings
    /// By file and place.
    public var diagnostics: [ConfigurationDiagnostic]
    public var sources: SourceMap
    /// The folder that the paths of places are relative to, absolute.
    public var folder: String
    /// Every file that was read, relative to `folder` where it is inside; the digest is over these.
    public var files: [String]
    /// The scenes whose launch program is not found.
    public var missingPrograms: Set<SceneName>

    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

// MARK: - Installed

extension LoadedConfiguration {
    /// A warning that what a command launches is not there on this machine.
    public func notInstalled(_ command: Command, _ message: String, help: String?) -> ConfigurationDiagnostic {
        finding(.commandNotFound, .warning, at: command.location, message, help: help)
    }

    /// What is wrong with a setting on this machine, or was found when what is written at a place was tried.
    public func finding(
        _ code: DiagnosticCode, _ severity: ConfigurationDiagnostic.Severity = .error, at location: SourceLocation,
        _ message: String, help: String?
    ) -> ConfigurationDiagnostic {
        ConfigurationDiagnostic(
            severity, code, path: location.path, location: location, message: message, help: help,
            sourceLine: sources.text(ofLineAt: location))
    }

    /// Adds what was found later, in its place.
    public mutating func add(_ found: [ConfigurationDiagnostic]) {
        guard !found.isEmpty else { return }
        diagnostics = (diagnostics + found).enumerated().sorted { one, other in
            if ConfigurationDiagnostic.precedes(one.element, other.element) { return true }
            return !ConfigurationDiagnostic.precedes(other.element, one.element) && one.offset < other.offset
        }.map(\.element)
    }
}

/// The texts that apps were read from, in one piece: manifests, and the files that they name.
///
/// The folder comes first, then each manifest by its name in the folder, and each further file by its absolute path.
struct KeptManifests: Sendable {
    let folder: String
    /// The names of the manifests, in the order in which they were read.
    let manifests: [String]
    /// By absolute path.
    private let files: [String: [UInt8]]

    /// nil where the bytes are not what `MessageDigestParts` makes of such texts.
    init?(reading bytes: [UInt8]) {
        var rest = bytes[...]
        var folder: String?
        var manifests: [String] = []
        var files: [String: [UInt8]] = [:]
        while !rest.isEmpty {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let sizes = rest[..<end].split(separator: UInt8(ascii: " ")).map {
                Int(String(decoding: $0, as: UTF8.self))
            }
            rest = rest[(end + 1)...]
            guard sizes.count == 2, let name = sizes[0], let content = sizes[1], name >= 0, content >= 0,
                name <= rest.count, content <= rest.count - name
            else { return nil }
            let path = String(decoding: rest.prefix(name), as: UTF8.self)
            let text = Array(rest.dropFirst(name).prefix(content))
            rest = rest.dropFirst(name + content)
            guard let base = folder else {
                folder = String(decoding: text, as: UTF8.self)
                continue
            }
            if path.utf8.first == UInt8(ascii: "/") {
                files[path] = text
            } else {
                manifests.append(path)
                files[base + "/" + path] = text
            }
        }
        guard let folder else { return nil }
        self.folder = folder
        self.manifests = manifests
        self.files = files
    }

    func read(_ path: String) throws(FileSystem.Failure) -> [UInt8] {
        guard let text = files[path] else { throw .notFound }
        return text
    }
}

extension FileSystem {
    /// The whole of a regular file, if it has at most `limit` bytes.
    ///
    /// - Parameter kept: what is looked into instead of the file system.
    static func read(
        _ path: String, limit: Int, insteadFrom kept: KeptManifests?
    ) throws(FileSystem.Failure) -> [UInt8] {
        guard let kept else { return try read(path, limit: limit) }
        return try kept.read(path)
    }
}

/// Where the configuration and the state are, by the environment: pure functions of it.
///
/// XDG Base Directory Specification 0.8; a relative path in one of its variables is ignored, as it says.
public enum ConfigurationPaths {
    /// Where the configuration may be, in the order in which the first that exists is taken. `$USHER_CONFIG` leaves no
    /// choice.
    public static func configuration(environment: [String: String]) -> [String] {
        if let path = environment["USHER_CONFIG"], !path.isEmpty { return [path] }
        return [user("XDG_CONFIG_HOME", ".config", environment), "/etc/usher"].compactMap(\.self)
    }

    /// The folder of the user's own configuration, which `usher init` writes; nil without a home.
    public static func userConfiguration(environment: [String: String]) -> String? {
        if let path = environment["USHER_CONFIG"], !path.isEmpty { return path }
        return user("XDG_CONFIG_HOME", ".config", environment)
    }

    /// The folder of the store; nil without a home.
    public static func state(environment: [String: String]) -> String? {
        if let path = environment["USHER_STATE"], !path.isEmpty { return path }
        return user("XDG_STATE_HOME", ".local/state", environment)
    }

    private static func user(_ variable: String, _ standard: String, _ environment: [String: String]) -> String? {
        if let base = environment[variable], base.hasPrefix("/") { return FilePath.normalised(base + "/usher") }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return FilePath.normalised(home + "/" + standard + "/usher")
    }
}
