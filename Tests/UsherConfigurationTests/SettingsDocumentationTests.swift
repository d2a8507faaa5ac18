import Foundation
import TestSupport
import Testing

@testable import UsherConfiguration

/// `Config/usher.toml` and the tables of Documentation/Configuration.md have every setting, with its type and its default.
///
/// That the values in `Config/usher.toml` are the defaults is proven by ``SampleConfigurationTests``.
@Suite struct SettingsDocumentationTests {
    private struct Row {
        var type: String
        var fallback: String
    }

    private static let settings = SettingsSchema.root.tables.dropFirst().flatMap { table in
        table.settings.filter { $0.table == nil }.map { (path: "\(table.name).\($0.key.name)", key: $0.key) }
    }

    private static func lines(of path: String) throws -> [Substring] {
        try String(contentsOfFile: Repository.path + "/" + path, encoding: .utf8).split(separator: "\n")
    }

    /// The values of `Config/usher.toml` by key, and the keys that only its comments show.
    private static func sample() throws -> (values: [String: String], comments: Set<String>) {
        var table = ""
        var values: [String: String] = [:]
        var comments: Set<String> = []
        for line in try lines(of: "Config/usher.toml") {
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                table = String(line[line.index(after: line.startIndex)..<end])
            } else if line.hasPrefix("#") {
                for match in line.matches(of: /([a-z-]+) = |\[[a-z.]+\.([a-z]+)\]/) {
                    comments.insert("\(table).\(match.1 ?? match.2 ?? "")")
                }
            } else if let match = line.wholeMatch(of: /([a-z-]+) = (.*?)( +#.*)?/) {
                values["\(table).\(match.1)"] = String(match.2)
                for match in (match.3 ?? "").matches(of: /([a-z-]+) =/) { comments.insert("\(table).\(match.1)") }
            }
        }
        return (values, comments)
    }

    /// The rows of the reference by key; a row may have several keys, and then has one default or one for each.
    private static func reference() throws -> [String: Row] {
        var table: [String] = []
        var rows: [String: Row] = [:]
        for line in try lines(of: "Documentation/Configuration.md") {
            if line.hasPrefix("## ") {
                let tables = line.matches(of: /\[([a-z]+)\]/).map { String($0.1) }
                table = tables.count == 1 ? tables : []
            } else if line.hasPrefix("| `") {
                let cells = line.split(separator: "|").map { String($0).trimmingCharacters(in: .whitespaces) }
                guard cells.count == 4 else { continue }
                let keys = cells[0].split(separator: ", ")
                let defaults = cells[2].split(separator: ", ").map(String.init)
                for (index, key) in keys.enumerated() {
                    let path = table + key.matches(of: /[a-z-]+/).map { String($0.0) }
                    rows[path.joined(separator: ".")] = Row(
                        type: keys.count == 1 ? cells[1] : String(cells[1].dropLast()),
                        fallback: defaults.count == keys.count ? defaults[index] : cells[2])
                }
            }
        }
        return rows
    }

    @Test func everySettingIsInTheSample() throws {
        let (values, comments) = try Self.sample()
        for (path, key) in Self.settings where values[path] == nil {
            let isPlain = ["an integer", "true or false", "a number"].contains(key.expectation)
            #expect(!isPlain && comments.contains(path), "Config/usher.toml does not have `\(path)` with its default")
        }
        let known = Set(Self.settings.map(\.path))
        #expect(values.keys.filter { !known.contains($0) } == [])
    }

    @Test func everySettingIsInTheReference() throws {
        let rows = try Self.reference()
        let values = try Self.sample().values
        for (path, key) in Self.settings {
            guard let row = rows[path] else {
                Issue.record("Documentation/Configuration.md has no row for `\(path)`")
                continue
            }
            let type = key.expectation.replacing(#/\ban? /#, with: "")
            #expect(row.type == (type == "true or false" ? "boolean" : type), "the type of `\(path)`")
            switch values[path] {
            case nil: #expect(row.fallback != "", "the default of `\(path)`")
            case "[]": #expect(row.fallback == "none", "the default of `\(path)`")
            case let value? where path == "suggestions.kinds": #expect(row.fallback == "all", "all are \(value)")
            case let value?:
                #expect(row.fallback == (value.hasPrefix("\"") ? "`\(value)`" : value), "the default of `\(path)`")
            }
        }
    }

    /// The keys of hooks, too, which have rows of other forms or are in examples only.
    @Test func everyKeyIsExplained() throws {
        let page = try Self.lines(of: "Documentation/Configuration.md").joined(separator: "\n")
        for key in (SettingsSchema.all + [SettingsSchema.address, SettingsSchema.agent, SettingsSchema.phrases])
            .flatMap(\.keys)
        {
            let isExplained = page.contains("`\(key.name)`") || page.contains(" \(key.name) = ")
            #expect(isExplained, "Documentation/Configuration.md says nothing about `\(key.name)`")
        }
    }
}
