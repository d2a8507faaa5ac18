internal import Glibc
internal import UsherAgents
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// The file by which a coding agent reports to Usher: its settings, or a file of Usher's own that it reads.
///
/// The state folder keeps what takes an installation back, as digests and places; never the text of settings.
struct AgentFile {
    let agent: AgentName
    /// As the agent finds it; it may be a link.
    let path: String
    private let record: String

    init(of agent: AgentName, _ context: Context) throws(CommandFailure) {
        self.agent = agent
        let (variable, folder, name): (String?, String, String) =
            switch agent {
            case .claude: ("CLAUDE_CONFIG_DIR", ".claude", "settings.json")
            case .codex: ("CODEX_HOME", ".codex", "hooks.json")
            case .gemini: (nil, ".gemini", "settings.json")
            case .copilot: ("COPILOT_HOME", ".copilot", "hooks/usher.json")
            case .opencode: ("XDG_CONFIG_HOME", ".config", "opencode/plugins/usher.js")
            }
        path = "\(try ProcessEnvironment.folder(variable, folder, context.environment))/\(name)"
        record = "\(FilePath.absolute(try context.stateFolder()))/agent-\(agent.rawValue).json"
    }

    /// What an installation has done.
    private struct Done: AnswerRecord, Equatable {
        /// SHA-256 of the settings after it; nil where the bytes before cannot be made of them.
        var digest: String?
        /// First byte and length of what was inserted, one after the other.
        var inserted: [Int] = []
        /// The containers that were inserted.
        var made: [String] = []
        var isNew = false
        /// Those that were made, the outer ones first.
        var folders: [String] = []
        /// The installation before, until this one is in the settings; none or one.
        var former: [Done] = []

        static let fields: [Field<Self>] = [
            Field(always: "digest", \.digest), Field(always: "inserted", \.inserted), Field(always: "made", \.made),
            Field(always: "new", \.isNew), Field(always: "folders", \.folders), Field(ifAny: "former", \.former),
        ]

        func isOf(_ bytes: [UInt8]?) -> Bool {
            bytes.map { digest == AgentFile.digest($0) } ?? false
        }

        /// The settings before, of those after; nil where there was no file.
        func before(_ bytes: [UInt8]) -> [UInt8]? {
            guard !isNew else { return nil }
            var (result, place): ([UInt8], Int) = ([], 0)
            for index in stride(from: 0, to: inserted.count - 1, by: 2) {
                let (start, count) = (inserted[index], inserted[index + 1])
                guard start >= place, start + count <= bytes.count else { continue }
                result += bytes[place..<start]
                place = start + count
            }
            return result + bytes[place...]
        }
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = MessageDigest()
        digest.update(bytes)
        return digest.hexadecimal()
    }
}

// MARK: - State

extension AgentFile {
    enum State: String, FieldChoice { case installed, absent, partial, outdated }

    func state(for hooks: AgentHooks) throws(CommandFailure) -> (State, events: [String]) {
        let target = try target()
        if let own = hooks.ownFile {
            guard let bytes = try contents(target), AgentHooks.isOwnFile(bytes, of: agent) else { return (.absent, []) }
            return (bytes.elementsEqual(own.utf8) ? .installed : .outdated, hooks.events)
        }
        let settings = try settings(try contents(target) ?? [])
        let events = settings.events
        let isWhole = hooks.events.allSatisfy(events.contains)
        let state: State =
            events.isEmpty ? .absent : !isWhole ? .partial : settings.areOf(hooks.program) ? .installed : .outdated
        return (state, events)
    }
}

// MARK: - Installing and removing

extension AgentFile {
    func install(_ hooks: AgentHooks) throws(CommandFailure) {
        try retried { () throws(CommandFailure) -> Bool in try installed(hooks) }
    }

    /// False where the settings were changed meanwhile.
    private func installed(_ hooks: AgentHooks) throws(CommandFailure) -> Bool {
        let target = try target()
        let current = try contents(target)
        var done = try done(for: current)
        let former = done?.folders ?? []
        var new = Done()
        let bytes: [UInt8]
        if let own = hooks.ownFile {
            try refuseForeign(current, target)
            bytes = Array(own.utf8)
        } else {
            var settings = try settings(current ?? [])
            // What was taken out by hand is installed anew.
            if settings.events.isEmpty { done = nil }
            var isUnedited = done == nil
            if let known = done, let current, known.isOf(current) {
                isUnedited = true
                settings = try self.settings(known.before(current) ?? [])
            }
            let installed = settings.installing(hooks)
            bytes = installed.bytes
            if isUnedited, let inserted = installed.inserted {
                new.digest = Self.digest(bytes)
                new.inserted = inserted.flatMap { [$0.lowerBound, $0.count] }
            }
            new.made = installed.made + (done?.made ?? []).filter { !installed.made.contains($0) }
            new.isNew = done?.isNew ?? (current == nil)
        }
        guard bytes != current else { return true }
        try refuseReadOnly(target)
        new.folders = former + missingFolders(of: target)
        if var done {
            done.former = []
            new.former = [done]
        }
        // An installation that is not recorded could not be taken back exactly; a record without one does no harm.
        try NewFile.replace(
            record, with: Array((new.jsonValue.text() + "\n").utf8), mode: 0o600, isDurable: true)
        return try replace(target, current, with: bytes)
    }

