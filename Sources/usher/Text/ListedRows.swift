internal import UsherEngine
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// The rows of the last list of each kind that a terminal showed, so that a number stands for the id in a row.
///
/// The ids are in the files `rows/note` and the like of the state folder, one in a line.
struct ListedRows {
    private let context: Context

    /// Greater numbers are no rows: four digits are the beginning of an id.
    private static let greatest = 999

    init(_ context: Context) { self.context = context }

    /// Keeps the ids of a list that is being printed. False where they cannot be kept: then no numbers are shown.
    func keep(_ ids: [String], _ kind: IdentifierKind) -> Bool {
        do throws(CommandFailure) {
            let lines = ids.prefix(ListedRows.greatest).map { $0 + "\n" }
            try NewFile.replace(try path(kind), with: lines.joined(), mode: 0o600)
            return true
        } catch {
            return false
        }
    }

    /// The id in the row of that number; any other text as it is. An id that is such a number itself goes first.
    func identifier(_ text: String, _ kind: IdentifierKind) throws(CommandFailure) -> String {
        guard let number = ListedRows.number(text) else { return text }
        if kind == .delivery, try isDelivery(text) { return text }
        guard let ids = try ids(kind) else {
            throw .refusal(
                .idNoList,
                "\(number) is the row of a list, and no list of \(kind.plural) was printed on a terminal yet",
                help: "\(ListedRows.listCommand(kind)) prints one, with the numbers of its rows")
        }
        guard number <= ids.count else {
            throw .refusal(
                .idRow,
                "the last list of \(kind.plural) has \(ids.count == 1 ? "one row" : "\(ids.count) rows"),"
                    + " and no row \(number)",
                help: "\(ListedRows.listCommand(kind)) prints another list, with the numbers of its rows")
        }
        return ids[number - 1]
    }

    /// The same for every id in a call.
    func resolving<C: Call>(_ call: C) throws(CommandFailure) -> C {
        var failure: CommandFailure?
        let resolved = try CommandFailure.attempt { () throws(ControlError) in
            try call.resolvingIdentifiers { (text, kind, _) throws(ControlError) in
                do throws(CommandFailure) {
                    return try identifier(text, kind)
                } catch {
                    failure = failure ?? error
                    return text
                }
            }
        }
        if let failure { throw failure }
        return resolved
    }

    /// Of a row: from 1, without zeros before it.
    private static func number(_ text: String) -> Int? {
        guard text.utf8.count <= 3, text.utf8.first != UInt8(ascii: "0"),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text)
        else { return nil }
        return number
    }

    /// The number of a row as it is shown; empty for those beyond the greatest.
    static func text(_ number: Int) -> String { number <= greatest ? "\(number)" : "" }

    private static func listCommand(_ kind: IdentifierKind) -> String {
        kind == .delivery ? "usher deliveries list" : "usher \(kind.rawValue) list"
    }

    private func path(_ kind: IdentifierKind) throws(CommandFailure) -> String {
        "\(try context.stateFolder())/rows/\(kind.rawValue)"
    }

    /// nil where no list was printed.
    private func ids(_ kind: IdentifierKind) throws(CommandFailure) -> [String]? {
        guard let bytes = try? FileSystem.read(try path(kind), limit: 1 << 16) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Whether a sender gave a delivery this id.
    private func isDelivery(_ id: String) throws(CommandFailure) -> Bool {
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        return try context.storing { () throws(StoreError) in try store.resolve(id, as: .delivery) } != .none
    }
}

extension Context {
    var rows: ListedRows { ListedRows(self) }

    /// The whole id of a note, a link, an activity or a delivery, from what was given on the line: the number of a row, or the
    /// beginning of an id. A text that means none stays as it is.
    func identifier(_ text: String, _ kind: IdentifierKind, in store: Store) throws(CommandFailure) -> String {
        let given = try rows.identifier(text, kind)
        return try CommandFailure.attempt { () throws(ControlError) in try store.identifier(given, kind, at: "") }
    }
}
