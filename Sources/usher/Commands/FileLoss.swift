internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherFeatures
internal import UsherJSON
internal import UsherLog
internal import UsherNotes
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// A file of this machine that a link leads to and that is not at its path.
struct FileLoss {
    /// The identifier that names it.
    let target: String
    /// Where the file may be now, as `file:` URLs.
    let places: [String]

    /// For how long it is looked for, in milliseconds.
    private static let searchTime = 2000

    /// Looks for the file of a link, as `link show` answers it; nil where it is there, or the link leads to no file.
    init?(of link: LinkAnswer) {
        guard link.deleted == nil, let target = link.resolved ?? link.target,
            let path = TargetContentIdentifier(target).filePath, FileIdentity.isMissing(path)
        else { return nil }
        self.target = target
        places =
            (link.file ?? nil).flatMap(FileLoss.identity).map { identity in
                FileSearch.places(
                    ofFileOnceAt: path, identity, until: Deadline(inMilliseconds: FileLoss.searchTime)
                ).map { TargetContentIdentifier(filePath: $0).text }
            } ?? []
    }

    /// The file when the link was made; nil where that is not known.
    private static func identity(_ file: LinkAnswer.File) -> FileIdentity? {
        guard let device = UInt64(file.device.text), let inode = UInt64(file.inode.text),
            let size = Int64(file.size.text)
        else { return nil }
        return FileIdentity(
            device: device, inode: inode, birth: file.birth.flatMap { Int64($0.text) } ?? 0, size: size)
    }

    /// Writes the record of what is not opened: the decision as it would be, and why nothing is done.
    func report(
        _ payload: JSONValue, of link: String, _ loaded: LoadedConfiguration, _ context: Context
    ) throws(CommandFailure) -> ExitStatus {
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        var run = try context.dryRun(loaded, store, DryRun.Options(source: "link"))
        var reader = PayloadReader()
        let bytes = Array(payload.text(escaping: .minimal).utf8)
        let reading = Result { () throws(PayloadError) in try reader.read(bytes) }
        var record = run.record(of: reading, startedAt: MonotonicClock.now)
        record.isDryRun = false
        record.action = .none
        record.outcome = .failed
        record.movedTo = places
        record.error = places.isEmpty ? gone : moved(link)
        context.print(record: record)
        return .finding
    }

    private var gone: Diagnostic {
        Diagnostic(
            .fileGone, "\(QuotedText.text(target)) is not there any more",
            help: "usher content moved OLD NEW says where it is; usher content deleted ID says that it is gone")
    }

    private func moved(_ link: String) -> Diagnostic {
        places.count == 1
            ? Diagnostic(
                .fileMoved, "the file was moved to \(QuotedText.text(places[0]))",
                help: "usher link open \(link) --follow notes that and opens it")
            : Diagnostic(
                .fileMoved, "the file was moved: it may be at \(places.count) places",
                help: "usher content moved OLD NEW says which one is meant")
    }
}
