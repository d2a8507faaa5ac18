import TestSupport
import Testing
import UsherConfiguration
import UsherPredicate
import UsherScene
import UsherTarget

/// What the repository hands out works, and is read as it is meant.
@Suite struct SampleConfigurationTests {
    static let loaded = ConfigurationLoader.load(path: Fixtures.configuration, searchPath: Fixtures.searchPath)

    @Test func hasNoDiagnostics() {
        #expect(Self.loaded.diagnostics.map(\.description) == [])
        #expect(Self.loaded.missingPrograms == [])
        let hasErrors = Self.loaded.hasErrors
        #expect(!hasErrors)
    }

    @Test func filesInOrder() {
        #expect(
            Self.loaded.files == [
                "usher.toml", "hooks/alerts.toml", "hooks/github.toml", "hooks/orders.toml", "apps/clown-town.toml",
                "apps/orders.toml", "apps/reviews.toml", "apps/status.toml", "apps/tabbed-documents.toml",
                "sites/docs.example/apple-app-site-association",
            ])
    }

    @Test func clownTown() throws {
        let app = try #require(Self.loaded.configuration.app(id: "example.clowntown"))
        #expect(app.name == "Clown Town")
        #expect(app.topics == ["example.clowntown"])
        #expect(app.domains.map(\.value) == ["clowntown.example"])
        #expect(app.domains[0].location.description == "apps/clown-town.toml:4:12")
        #expect(app.activityTypes.map(\.value) == ["example.clowntown.view-clown"])
        #expect(app.website?.value == true)
        #expect(app.multipleScenes)
        #expect(app.targets.map(\.template.text) == ["https://clowntown.example/clowns/{clown}"])
        #expect(app.scenes.map(\.name) == ["main", "clown"])
        #expect(app.shortcuts.map(\.type) == ["order-crusty"])
        #expect(app.shortcuts[0].target?.text == "https://clowntown.example/clowns/crusty")
        #expect(app.expectations.map(\.reason) == [.opens, .can, .prefers])
        #expect(app.expectations.map(\.open.count) == [0, 1, 2])
        #expect(app.expectations[2].open[1].target?.text == "https://clowntown.example/clowns/crusty")
    }

    @Test func placesOfConditions() throws {
        let scene = try #require(Self.loaded.configuration.app(id: "example.clowntown")?.scene(named: "clown"))
        #expect(scene.opens?.location.description == "apps/clown-town.toml:21:9")
        #expect(scene.canActivate?.location.description == "apps/clown-town.toml:22:7")
        #expect(scene.prefersToActivate?.location.description == "apps/clown-town.toml:23:11")
        #expect(scene.target == "clown")
    }

    @Test func commands() throws {
        let scene = try #require(Self.loaded.configuration.app(id: "example.clowntown")?.scene(named: "main"))
        let launch = try #require(scene.launch)
        #expect(launch.method == .tmux(session: nil))
        #expect(launch.command.arguments == [Fixtures.configuration + "/bin/clowntown", "--main"])
        guard case .tmux(session: "clown-town", _)? = scene.focus?.method else {
            Issue.record("focus is not the tmux session")
            return
        }
        guard case .exec(let show)? = scene.show else {
            Issue.record("show is not exec")
            return
        }
        #expect(show.arguments == [Fixtures.configuration + "/bin/clowntown-go", "--", "{target}"])
    }

    @Test func handlerOptions() throws {
        let scene = try #require(Self.loaded.configuration.app(id: "example.orders")?.scene(named: "detail"))
        #expect(scene.launch?.grace == 2000)
        #expect(scene.launch?.command.idempotent == true)
        guard case .exec(let show)? = scene.show else {
            Issue.record("show is not exec")
            return
        }
        #expect(show.timeLimit == 2000)
    }

    @Test func userInfoIsJSON() throws {
        let app = try #require(Self.loaded.configuration.app(id: "example.tabs"))
        #expect(app.shortcuts[1].userInfo == #"{"scroll":0,"theme":"paper"}"#)
    }

    @Test func settingsAreTheDefaults() {
        var settings = Settings()
        settings.logLevel = .notice
        settings.hooks = Self.loaded.settings.hooks
        #expect(Self.loaded.settings == settings)
    }

    @Test func initialConfigurationWorks() throws {
        let folder = TemporaryFolder()
        for file in InitialConfiguration.files { try folder.write(file.text, to: file.path) }
        let loaded = ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(loaded.configuration.apps.map(\.id) == ["example.first"])
        #expect(loaded.missingPrograms == [])
    }
}
