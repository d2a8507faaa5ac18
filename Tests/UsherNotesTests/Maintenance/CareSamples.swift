import Foundation
import UsherSystem
import UsherText

@testable import UsherNotes
@testable import UsherStore

/// Contents as a user of some years has them.
enum ContentSamples {
    static let names = [
        "Crusty", "Ångström 🎪", "e\u{301}tude", "  ", "line\nbreak \u{202e}mark", "\"quoted\" \\ \u{7f}",
    ]

    static func note(_ number: Int, state: String = "aside", words: Int = 20) -> ContentRow.Note {
        ContentRow.Note(
            id: UUIDv7.next(),
            text: "note \(number) \(names[number % names.count]) "
                + (0..<words).map { "word\((number * 31 + $0 * 7) % 997)" }.joined(separator: " "),
            state: state, line: Int64(1 + number % 9), created: 1_700_000_000_000_001 + Int64(number),
            changed: 1_700_000_000_000_777 + Int64(number),
            attachments: number % 5 == 0
                ? [
                    Store.Attachment(path: "/home/é/\(number).png", digest: nil, size: 12, added: 7),
                    Store.Attachment(
                        path: nil, digest: "sha256:" + String(repeating: "0a", count: 32), size: nil, added: 8),
                ] : [])
    }

    static func link(_ number: Int, of note: String) -> ContentRow.Link {
        var identifiers = [ContentRow.Identifier(kind: 1, identifier: "https://clowntown.example/clowns/\(number)")]
        if number % 2 == 0 { identifiers.append(.init(kind: 2, identifier: "clown-\(number)-e\u{301}")) }
        if number % 3 == 0 { identifiers.append(.init(kind: 3, identifier: "https://clowntown.example/web/\(number)")) }
        return ContentRow.Link(
            id: UUIDv7.next(), note: note, app: number % 4 == 0 ? nil : "example.clowntown",
            title: number % 7 == 0 ? nil : "Clown \(number) \(names[number % names.count])",
            created: 1_700_000_000_000_003 + Int64(number), identifiers: identifiers,
            document: number % 3 == 0
                ? Array("{\"unknown\" : [1.0e2,\t\"\\u00e9\"],\"activityType\":\"example.watching\"}".utf8) : nil)
    }

    /// Notes, links two a note, and redirects of all kinds.
    static func rows(notes: Int) -> [ContentRow] {
        let all = (0..<notes).map { note($0, state: $0 == 0 ? "current" : $0 % 3 == 0 ? "done" : "aside") }
        let links = all.enumerated().flatMap { index, note in
            [link(index * 2, of: note.id), link(index * 2 + 1, of: note.id)]
        }
        let redirects: [ContentRow.Redirect] = [
            .init(number: 3, source: "a:1", destination: "a:2", isPrefix: false, made: 5, reason: "renamed"),
            .init(number: 4, source: "a:2", destination: nil, isPrefix: false, made: 6, reason: nil),
            .init(
                number: 9, source: "https://a.example/", destination: "https://b.example/", isPrefix: true, made: 7,
                reason: nil),
        ]
        return all.map { .note($0) } + links.map { .link($0) } + redirects.map { .redirect($0) }
    }
}

extension Store {
    @discardableResult
    func take(_ rows: [ContentRow], onConflict choice: ImportChoice = .refuse) throws(StoreError) -> Imported {
        try importContent(onConflict: choice, file: "file") { (take) throws(StoreError) in
            for (index, row) in rows.enumerated() { try take(row, index + 2) }
        }
    }

    func allRows(notes: [String]? = nil) throws -> [ContentRow] {
        var rows: [ContentRow] = []
        try exportContent(into: &rows, notes: notes) { rows in
            rows = []
        } take: { rows, row in
            rows.append(row)
        }
        return rows
    }
}
