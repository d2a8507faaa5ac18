import Foundation
import TestSupport
import Testing

@Suite("Log events")
struct LogEventTests {
    private struct Declaration {
        var constant, name, level, message, id: String
    }

    private static func sources() throws -> [(file: String, text: String)] {
        let folder = Repository.path + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix(".swift") }.map {
            ($0, try String(contentsOfFile: folder + "/" + $0, encoding: .utf8))
        }
    }

    private static func declarations() throws -> [Declaration] {
        let pattern =
            /static let (\w+) = LogEvent\(\s*"([^"]*)", \.(\w+),\s*"((?:[^"\\]|\\.)*)",\s*id: "([^"]*)"\)/
        var found: [Declaration] = []
        for (file, text) in try sources() {
            let own = text.matches(of: pattern).map {
                Declaration(
                    constant: String($0.1), name: String($0.2), level: String($0.3), message: String($0.4),
                    id: String($0.5))
            }
            #expect(own.count == text.ranges(of: "= LogEvent(").count, "\(file): an event is declared in another form")
            found += own
        }
        return found.sorted { $0.name < $1.name }
    }

    @Test("names, messages and ids are unique and well-formed; each event is logged somewhere")
    func unique() throws {
        let events = try LogEventTests.declarations()
        #expect(events.count > 50)
        #expect(Set(events.map(\.id)).count == events.count)
        #expect(Set(events.map(\.name)).count == events.count)
        #expect(Set(events.map(\.message)).count == events.count)
        let logged = try Set(
            LogEventTests.sources().flatMap { $0.text.matches(of: /log\(\s*\.(\w+)[,)]/).map { String($0.1) } })
        for event in events {
            #expect(event.id.wholeMatch(of: /[0-9a-f]{32}/) != nil, "\(event.name)")
            #expect(event.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(event.name)")
            #expect(logged.contains(event.constant), "\(event.name) is never logged")
        }
    }

    @Test("Documentation/Operation.md lists the events of each level, in order")
    func documented() throws {
        let page = try String(contentsOfFile: Repository.path + "/Documentation/Operation.md", encoding: .utf8)
        let events = try LogEventTests.declarations()
        for level in Set(events.map(\.level)) {
            let names = events.filter { $0.level == level }.map { "`\($0.name)`" }
            let row = "| \(level) | \(names.joined(separator: ", ")) |"
            #expect(page.contains("\n\(row)\n"), "a row must be:\n\(row)")
        }
    }

    @Test("a released name keeps its id, and the page still names it when it is no longer used")
    func released() throws {
        let events = try LogEventTests.declarations()
        let page = try String(contentsOfFile: Repository.path + "/Documentation/Operation.md", encoding: .utf8)
        let released = try String(
            contentsOfFile: Repository.path + "/Tests/Fixtures/log-events.txt", encoding: .utf8
        ).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for line in released {
            try #require(line.count == 2)
            let (id, name) = (line[0], line[1])
            if let event = events.first(where: { $0.id == id || $0.name == name }) {
                #expect(event.id == id && event.name == name)
            } else {
                #expect(page.contains("`\(name)` (`\(id)`)"), "\(name) is neither declared nor on the page")
            }
        }
        for event in events {
            #expect(
                released.contains([event.id, event.name]),
                "add to Tests/Fixtures/log-events.txt: \(event.id) \(event.name)")
        }
    }
}
