import TestSupport
import Testing
import UsherConfiguration
import UsherPredicate
import UsherScene

/// Every key of a manifest, read into its place.
@Suite struct ManifestReaderTests {
    private func read(_ manifest: String) throws -> (app: App, folder: TemporaryFolder) {
        let folder = TemporaryFolder()
        try folder.write(manifest, to: "apps/app.toml")
        let loaded = ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
        #expect(loaded.diagnostics.map(\.description) == [])
        return (try #require(loaded.configuration.apps.first), folder)
    }

    @Test func defaults() throws {
        let app = try read("id = \"example.app\"\nwebsite = false\n[[scenes]]\nname = \"main\"\n").app
        #expect(app.name == "example.app")
        #expect(app.topics == ["example.app"])
        #expect(app.website?.value == false)
        #expect(app.multipleScenes)
        #expect(app.scenesLimit == nil)
        #expect(app.deliver == .tapped)
        #expect(app.location.description == "apps/app.toml:1:6")
        let scene = try #require(app.scenes.first)
        #expect(scene.location.description == "apps/app.toml:3:1")
        #expect(scene.role == .windowApplication)
        #expect(scene.newScene == .whenNoneCan)
        #expect(scene.opens == nil && scene.canActivate == nil && scene.prefersToActivate == nil)
        #expect(scene.launch == nil && scene.focus == nil && scene.show == nil)
    }

    @Test func appKeys() throws {
        let app = try read(
            """
            id = "example.app"
            topics = ["example.app", "example.app.clip"]
            domains = ["App.example", "*.app.example", "shop.example/App"]
            multiple-scenes = false
            scenes-limit = 3
            deliver = "notify"
            website = true
            """
        ).app
        #expect(app.topics == ["example.app", "example.app.clip"])
        #expect(app.domains.map(\.value) == ["app.example", "*.app.example", "shop.example/App"])
        #expect(app.domains.map(\.location.column) == [12, 27, 44])
        #expect(!app.multipleScenes)
        #expect(app.scenesLimit?.value == 3)
        #expect(app.scenesLimit?.location.description == "apps/app.toml:5:16")
        #expect(app.deliver == .notify)
    }

    static let delivers: [(text: String, rule: DeliveryRule)] = [
        (#""focus""#, .tapped), (#""notify""#, .notify), (#""none""#, DeliveryRule(.none)),
        ("{}", DeliveryRule(.tapped)),
        (#"{ default = "notify", active = "focus" }"#, DeliveryRule(.notify, levels: [.active: .tapped])),
        (
            #"{ passive = "none", time-sensitive = "notify", critical = "notify" }"#,
            DeliveryRule(.tapped, levels: [.passive: .none, .timeSensitive: .notify, .critical: .notify])
        ),
    ]

    @Test(arguments: delivers) func deliver(_ given: (text: String, rule: DeliveryRule)) throws {
        #expect(try read("id = \"example.app\"\ndeliver = \(given.text)\nwebsite = true\n").app.deliver == given.rule)
    }

    static let rates: [(text: String, rate: InterruptionRate, words: String)] = [
        (#"{ limit = 5, per = "1m" }"#, InterruptionRate(limit: 5, milliseconds: 60_000), "5 in 1m"),
        (#"{ limit = 1, per = "90s" }"#, InterruptionRate(limit: 1, milliseconds: 90_000), "1 in 90s"),
        ("{ limit = 10000, per = 1500 }", InterruptionRate(limit: 10_000, milliseconds: 1500), "10000 in 1500ms"),
    ]

    @Test(arguments: rates) func rate(_ given: (text: String, rate: InterruptionRate, words: String)) throws {
        let app = try read("id = \"example.app\"\nrate = \(given.text)\nwebsite = true\n").app
        #expect(app.notifications.rate == given.rate)
        #expect(given.rate.words == given.words)
        #expect(app.deliver == .tapped)
    }

    @Test func notifications() throws {
        let (app, folder) = try read(
            """
            id = "example.app"
            deliver = "notify"
            website = true

            [notifications]
            icon = "../icons/app.png"
            image = "clown.png"
            desktop-entry = "example.App.desktop"
            sound = "message-new-instant"
            expires = "10s"
            when-seen = "show"
            replace = "target"

            [[notifications.categories]]
            id = "ORDER"
            desktop-category = "im.received"
            actions = [
                { id = "track", title = "Track" },
                { id = "all", title = "All orders", target-content-id = "https://app.example/orders" },
                { id = "mute", title = "Mute", background = { exec = ["true", "{notification-action}"] } },
                { id = "yes", title = "Yes", answer = true },
            ]

            [[notifications.categories]]
            id = "order"
            """)
        let settings = app.notifications
        #expect(settings.icon == folder.path + "/icons/app.png")
        #expect(settings.image == folder.path + "/apps/clown.png")
        #expect(settings.desktopEntry == "example.App")
        #expect(settings.sound == "message-new-instant" && !settings.isSilent && settings.expires == 10_000)
        #expect(settings.categories.map(\.id) == ["ORDER", "order"])
        let order = try #require(settings.category("ORDER"))
        #expect(order.desktopCategory == "im.received")
        #expect(
            order.actions.map { "\($0.id) \($0.title)" } == ["track Track", "all All orders", "mute Mute", "yes Yes"])
        #expect(order.actions.map(\.target?.text) == [nil, "https://app.example/orders", nil, nil])
        #expect(order.actions.map(\.isAnswer) == [false, false, false, true])
        #expect(settings.need.whenSeen == .show && settings.need.withdraw == nil && settings.need.replace == .target)
        #expect(order.actions[2].background?.arguments == ["true", "{notification-action}"])
        #expect(order.location.description == "apps/app.toml:14:1")
        #expect(settings.category("Order") == nil && settings.category(nil) == nil)
        let never = try read(
            "id = \"a\"\ndeliver = \"notify\"\nwebsite = true\n[notifications]\nexpires = \"never\"\nsilent = true\nicon = \"app\"\n"
        )
        #expect(never.app.notifications.expires == 0 && never.app.notifications.isSilent)
        #expect(never.app.notifications.icon == "app")
    }

    @Test func sceneKeys() throws {
        let app = try read(
            """
            id = "example.app"
            [targets]
            order = "https://app.example/{order.id}"
            [[scenes]]
            name = "order"
            role = "windowExternalDisplayNonInteractive"
            target = "order"
            opens = 'SELF LIKE "https://app.example/*"'
            can = 'SELF ENDSWITH $ORDER_ID'
            prefers = 'SELF == $TARGET'
            new-scene = "unless-preferred"
            launch = { exec = ["true"] }
            """
        ).app
        let scene = try #require(app.scene(named: "order"))
        #expect(scene.role.rawValue == "windowExternalDisplayNonInteractive")
        #expect(scene.target == "order")
        #expect(scene.newScene == .unlessPreferred)
        #expect(scene.opens?.value.evaluate("https://app.example/1") == true)
        #expect(scene.canActivate?.value.usedVariables == ["ORDER_ID"])
        #expect(scene.prefersToActivate?.value.usedVariables == ["TARGET"])
    }

    @Test func commands() throws {
        let (app, folder) = try read(
            """
            id = "example.app"

            [handlers]
            background = { exec = ["true", "{body}-"], lanes = 8 }
            content-deleted = { exec = ["true"], time-limit = 250 }
            open-web = { exec = ["true", "--", "{url}"], idempotent = true }

            [[scenes]]
            name = "main"
            launch = { tmux = ["/bin/../bin/sh", "--", "{target}"], in = "work", launch-grace = "1m", ready = { exec = ["true"] } }
            focus = { exec = ["true"], directory = "../here" }
            show = { tmux-keys = [":open {target}", "<Enter>", "<C-c>", "<C-M-x>", "<F5>", "<", "<a b>"], time-limit = "300ms" }

            [[scenes]]
            name = "other"
            show = { exec = ["true"], environment = { B = "{target}", A = "1" }, keep-environment = ["DISPLAY", "LANG"] }
            """)
        #expect(app.background?.arguments == ["true", "{body}-"])
        #expect(app.background?.timeLimit == Command.defaultTimeLimit)
        #expect(app.background?.location.description == "apps/app.toml:4:23")
        #expect(app.background?.lanes == 8)
        #expect(app.contentDeleted?.timeLimit == 250)
        #expect(app.contentDeleted?.lanes == 1)
        #expect(app.openWeb?.idempotent == true)
        let main = try #require(app.scene(named: "main"))
        let launch = try #require(main.launch)
        #expect(launch.method == .tmux(session: "work"))
        #expect(launch.command.arguments == ["/bin/sh", "--", "{target}"])
        #expect(launch.grace == 60_000)
        guard case .exec(let ready)? = launch.ready else {
            Issue.record("ready is not exec")
            return
        }
        #expect(ready.arguments == ["true"])
        guard case .exec(let focus)? = main.focus?.method else {
            Issue.record("focus is not exec")
            return
        }
        #expect(focus.workingDirectory == folder.path + "/here")
        guard case .tmuxKeys(let keys)? = main.show else {
            Issue.record("show is not keys")
            return
        }
        #expect(keys.arguments.count == 7)
        #expect(keys.timeLimit == 300)
        guard case .exec(let show)? = app.scene(named: "other")?.show else {
            Issue.record("show is not exec")
            return
        }
        #expect(show.environment == ["A": "1", "B": "{target}"])
        #expect(show.keepEnvironment == ["DISPLAY", "LANG"])
    }

    @Test func continuation() throws {
        let (app, _) = try read(
            """
            id = "example.app"
            version = "2.1"
            activity-schema = 3
            newer = "refuse"

            [handlers]
            will-continue = { tmux-keys = [":busy {activity-type}", "<Enter>"] }
            continue = { exec = ["true", "--", "{activity-file}"], retry = 2, idempotent = true }
            did-fail = { exec = ["true", "{error-code}", "--", "{error}"] }
            save = { exec = ["true", "{session}"], time-limit = "1s" }
            upgrade = { exec = ["true"] }

            [[scenes]]
            name = "main"
            launch = { exec = ["true", "--", "{restoration-file}"] }
            """)
        let continuation = app.continuation
        #expect(continuation.version?.value == "2.1")
        #expect(continuation.version?.location.description == "apps/app.toml:2:11")
        #expect(continuation.schemaVersion?.value == 3)
        #expect(continuation.newer == .refuse)
        guard case .tmuxKeys(let keys)? = continuation.willContinue, case .exec(let command)? = continuation.continue
        else {
            Issue.record("the handlers are of other kinds")
            return
        }
        #expect(keys.arguments == [":busy {activity-type}", "<Enter>"])
        #expect(command.arguments == ["true", "--", "{activity-file}"])
        #expect(command.retry?.attempts == 2)
        #expect(command.idempotent)
        #expect(continuation.didFail?.command.arguments == ["true", "{error-code}", "--", "{error}"])
        #expect(continuation.save?.timeLimit == 1000)
        #expect(continuation.upgrade?.arguments == ["true"])
        #expect(continuation.isHandled)
    }

    @Test(arguments: [
        ("retry = 5", RetryPolicy(attempts: 5)), ("retry = { attempts = 2 }", RetryPolicy(attempts: 2)),
        (
            "retry = { attempts = 100, first-seconds = 0.25, limit-seconds = 10 }",
            RetryPolicy(attempts: 100, first: 250, limit: 10_000)
        ),
        ("time-limit = 5", nil),
    ])
    func retryPolicies(_ line: String, policy: RetryPolicy?) throws {
        let (app, _) = try read(
            """
            id = "example.app"
            handlers = { background = { exec = ["true"], \(line) } }

            [[scenes]]
            name = "main"
            launch = { exec = ["true"], \(line) }
            show = { tmux-keys = ["x"], \(line) }
            """)
        #expect(app.background?.retry == policy)
        #expect(app.scenes.first?.launch?.command.retry == policy)
        #expect(app.scenes.first?.show?.command.retry == policy)
    }

    @Test func userInfoOfEveryType() throws {
        let app = try read(
            """
            id = "example.app"
            website = true
            [[shortcuts]]
            type = "t"
            title = "T"
            [shortcuts.user-info]
            text = "\\"é\\n\\u0001\\u007F"
            number = -9223372036854775808
            real = 1.5
            flag = true
            list = [1, [2], {a = 3}, []]
            empty = {}
            """
        ).app
        let expected =
            #"{"text":"\"é\n\u0001\u007f","number":-9223372036854775808,"real":1.5,"flag":true,"#
            + #""list":[1,[2],{"a":3},[]],"empty":{}}"#
        #expect(app.shortcuts.first?.userInfo == expected)
    }

    @Test func expectationsWithoutAWindow() throws {
        let app = try read(
            """
            id = "example.app"
            website = true
            [[expect]]
            target = "https://app.example/"
            reason = "web-fallback"
            [[expect]]
            reason = "no-scene"
            """
        ).app
        #expect(app.expectations.map(\.scene) == [nil, nil])
        #expect(app.expectations.map(\.reason) == [.webFallback, .noScene])
        #expect(app.expectations.map(\.target?.text) == ["https://app.example/", nil])
    }
}
