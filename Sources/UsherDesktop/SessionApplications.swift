public import UsherActivation
public import UsherBus
internal import UsherScene
public import UsherSystem
internal import UsherText

/// The applications of the user's desktop session: by desktop entry, and by name on the session bus.
///
/// Entries are read when they are asked for: what is installed meanwhile is seen, and nothing is watched or kept.
public final class SessionApplications: DesktopApplications {
    private let bus: SessionBus?
    let folders: EntryFolders
    let programs: ProgramLocator
    let environment: HandlerEnvironment
    /// The terminal of choice.
    let terminal: String?
    private let languages: [String]
    private let desktops: [String]

    /// `bus` is nil where there is no session bus: entries are started by their command lines then.
    public init(environment: [String: String], bus: SessionBus?) {
        self.bus = bus
        folders = EntryFolders(environment: environment)
        programs = ProgramLocator(path: environment["PATH"])
        self.environment = HandlerEnvironment(environment)
        terminal = environment["TERMINAL"].flatMap { $0.isEmpty ? nil : $0 }
        languages = Languages.preferred(environment)
        desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map(String.init)
    }

    public func call(_ call: ApplicationCall) throws(ActivationFailure) -> ApplicationStart {
        try sessionBus.call(call)
    }

    public func owner(of name: String) throws(ActivationFailure) -> Int32? { try sessionBus.owner(of: name) }

    public func isProvided(name: String) throws(ActivationFailure) -> Bool { try sessionBus.isProvided(name) }

    public func wait(for name: String, until deadline: Deadline) throws(ActivationFailure) -> Int32? {
        try sessionBus.wait(for: name, until: deadline)
    }

    public func isInstalled(entry: String) -> Bool {
        guard let file = try? self.file(entry) else { return false }
        return (try? checkInstalled(file)) != nil
    }

    public func entries(_ name: String?) throws(ActivationFailure) -> [DesktopEntry] {
        if let name { return [try file(name).entry] }
        var entries: [DesktopEntry] = []
        for (id, path) in folders.all {
            // A broken one is none; who names it is told.
            guard let file = try? read(id, path), file.isShown, (try? checkInstalled(file)) != nil else { continue }
            entries.append(file.entry)
        }
        return entries
    }

    private var sessionBus: SessionBus {
        get throws(ActivationFailure) {
            guard let bus else {
                throw ActivationFailure(
                    .busAbsent, "there is no session bus here", help: "start Usher within the session")
            }
            return bus
        }
    }

    /// The entry of this name, unless it is hidden: then it counts as removed.
    func file(_ name: String) throws(ActivationFailure) -> EntryFile {
        guard let (id, path) = folders.file(of: name) else {
            throw .noEntry(name, nearest: nearest(to: name), folders: folders.folders)
        }
        let file = try read(id, path)
        guard !file.isHidden else { throw .hiddenEntry(name, path) }
        return file
    }

    /// The entry that a mistyped name may mean, written as it is: with `.desktop` or without.
    private func nearest(to name: String) -> String? {
        let suffix = ".desktop"
        let hasSuffix = name.hasSuffix(suffix)
        let plain = hasSuffix ? String(name.dropLast(suffix.count)) : name
        let known = folders.all.lazy.map { String($0.id.dropLast(suffix.count)) }
        guard let nearest = Suggestion.closest(to: plain, among: known), let (id, path) = folders.file(of: nearest),
            let file = try? read(id, path), !file.isHidden
        else { return nil }
        return hasSuffix ? nearest + suffix : nearest
    }

    func checkInstalled(_ file: EntryFile) throws(ActivationFailure) {
        guard let program = file.tryExec, !programs.isInstalled(program) else { return }
        throw .noEntryProgram(file.path, key: "TryExec", program, path: programs.path)
    }

    private func read(_ id: String, _ path: String) throws(ActivationFailure) -> EntryFile {
        try EntryFile(id: id, path: path, languages: languages, desktops: desktops)
    }
}

/// The languages of the user, the best one first.
enum Languages {
    static func preferred(_ environment: [String: String]) -> [String] {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let locale = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG") ?? "C"
        if isPlain(locale) { return [] }
        // A list goes before, unless there is no language at all (gettext).
        let list = (value("LANGUAGE") ?? "").split(separator: ":").map(String.init)
        return (list + [locale]).prefix { !isPlain($0) }.filter { !$0.utf8.contains(0) }
    }

    private static func isPlain(_ locale: String) -> Bool {
        let language = locale.prefix { $0 != "." && $0 != "@" }
        return language == "C" || language == "POSIX"
    }
}
