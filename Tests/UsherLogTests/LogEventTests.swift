import Foundation
import Testing
import UsherLog

@Suite("Log events")
struct LogEventTests {
    private static let repository =
        #filePath.components(separatedBy: "/Tests/UsherLogTests/")[0]

    @Test("names, messages and ids are unique and well-formed")
    func unique() {
        let catalog = LogEvent.catalog
        #expect(!catalog.isEmpty)
        #expect(Set(catalog.map(\.id)).count == catalog.count)
        #expect(Set(catalog.map(\.name)).count == catalog.count)
        #expect(Set(catalog.map(\.message)).count == catalog.count)
        for event in catalog {
            #expect(event.id.wholeMatch(of: /[0-9a-f]{32}/) != nil, "\(event.name)")
            #expect(event.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(event.name)")
            #expect(LogEvent.named(byMessage: event.message) == event)
        }
    }

    @Test("the table of Documentation/Operation.md is the catalogue: an id never changes, none goes away")
    func documented() throws {
        let page = try String(contentsOfFile: LogEventTests.repository + "/Documentation/Operation.md", encoding: .utf8)
        let rows = page.matches(of: /(?m)^\| `([a-z0-9-]+)` \| (\w+) \| (.+) \| `([0-9a-f]{32})` \|$/).map {
            [String($0.1), String($0.2), String($0.3), String($0.4)]
        }
        #expect(rows == LogEvent.catalog.map { [$0.name, $0.level.name, $0.message, $0.id] })
    }

    @Test("ids that were given stay with their events")
    func golden() throws {
        let path = LogEventTests.repository + "/Tests/Fixtures/log-events.txt"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(!lines.isEmpty)
        let known = Dictionary(uniqueKeysWithValues: LogEvent.catalog.map { ($0.id, $0.name) })
        for line in lines {
            let parts = line.split(separator: " ")
            try #require(parts.count == 2)
            #expect(known[String(parts[0])] == String(parts[1]), "\(line)")
        }
        #expect(lines.count == known.count, "Scripts/generate-log-events writes the file")
    }

    @Test("each message that the sources log is in the catalogue, at one level")
    func complete() throws {
        let call =
            /\b(?:[lL]ogger|log|self)\s*\??\.\s*(?:log\(\s*\.)?(debug|info|notice|warning|error)(?:\(|,)\s*"((?:[^"\\]|\\.)*)"/
        // Within the logger itself its methods are called by their bare names.
        let bare = /(?:^|[\s{(:])(debug|info|notice|warning|error)\(\s*"((?:[^"\\]|\\.)*)"/
        let sources = LogEventTests.repository + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: sources)).compactMap { $0 as? String }
        var found = 0
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: sources + "/" + file, encoding: .utf8)
            guard text.contains("og") else { continue }
            // The boundaries of C: Unicode's see one word in `context.logger`.
            let inside = text.contains("extension Logger") ? text.matches(of: bare.anchorsMatchLineEndings()) : []
            for match in text.matches(of: call.wordBoundaryKind(.simple)) + inside {
                found += 1
                let event = LogEvent.named(byMessage: String(match.2))
                #expect(event != nil, "\(file): \(match.2): run Scripts/generate-log-events")
                #expect(event.map(\.level.name) == String(match.1), "\(file): \(match.2)")
            }
        }
        #expect(found >= 10)
    }
}