    /// False where nothing was installed.
    func remove() throws(CommandFailure) -> Bool {
        let target = try target()
        var isFound = false
        var done: Done?
        try retried { () throws(CommandFailure) -> Bool in
            let current = try contents(target)
            done = try self.done(for: current)
            guard let current else { return true }
            let rest = try rest(of: current, done)
            guard rest != current else { return true }
            isFound = true
            try refuseReadOnly(target)
            if let rest {
                return try replace(target, current, with: rest)
            }
            guard isStill(current, target) else { return false }
            try NewFile.remove(target)
            FileSystem.synchronize(folder: FilePath.parent(of: target))
            return true
        }
        // One with something in it stays.
        for folder in (done?.folders ?? []).reversed() { _ = unsafe rmdir(folder) }
        if FileSystem.exists(record) { try NewFile.remove(record) }
        return isFound
    }

    /// What stays of the file; nil: nothing.
    private func rest(of current: [UInt8], _ done: Done?) throws(CommandFailure) -> [UInt8]? {
        switch agent {
        case .copilot, .opencode: return AgentHooks.isOwnFile(current, of: agent) ? nil : current
        case .claude, .codex, .gemini: break
        }
        if let done, done.isOf(current) { return done.before(current) }
        let settings = try settings(current)
        if settings.events.isEmpty { return current }
        let rest = settings.removing(made: done?.made ?? [])
        let isEmpty = try self.settings(rest).isEmpty
        return done?.isNew == true && isEmpty ? nil : rest
    }

    /// Reads again what another program changes meanwhile.
    private func retried(_ body: () throws(CommandFailure) -> Bool) throws(CommandFailure) {
        for _ in 0..<10 {
            if try body() { return }
        }
        throw .cannot("write \(path)", errno: EBUSY)
    }

    /// False where the file is not as it was read.
    private func replace(
        _ target: String, _ current: [UInt8]?, with bytes: [UInt8]
    ) throws(CommandFailure) -> Bool {
        let mode = FileSystem.mode(of: target) ?? 0o600
        return try NewFile.replace(target, with: bytes, mode: mode, isDurable: true) { isStill(current, target) }
    }

    private func isStill(_ bytes: [UInt8]?, _ target: String) -> Bool {
        do throws(CommandFailure) { return try contents(target) == bytes } catch { return false }
    }

    private func refuseForeign(_ current: [UInt8]?, _ target: String) throws(CommandFailure) {
        guard let current, !AgentHooks.isOwnFile(current, of: agent) else { return }
        throw .refusal(
            .agentSettingsForeign, "\(target) was not written by Usher", help: "nothing was done; move it away")
    }

    private func refuseReadOnly(_ target: String) throws(CommandFailure) {
        guard let mode = FileSystem.mode(of: target), mode & 0o200 == 0 else { return }
        throw .refusal(
            .agentSettingsReadOnly, "\(target) may not be written", help: "nothing was done; chmod u+w \(target)")
    }
}

// MARK: - Files

extension AgentFile {
    /// The longest settings that are read, in bytes.
    private static let longest = 16 << 20

    /// The file that is written: links are followed, also those that lead to nothing yet.
    private func target() throws(CommandFailure) -> String {
        var path = path
        for _ in 0..<40 {
            if let resolved = FilePath.resolved(path) { return resolved }
            guard let link = FileSystem.link(path) else { return path }
            path = FilePath.resolve(link, from: FilePath.parent(of: path))
        }
        throw .cannot("read \(path)", errno: ELOOP)
    }

    private func missingFolders(of file: String) -> [String] {
        var folders: [String] = []
        var folder = FilePath.parent(of: file)
        while !FileSystem.exists(folder) {
            folders.insert(folder, at: 0)
            folder = FilePath.parent(of: folder)
        }
        return folders
    }

    /// nil where there is no file.
    private func contents(_ path: String) throws(CommandFailure) -> [UInt8]? {
        do throws(FileSystem.Failure) {
            return try FileSystem.read(path, limit: Self.longest)
        } catch {
            if error == .notFound { return nil }
            throw .usage("\(path) cannot be read: \(error.text(limit: Self.longest))", code: .usageFile)
        }
    }

    private func settings(_ bytes: [UInt8]) throws(CommandFailure) -> HookSettings {
        do throws(HookSettings.Fault) {
            return try HookSettings(bytes, of: agent)
        } catch {
            switch error {
            case .syntax(let position, let message):
                throw .refusal(
                    .agentSettingsSyntax, "\(path):\(position.line):\(position.column): \(message)",
                    help: "nothing was done; correct the file")
            case .shape(let message):
                throw .refusal(.agentSettingsShape, "\(path): \(message)", help: "nothing was done; correct the file")
            }
        }
    }

    /// What has made the settings as they are: an installation that was interrupted has not.
    private func done(for current: [UInt8]?) throws(CommandFailure) -> Done? {
        guard let bytes = try contents(record), let done = try? Done(reading: bytes) else { return nil }
        return done.isOf(current) ? done : done.former.first { $0.isOf(current) } ?? done
    }
}
