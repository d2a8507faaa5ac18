import UsherScene
internal import UsherSystem

/// One run of the loader.
struct ConfigurationLoading {
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
        return LoadedConfiguration(
            configuration: configuration, settings: settings, diagnostics: diagnostics, sources: sources,
            folder: folder, files: files, missingPrograms: missingPrograms(of: configuration))
    }

    private mutating func loadFolder() {
        if let members = members(of: "usher.toml", isOptional: true) {
            var reader = SettingsReader(file: members.file, folder: folder)
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
            file: members.file, folder: folder + "/hooks",
            schemas: [SettingsSchema.hookFile] + SettingsSchema.all.dropFirst(),
            hookPlaces: settingsReaders.last?.hookPlaces ?? [:])
        reader.readHookFile(members.root)
        settings.hooks += reader.settings.hooks
        settingsReaders.append(reader)
    }

    /// What can only be judged once the apps are known, unless some could not be read.
    private mutating func finishSettings() {
        for var reader in settingsReaders {
            if isEveryManifestRead { reader.checkApps(among: manifests.map(\.app.id)) }
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
            diagnostics.append(error.diagnostic)
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
    var places: ManifestReader.Places
}

/// The digest over the names and bytes of files, in the order in which they were read.
private struct MessageDigestParts {
    private(set) var bytes: [UInt8] = []

    /// Each part is told from the next by its length.
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
