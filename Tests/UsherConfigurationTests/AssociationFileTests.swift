import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherScene

/// `site-association`: what is read, and that no file takes long.
@Suite struct AssociationFileTests {
    let folder: TemporaryFolder

    init() throws { folder = TemporaryFolder() }

    private func load(
        _ association: String, key: String = #"site-association = "aasa""#, domains: String = #"["shop.example"]"#,
        topics: String = ""
    ) throws -> LoadedConfiguration {
        try folder.write(
            """
            id = "example.shop"
            domains = \(domains)
            \(topics)
            \(key)

            [[scenes]]
            name = "main"
            launch = { exec = ["true"] }
            """, to: "apps/shop.toml")
        try folder.write(association, to: "apps/aasa")
        return ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
    }

    private func details(_ components: String, ids: String = #""ABCDE12345.example.shop""#) -> String {
        #"{"applinks":{"details":[{"appIDs":[\#(ids)],"components":[\#(components)]}]}}"#
    }

    private func verdict(_ loaded: LoadedConfiguration, _ url: String) -> String {
        switch loaded.configuration.apps.first?.verdict(on: TargetContentIdentifier(url)) {
        case .included(let rule): "+" + rule.summary
        case .excluded(let rule): "-" + rule.summary
        case .unmatched: "unmatched"
        case nil: "nil"
        }
    }

    @Test func componentsAndTheirPlaces() throws {
        let loaded = try load(
            """
            { "applinks": { "details": [
              { "appIDs": ["ABCDE12345.example.shop"], "components": [
                { "/": "/clowns/sad/*", "exclude": true, "comment": "é" }, { "/": "/Clowns/*", "caseSensitive": false }
              ] } ] } }
            """)
        #expect(loaded.diagnostics.map(\.description) == [])
        let association = try #require(loaded.configuration.apps.first?.association)
        #expect(association.path == "apps/aasa")
        #expect(association.rules.map(\.location.description) == ["apps/aasa:3:5", "apps/aasa:3:64"])
        #expect(verdict(loaded, "https://shop.example/clowns/sad/1") == "-/clowns/sad/*")
        #expect(verdict(loaded, "https://shop.example/clowns/1") == "+/Clowns/*")
        #expect(verdict(loaded, "https://shop.example/") == "unmatched")
        #expect(verdict(loaded, "https://other.example/") == "nil")
        #expect(verdict(loaded, "clowns") == "nil")
    }

    @Test func defaultsAreInherited() throws {
        let loaded = try load(
            """
            { "applinks": { "defaults": { "caseSensitive": false }, "details": [
              { "appID": "ABCDE12345.example.shop", "defaults": { "percentEncoded": false }, "components": [
                { "/": "/É" }, { "/": "/Plain", "caseSensitive": true } ] },
              { "appID": "ABCDE12345.example.shop", "components": [ { "/": "/%C3%89x" } ] } ] } }
            """)
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(verdict(loaded, "https://shop.example/%C3%A9") == "+/É")
        #expect(verdict(loaded, "https://shop.example/Plain") == "+/Plain")
        #expect(verdict(loaded, "https://shop.example/plain") == "unmatched")
        #expect(verdict(loaded, "https://shop.example/%c3%89X") == "+/%C3%89x")
    }

