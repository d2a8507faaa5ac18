import StoreTestSupport
import UsherScene

@testable import UsherNotes
@testable import UsherStore

extension Store {
    /// A new note's id.
    func sampleNote(_ text: String) throws(StoreError) -> String {
        try write { (state) throws(StoreError) in try state.newNote(text).id }
    }

    /// As many links as one asks for, four a note, in one transaction: link N has the target
    /// `https://clowntown.example/clowns/N` and the same web page as all others of its note.
    func fill(links count: Int) throws(StoreError) {
        try write { (state) throws(StoreError) in
            let count = SQLiteValue.integer(Int64(count))
            // Sixteen digits are sixteen bytes, in the order of time as identifiers are.
            try state.run(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < (?1 + 3) / 4)
                INSERT INTO note (number, id, text, state, line, created, changed)
                SELECT i, CAST(printf('%016d', i) AS BLOB), 'Note ' || i || ' about clowns', 'aside', 1, i, i FROM n
                """, count)
            try state.run(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO link (number, id, note, app, title, created)
                SELECT i, CAST(printf('%016d', i) AS BLOB), (i + 3) / 4, 'example.clowntown', 'Clown ' || i, i FROM n
                """, count)
            try state.run(
                """
                INSERT INTO link_identifier (link, kind, identifier)
                SELECT number, 1, 'https://clowntown.example/clowns/' || number FROM link
                """)
            try state.run(
                """
                INSERT INTO link_identifier (link, kind, identifier)
                SELECT number, 3, 'https://clowntown.example/pages/' || note FROM link
                """)
            try state.run("INSERT INTO link_text (link_text) VALUES ('rebuild')")
            try state.run("INSERT INTO note_text (note_text) VALUES ('rebuild')")
        }
    }
}

extension Store.NewLink {
    static func clown(_ name: String, note: String, title: String? = nil) -> Store.NewLink {
        Store.NewLink(
            note: .id(note), app: "example.clowntown", title: title ?? name,
            identifiers: [.init(.targetContentIdentifier, .clown(name))])
    }
}

extension TargetContentIdentifier {
    static func clown(_ name: String) -> TargetContentIdentifier {
        TargetContentIdentifier("https://clowntown.example/clowns/\(name)")
    }
}

extension Store.AddedLink {
    /// The link that was made or was there.
    var link: Store.Link? {
        switch self {
        case .added(let link), .known(let link): link
        case .noNote, .deleted: nil
        }
    }

    var word: String {
        switch self {
        case .added: "added"
        case .known: "known"
        case .noNote: "no note"
        case .deleted: "deleted"
        }
    }
}
