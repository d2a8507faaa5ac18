internal import Glibc
internal import UsherJSON
internal import UsherNotes
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `usher note export`: everything that users have written down, as JSON Lines.
enum NoteExportCommand {
    private static let note = Option(
        "note", "NOTE", "only this note, with its links (may be repeated)", isRepeatable: true)

    fileprivate static let format = Option(
        "format", oneOf: ["jsonl", "markdown"], "jsonl (the default), or a folder with a file of Markdown for each note"
    )

    fileprivate static func isMarkdown(_ arguments: Arguments) -> Bool { arguments.value(format) == "markdown" }

    static let description = CommandDescription(
        "note export", "write notes, links and redirects to a file, so that nothing of them is lost",
        operands: [.init("FILE|DIR|-", .optional)], options: [note, format],
        discussion: [
            "JSON Lines: a header, a line for each note, link and redirect, and an end with the number of lines and their",
            "SHA-256. The file is made anew, for its owner alone. The store is only read, beside a daemon too.",
            "Markdown has no redirects: a file ID.md for each note, with its links as lines.",
        ],
        examples: [
            .init("usher note export notes.jsonl", "everything"),
            .init("usher note export --format markdown notes", "a folder to read and to edit"),
            .init("usher note export - | gzip > notes.jsonl.gz", "to standard output"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        let names = arguments.values(note)
        let ids = names.isEmpty ? nil : try noteIDs(names, store, context)
        if isMarkdown(arguments) {
            guard let folder = arguments.operands.first, folder != "-" else {
                throw .usage("--format markdown needs a folder", help: "usage: usher note export --format markdown DIR")
            }
            return try export(ids, toFolder: folder, store, context)
        }
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
            return try context.storing { () throws(StoreError) in
                try file.read { (bytes) throws(StoreError) in
                    context.output.write(bytes)
                    return !context.output.isBroken
                }
            }
        }
        try context.storing { () throws(StoreError) in try file.keep() }
        guard context.writesJSON else {
            return context.errors.note(
                "\(counts.notes) notes, \(counts.links) links and \(counts.redirects) redirects are in \(path)")
        }
        context.printJSON { json in
            json.beginObject()
            json.member("file", path)
            json.member("notes", counts.notes)
            json.member("links", counts.links)
            json.member("redirects", counts.redirects)
            json.endObject()
        }
    }

    private static func export(
        _ ids: [String]?, toFolder folder: String, _ store: Store, _ context: Context
    ) throws(CommandFailure) {
        var count = 0
        var failure: CommandFailure?
        try context.storing { () throws(StoreError) in
            try NoteDocument.export(store, notes: ids) { id, bytes in
                guard failure == nil else { return }
                do throws(CommandFailure) {
                    let path = "\(folder)/\(id).\(NoteDocument.fileExtension)"
                    try NewFile.replace(path, with: String(decoding: bytes, as: UTF8.self), mode: 0o600)
                    count += 1
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        if context.writesJSON {
            context.print(json: ["folder": .string(folder), "notes": .number(String(count))] as JSONValue)
        } else {
            context.errors.note("\(count) notes are in \(folder)")
        }
    }

    private static func noteIDs(
        _ names: [String], _ store: Store, _ context: Context
    ) throws(CommandFailure) -> [String] {
        var ids: [String] = []
        for name in names {
            let found = try Store.NoteName(try context.identifier(name, .note, in: store)).map {
                (note) throws(CommandFailure) in
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

/// `usher note import`: takes in what `note export` wrote.
enum NoteImportCommand {
    private static let keep = Option(flag: "keep", "leave what is in the store under the same id with other content")
    private static let replace = Option(flag: "replace", "put the file's content in its place")

    static let description = CommandDescription(
        "note import", "take in what note export wrote: all of it, or nothing",
        operands: [.init("FILE|DIR|-")], options: [keep, replace, NoteExportCommand.format],
        discussion: [
            "What is there already with the same content is passed over. An id that is there with other content ends the",
            "import, unless --keep or --replace decides. A file that was cut or damaged anywhere is refused as a whole.",
            "With --format markdown it is a folder: a file with an id is that note, one without is a new note.",
        ],
        examples: [
            .init("usher note import notes.jsonl", "from a file"),
            .init("gunzip -c notes.jsonl.gz | usher note import - --keep", "from standard input"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        guard !(arguments.has(keep) && arguments.has(replace)) else {
            throw .usage("--keep and --replace exclude each other")
        }
        let choice: Store.ImportChoice = arguments.has(keep) ? .keep : arguments.has(replace) ? .replace : .refuse
        let path = arguments.operands[0]
        if NoteExportCommand.isMarkdown(arguments) {
            return try read(folder: path, choice, context)
        }
        let spooled = try SpoolFile.copy(ofStream: path, context)
        try takeIn(
            spooled?.path ?? path, called: path == "-" ? "standard input" : path, choice, try context.service(), context
        )
        withExtendedLifetime(spooled) {}
    }

    /// - Parameter name: what the user knows the file by: the path of a temporary one means nothing to them.
    private static func takeIn(
        _ path: String, called name: String, _ choice: Store.ImportChoice, _ service: any Service, _ context: Context
    ) throws(CommandFailure) {
        let file = FilePath.absolute(path)
        do throws(CommandFailure) {
            report(try service.call(NoteImportation(file: file, choice: choice.rawValue)), context)
        } catch {
            var failure = error
            if path != name { failure.message = failure.message.replacing(file, with: name) }
            throw failure
        }
    }

    /// Reads a folder of documents, and takes them in as an export.
    private static func read(
        folder: String, _ choice: Store.ImportChoice, _ context: Context
    ) throws(CommandFailure) {
        let service = try context.service()
        var names: [String]
        do throws(FileSystem.Failure) {
            names = try FileSystem.names(in: folder)
        } catch {
            throw .usage("the folder \(folder) cannot be read: \(error.text)", code: .usageFile)
        }
        names = names.filter { !$0.hasPrefix(".") && $0.hasSuffix("." + NoteDocument.fileExtension) }.sorted()
        guard !names.isEmpty else {
            return context.errors.note(
                "there is no file *.\(NoteDocument.fileExtension) in \(folder): nothing was changed")
        }
        var readings: [NoteDocument.Reading] = []
        for name in names {
            var reading = try read(file: "\(folder)/\(name)")
            if !reading.newLinks.isEmpty {
                let known = knownTargets(of: reading.id, service)
                let there = reading.newLinks.filter { link in known.contains { $0.hasSameBytes(as: link.value) } }
                reading.removeLinks(at: Set(there.keys))
            }
            readings.append(reading)
        }
        let file = try SpoolFile(besideStoreOf: context)
        let lines = NoteDocument.exportLines(of: readings)
        try context.storing { () throws(StoreError) in try file.write(lines) }
        try takeIn(file.path, called: folder, choice, service, context)
        withExtendedLifetime(file) {}
    }

    private static func read(file path: String) throws(CommandFailure) -> NoteDocument.Reading {
        let bytes = try Result { () throws(FileSystem.Failure) in
            try FileSystem.read(path, limit: NoteDocument.longest)
        }.mapError { CommandFailure.usage("\(path) cannot be read: \($0.text)", code: .usageFile) }.get()
        return try Result { () throws(NoteDocument.Fault) in try NoteDocument.read(bytes) }.mapError { fault in
            CommandFailure.refusal(
                .importLine, "\(path):\(fault.line): \(fault.message)", help: "Nothing was imported.")
        }.get()
    }

    /// The identifiers that a note links to already; none where there is no such note yet.
    private static func knownTargets(of note: String, _ service: any Service) -> [String] {
        var call = LinkList()
        call.note = note
        call.limit = LinkList.limits.upperBound
        return ((try? service.call(call)) ?? []).compactMap(\.target)
    }

    private static func report(_ answer: NoteImportAnswer, _ context: Context) {
        if answer.hasPutAside {
            context.errors.warning("the note in progress of the file was put aside: another one is in progress here")
        }
        if context.writesJSON { return context.print(json: answer) }
        guard answer.hasChanged else {
            return context.errors.note("nothing was changed: everything in the file is there already")
        }
        let rows = [("notes", answer.notes), ("links", answer.links), ("redirects", answer.redirects)].map {
            name, count in
            [
                name, "\(count.added) added", "\(count.same) same", "\(count.kept) kept",
                "\(count.replaced) replaced",
            ]
        }
        context.output.write(TextTable.text(rows))
    }
}

extension String {
    /// Every occurrence replaced, by bytes.
    fileprivate func replacing(_ text: String, with other: String) -> String {
        let (bytes, searched) = (Array(utf8), Array(text.utf8))
        guard !searched.isEmpty else { return self }
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if bytes[place...].starts(with: searched) {
                result += Array(other.utf8)
                place += searched.count
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