    @Test func pathsOfOldSystems() throws {
        let entry = #""appID":"ABCDE12345.example.shop","paths":["NOT /a/b","/a/*","/search?"]"#
        let loaded = try load(#"{"applinks":{"apps":[],"details":[{\#(entry)}]}}"#)
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(verdict(loaded, "https://shop.example/a/b") == "-/a/b")
        #expect(verdict(loaded, "https://shop.example/a/b/c?d#e") == "+/a/*")
        #expect(verdict(loaded, "https://shop.example/searches") == "unmatched")
        let both = try load(#"{"applinks":{"details":[{\#(entry),"components":[{"/":"/c"}]}]}}"#)
        #expect(both.diagnostics.map(\.description) == [])
        #expect(verdict(both, "https://shop.example/a/c") == "unmatched")
        #expect(verdict(both, "https://shop.example/c") == "+/c")
    }

    @Test func variables() throws {
        let loaded = try load(
            """
            { "applinks": { "details": [ { "appIDs": ["ABCDE12345.example.shop"], "components": [
              { "/": "/$(food)/$(digit)$(digit)" } ] } ], "substitutionVariables": { "food": ["taco", "pie-*"] } } }
            """)
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(verdict(loaded, "https://shop.example/pie-of-apples/42") == "+/$(food)/$(digit)$(digit)")
        #expect(verdict(loaded, "https://shop.example/taco/4") == "unmatched")
    }

    /// The entries that are the app's.
    struct Ours: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var ids: String
        var key = #"site-association = "aasa""#
        var topics = ""
        var isOurs = true
    }

    @Test(arguments: [
        Ours(testDescription: "id", ids: #""ABCDE12345.example.shop""#),
        Ours(testDescription: "second", ids: #""ABCDE12345.example.other", "ABCDE12345.example.shop""#),
        Ours(testDescription: "other-team", ids: #""ZZZZZ99999.example.shop""#),
        Ours(testDescription: "topic", ids: #""ABCDE12345.com.shop""#, topics: #"topics = ["com.shop"]"#),
        Ours(testDescription: "foreign", ids: #""ABCDE12345.example.shop2""#, isOurs: false),
        Ours(
            testDescription: "named", ids: #""ABCDE12345.com.elsewhere""#,
            key: #"site-association = { file = "aasa", app-id = "ABCDE12345.com.elsewhere" }"#),
        Ours(
            testDescription: "named-only", ids: #""ABCDE12345.example.shop""#,
            key: #"site-association = { file = "aasa", app-id = "ZZZZZ99999.example.shop" }"#, isOurs: false),
    ]) func entries(_ example: Ours) throws {
        let loaded = try load(
            details(#"{"/":"/a"}"#, ids: example.ids), key: example.key, topics: example.topics)
        #expect(loaded.diagnostics.map(\.code.name) == (example.isOurs ? [] : ["association.no-entry"]))
        #expect(verdict(loaded, "https://shop.example/a") == (example.isOurs ? "+/a" : "unmatched"))
    }

    @Test func countsIntoTheDigest() throws {
        let one = try load(details(#"{"/":"/a"}"#))
        let other = try load(details(#"{"/":"/b"}"#))
        #expect(one.files == ["apps/shop.toml", "apps/aasa"])
        #expect(one.configuration.digest != other.configuration.digest)
    }

    @Test func oneFileOfTwoAppsIsReadOnce() throws {
        let ids = #""ABCDE12345.example.shop", "ABCDE12345.example.kiosk""#
        try folder.write(
            """
            id = "example.kiosk"
            domains = ["shop.example"]
            site-association = "aasa"
            [[scenes]]
            name = "main"
            launch = { exec = ["true"] }
            """, to: "apps/kiosk.toml")
        let loaded = try load(details(#"{"/":"no-slash"},{"/":"/a"}"#, ids: ids))
        #expect(loaded.diagnostics.map(\.code.name) == ["association.never-matches"])
        #expect(loaded.files == ["apps/kiosk.toml", "apps/aasa", "apps/shop.toml"])
        #expect(loaded.configuration.apps.map { $0.association?.rules.count } == [2, 2])
    }

    @Test func absoluteAndOutside() throws {
        try folder.write(details(#"{"/":"/a"}"#), to: "site/aasa")
        let outside = try load("", key: #"site-association = "../site/aasa""#)
        #expect(outside.diagnostics.map(\.description) == [])
        #expect(outside.files == ["apps/shop.toml", "site/aasa"])
        let absolute = try load("", key: #"site-association = "\#(folder.path)/site/aasa""#)
        #expect(absolute.diagnostics.map(\.description) == [])
        #expect(absolute.files.last == folder.path + "/site/aasa")
    }

    // MARK: Bad input

    @Test func tenThousandComponentsInOneLine() throws {
        let components = (0..<10_000).map { #"{"/":"/section-\#($0)/*","comment":"é"}"# }.joined(separator: ",")
        let clock = ContinuousClock()
        let start = clock.now
        let loaded = try load(details(components))
        #expect(loaded.diagnostics.map(\.code.name) == ["association.size"])
        #expect(loaded.diagnostics.first?.severity == .warning)
        #expect(verdict(loaded, "https://shop.example/section-9999/x") == "+/section-9999/*")
        #expect(loaded.configuration.apps.first?.association?.rules.last?.location.line == 1)
        // A reader that is quadratic in the line takes minutes.
        #expect(clock.now - start < .seconds(30))
    }

    @Test func manyMistakesInOneLine() throws {
        let components = (0..<10_000).map { #"{"/":"section-\#($0)/$(x\#($0))","excl":1}"# }.joined(separator: ",")
        let clock = ContinuousClock()
        let start = clock.now
        let loaded = try load(details(components))
        #expect(loaded.diagnostics.count == 101)
        #expect(loaded.diagnostics.contains { $0.code == .tooManyDiagnostics })
        #expect(clock.now - start < .seconds(30))
    }

    @Test func aCircleOfManyVariables() throws {
        let variables = (0..<10_000).map { #""v\#($0)":["$(v\#(($0 + 1) % 10_000))"]"# }.joined(separator: ",")
        let clock = ContinuousClock()
        let start = clock.now
        let loaded = try load(
            #"{"applinks":{"substitutionVariables":{\#(variables)},"details":[{"appIDs":["ABCDE12345.example.shop"],"components":[{"/":"/$(v0)"}]}]}}"#
        )
        #expect(loaded.diagnostics.contains { $0.code.name == "association.variable" })
        #expect(clock.now - start < .seconds(30))
    }

    @Test func tooManyWildcardsInVariables() throws {
        let values = (0..<5000).map { #""*\#($0)*""# }.joined(separator: ",")
        let components = (0..<200).map { #"{"/":"/\#($0)/$(v)"}"# }.joined(separator: ",")
        let loaded = try load(
            #"{"applinks":{"substitutionVariables":{"v":[\#(values)]},"details":[{"appIDs":["ABCDE12345.example.shop"],"components":[\#(components)]}]}}"#
        )
        #expect(loaded.diagnostics.map(\.code.name) == ["association.too-complex"])
    }

    @Test func nestingAndNoise() throws {
        for text in [
            "", "{", "[[[[", String(repeating: "[", count: 100_000), "\u{0}", "{}", "null",
            "{\"applinks\":{\"details\":[[]]}}",
        ] {
            let loaded = try load(text)
            #expect(loaded.hasErrors, "\(text.prefix(20))")
        }
    }
}
