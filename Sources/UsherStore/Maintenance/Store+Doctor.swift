internal import Glibc
internal import UsherScene

extension Store {
    /// How many findings of one kind are reported one by one.
    private static let most = 10

    /// Everything that is wrong with the content of the store, as far as it can be read. Reads the whole file, writes nothing.
    public func examine() -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let own = [StoreFeature.Question(StoreState.damagedPages), .init(StoreState.danglingReferences)]
        for question in own + options.schema.features.flatMap(\.questions) {
            do throws(StoreError) {
                findings += try read { (state) throws(StoreError) in try question.answer(&state, Store.most) }
            } catch {
                // One page that cannot be read makes many queries fail.
                let finding = StoreFinding(error.code, error.message, help: error.help ?? StoreFinding.repairs)
                if !findings.contains(where: { $0.code == error.code }) { findings.append(finding) }
            }
        }
        return findings + examineTextIndexes()
    }

    /// Compares the full-text indexes with the texts. SQLite only does it where it could write; nothing is written.
    private func examineTextIndexes() -> [StoreFinding] {
        guard !isEmptyStandIn else { return [] }
        var findings: [StoreFinding] = []
        do throws(StoreError) {
            var connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: options.busyTimeout)
            guard !connection.isReadOnly,
                try options.schema.isNewest(&connection)
            else { return [] }
            connection.checkpointsWhenClosed(false)
            for index in options.schema.features.flatMap(\.textIndexes) {
                do throws(StoreError) {
                    try connection.execute("BEGIN; \(index.checking); ROLLBACK")
                } catch {
                    try? connection.execute("ROLLBACK")
                    guard error.code == .storeCorrupt else { continue }
                    findings.append(
                        StoreFinding(
                            .textIndex, "the full-text index of \(index.content) does not agree with them",
                            help: "Searches find too little or fail. " + StoreFinding.repairs))
                }
            }
        } catch {
            // What keeps it from being opened was found before.
        }
        return findings
    }

    /// What is wrong with the folder and the files of a store from outside: permissions and space.
    public static func examineFiles(directory: String) -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let file = StoreFile(directory: directory)
        for (path, most) in [(directory, "0700")] + ["", "-wal", "-shm"].map({ (file.path + $0, "0600") }) {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            findings.append(
                StoreFinding(
                    .loosePermissions, "\(path) is open to other users (mode \(octal(status.st_mode & 0o7777)))",
                    help: "Notes are private: chmod \(most) \(path)"))
        }
        var volume = statvfs()
        if unsafe statvfs(directory, &volume) == 0 {
            let free = UInt64(volume.f_bavail) * UInt64(volume.f_frsize)
            if free < 64 << 20 {
                findings.append(
                    StoreFinding(
                        .warning, .littleSpace, "there are only \(free >> 20) MiB left for the store in \(directory)",
                        help: "Free some space: without it, nothing can be written down."))
            }
        }
        return findings
    }

    private static func octal(_ mode: mode_t) -> String { "0" + String(mode, radix: 8) }
}

/// A full-text index and how it is checked and built anew (https://sqlite.org/fts5.html#special_insert_commands).
package struct TextIndex: Sendable {
    private var name: String
    /// What it is of, for people.
    var content: String

    package init(name: String, content: String) {
        self.name = name
        self.content = content
    }

    /// A rank has it compare the content that it does not keep itself.
    var checking: String { "INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)" }
    var rebuilding: String { "INSERT INTO \(name) (\(name)) VALUES ('rebuild')" }
}

extension StoreState {
    fileprivate static func damagedPages(
        _ state: inout StoreState, limit: Int
    ) throws(StoreError) -> [StoreFinding] {
        try state.rows("PRAGMA integrity_check(\(limit))") { $0.text(0) }.filter { $0 != "ok" }.map { text in
            StoreFinding(
                .storeCorrupt, "the file is damaged: \(text.split(separator: "\n").joined(separator: "; "))",
                help: "`usher doctor --repair` copies everything that can be read into a new file.")
        }
    }

    fileprivate static func danglingReferences(
        _ state: inout StoreState, limit: Int
    ) throws(StoreError) -> [StoreFinding] {
        try state.rows(
            "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2"
        ) { row in
            let count = row.integer(2)
            return StoreFinding(
                .forgottenKeys,
                "\(count) \(count == 1 ? "row" : "rows") of \(row.text(0)) belong to a \(row.text(1)) that is missing",
                help: StoreFinding.repairs)
        }
    }
}
