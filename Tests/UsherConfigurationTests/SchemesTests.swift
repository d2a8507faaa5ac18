import TestSupport
import Testing
import UsherPredicate
import UsherScene

@testable import UsherConfiguration

/// `schemes` of manifests, and the app that is built in.
@Suite struct SchemesTests {
    let folder: TemporaryFolder

    init() throws { folder = TemporaryFolder() }

    private func load(_ manifests: String...) throws -> LoadedConfiguration {
        for (index, text) in manifests.enumerated() { try folder.write(text, to: "apps/app\(index).toml") }
        return ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
    }

    private func manifest(_ id: String, _ schemes: String) -> String {
        "id = \"\(id)\"\nschemes = \(schemes)\n[[scenes]]\nname = \"main\"\nlaunch = { exec = [\"true\"] }\n"
    }

    @Test func schemesHaveNoCase() throws {
        let loaded = try load(manifest("example.zotero", #"["Zotero", "x-devonthink-item", "a+b.c-1"]"#))
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics)")
        let schemes = try #require(loaded.configuration.app(id: "example.zotero")).schemes
        #expect(schemes.map(\.value) == ["zotero", "x-devonthink-item", "a+b.c-1"])
        #expect(schemes.first?.location.description == "apps/app0.toml:2:12")
    }

    @Test(arguments: [
        (#"["http"]"#, "key.value", "domains"), (#"["HTTPS"]"#, "key.value", "domains"),
        (#"["zotero:"]"#, "key.value", "\"zotero\""), (#"["Zotero://select"]"#, "key.value", "\"zotero\""),
        (#"["1password"]"#, "key.value", "letter"), (#"["zo tero"]"#, "key.value", "letter"),
        (#"["ёж"]"#, "key.value", "letter"), (#"[""]"#, "key.value", ""), (#"["a_b"]"#, "key.value", "letter"),
        (#"["zotero", "ZOTERO"]"#, "duplicate.value", "case"), (#""zotero""#, "key.type", "[\"zotero\"]"),
    ])
    func mistakes(_ schemes: String, _ name: String, _ help: String) throws {
        let loaded = try load(manifest("example.zotero", schemes))
        let errors = loaded.diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.code.name) == [name], "\(loaded.diagnostics)")
        #expect(errors.first?.help?.contains(help) ?? help.isEmpty, "\(errors)")
    }

    @Test func twoAppsWithOneSchemeAreReported() throws {
        let loaded = try load(manifest("example.a", #"["zotero"]"#), manifest("example.b", #"["Zotero"]"#))
        #expect(!loaded.hasErrors)
        let warning = try #require(loaded.diagnostics.first)
        #expect(warning.code.name == "domain.claimed-twice")
        #expect(warning.message.contains("example.a") && warning.related?.path == "apps/app0.toml")
    }

    @Test("each pair of equal claims is reported once")
    func pairs() throws {
        let loaded = try load(
            manifest("example.a", #"["zotero"]"#), manifest("example.b", #"["zotero"]"#),
            manifest("example.c", #"["zotero"]"#))
        let places = loaded.diagnostics.filter { $0.code.name == "domain.claimed-twice" }
            .map { "\($0.path) \($0.related?.path ?? "")" }
        #expect(
            places.sorted() == [
                "apps/app1.toml apps/app0.toml", "apps/app2.toml apps/app0.toml", "apps/app2.toml apps/app1.toml",
            ])
    }

    // MARK: Notes

    @Test func notesAreBuiltIn() throws {
        let plain = try load(manifest("example.a", #"["a"]"#))
        let loaded = plain.withNotes(program: "/bin/true", search: ProgramSearch(path: nil))
        #expect(plain.configuration.app(id: "usher.notes") == nil)
        let notes = try #require(loaded.configuration.app(id: "usher.notes"))
        #expect(notes.isBuiltIn && notes.schemes.map(\.value) == ["usher-note"])
        #expect(loaded.configuration.manifestApps.map(\.id) == ["example.a"])
        #expect(loaded.configuration.digest == plain.configuration.digest)
        #expect(loaded.missingPrograms == plain.missingPrograms)
        let scene = try #require(notes.scenes.first)
        #expect(scene.launch?.command.arguments == ["/bin/true", "note", "edit", "--", "{target}"])
        let target = TargetContentIdentifier("usher-note:017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        let made = scene.conditions(for: target, template: notes.targets.first?.template)
        #expect(made.unfilled.isEmpty)
        #expect(made.conditions.prefersToActivate.predicate.evaluate(target.text))
        #expect(!made.conditions.canActivate.predicate.evaluate("usher-note:another"))
        #expect(
            scene.opens?.value.evaluate(target.text) == true
                && scene.opens?.value.evaluate("https://a.example/") == false)
    }

    @Test(arguments: [
        (#"id = "usher.notes""#, "[]"), (#"id = "example.notes""#, #"["usher-note"]"#),
        (#"id = "example.notes""#, #"["Usher-Note"]"#),
    ])
    func aManifestTakesTheirPlace(_ id: String, _ schemes: String) throws {
        let loaded = try load("\(id)\nschemes = \(schemes)\n[[scenes]]\nname = \"main\"\n")
            .withNotes(program: "/bin/true", search: ProgramSearch(path: nil))
        #expect(!loaded.hasErrors, "\(loaded.diagnostics)")
        #expect(loaded.configuration.apps.count == 2)
        #expect(loaded.configuration.apps.filter(\.isBuiltIn).map(\.id) == ["usher.agents"])
    }

    @Test func withoutTheProgramTheyCannotBeOpened() {
        let loaded = LoadedConfiguration.empty.withNotes(
            program: "usher-that-is-nowhere", search: ProgramSearch(path: "/nowhere"))
        #expect(loaded.missingPrograms == [SceneName(app: "usher.notes", scene: "note")])
        #expect(loaded.configuration.manifestApps.isEmpty && loaded.configuration.apps.count == 2)
    }

    @Test func aManifestOfTheAgentsSaysHowTheirNotificationsAre() throws {
        let own = try load(
            """
            id = "usher.agents"
            deliver = "notify"
            rate = { limit = 3, per = "1m" }
            quiet = { locked = "none" }
            [notifications]
            icon = "robot"
            """)
        #expect(own.diagnostics.isEmpty, "\(own.diagnostics)")
        let loaded = own.withNotes(program: "/bin/true", search: ProgramSearch(path: nil))
        let agents = try #require(loaded.configuration.app(id: "usher.agents"))
        #expect(loaded.configuration.apps.count == 2 && agents.isBuiltIn && agents.scenes.map(\.name) == ["agent"])
        #expect(agents.notifications.icon == "robot" && agents.deliver == .notify && agents.rate != nil)
        #expect(agents.notifications.quiet != QuietRule())
    }
}
