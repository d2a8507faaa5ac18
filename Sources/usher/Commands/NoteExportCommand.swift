internal import Synchronization
internal import UsherDispatch
internal import UsherJSON
internal import UsherScene
internal import UsherStore
internal import UsherText

/// `usher note export`: everything that users have written down, as JSON Lines.
enum NoteExportCommand {
    private static let note = Option(
        "note", "NOTE", "only this note, with its links (may be repeated)", isRepeatable: true)

    static let description = CommandDescription(
        "note export", "write notes, links and redirects to a file, so that nothing of them is lost",
        operands: [.init("FILE|-", .optional)], options: [note],
        discussion: [
            "JSON Lines: a header, a line for each note, link and redirect, and an end with the number of lines and their",
            "SHA-256. The file is made anew, for its owner alone. The store is only read, beside a daemon too.",
        ],
        examples: [
            .init("usher note export notes.jsonl", "everything"),
            .init("usher note export - | gzip > notes.jsonl.gz", "to standard output"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        let names = arguments.values(note)
        let ids = names.isEmpty ? nil : try noteIDs(names, store, context)
        let path = arguments.operands.first ?? "-"
        let file = path == "-" ? try SpoolFile() : try SpoolFile(becoming: path)
        let counts = try context.storing { () throws(StoreError) in
            try NoteExport(store).write(notes: ids) { () throws(StoreError) in
                try file.empty()
            } to: { (bytes) throws(StoreError) in
                try file.write(bytes)
            }
        }
        if path == "-" {
            try context.storing { () throws(StoreError) in
                try file.read { (bytes) throws(StoreError) in
                    context.output.write(bytes)
                    return !context.output.isBroken
                }
            }
            return .handled
        }
        try context.storing { () throws(StoreError) in try file.keep() }
        guard context.writesJSON else {
            context.errors.note(
                "\(counts.notes) notes, \(counts.links) links and \(counts.redirects) redirects are in \(path)")
            return .handled
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("file", path)
        json.member("notes", counts.notes)
        json.member("links", counts.links)
        json.member("redirects", counts.redirects)
        json.endObject()
        json.newline()
        context.output.write(json.bytes)
        return .handled
    }

    private static func noteIDs(
        _ names: [String], _ store: Store, _ context: Context
    ) throws(CommandFailure) -> [String] {
        var ids: [String] = []
        for name in names {
            let found = try Store.NoteName(name).map { (note) throws(CommandFailure) in
                try context.storing { () throws(StoreError) in try store.note(note)?.id }
            }
            guard case let id?? = found else {
                throw .refusal(
                    .noteUnknown, "there is no note \(QuotedText.text(name))",
                    help: "usher note list shows what there is")
            }
            ids.append(id)
        }
        return ids
    }
}
