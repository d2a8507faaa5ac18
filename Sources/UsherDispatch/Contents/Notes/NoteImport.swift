internal import UsherJSON
internal import UsherOperation
internal import UsherStore

/// `note import`, for every interface (socket, HTTP, command line): {file, choice?}.
///
/// The file is read twice: first outside a transaction, then within the transaction that imports it. Because of the
/// first pass, a truncated or damaged file does not block other writers.
struct NoteImport {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    func perform(_ call: NoteImportation) throws(ControlError) -> JSONValue {
        let reader = ExportReader(path: call.file)
        guard reader.path.utf8.first == UInt8(ascii: "/") else {
            throw .argument("file is no absolute path", at: "/file")
        }
        var choice = Store.ImportChoice.refuse
        if let text = call.choice {
            let known = Store.ImportChoice.allCases
            guard let found = known.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else {
                throw .unknown(
                    .controlArgument, "choice", text, among: known.map(\.rawValue), at: "/choice")
            }
            choice = found
        }
        let imported = try service.storing { () throws(StoreError) in
            try reader.read { _, _ in }
            return try service.store.importContent(onConflict: choice, file: reader.path) {
                (take) throws(StoreError) in try reader.read(take)
            }
        }
        return [
            "changed": .boolean(imported.changes > 0), "notes": Self.answer(imported.notes),
            "links": Self.answer(imported.links), "redirects": Self.answer(imported.redirects),
            "put_aside": .boolean(imported.hasPutAside),
        ]
    }

    private static func answer(_ count: Store.Imported.Count) -> JSONValue {
        [
            "added": .number(String(count.added)), "same": .number(String(count.same)),
            "kept": .number(String(count.kept)), "replaced": .number(String(count.replaced)),
        ]
    }
}
