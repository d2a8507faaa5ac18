/// The keys of a manifest, table by table.
enum ManifestSchema {
    static let app = TableSchema(
        title: "a manifest",
        keys: [
            KeySchema("id", .string, #"id = "example.clowntown""#, required: true),
            KeySchema("name", .string, #"name = "Clown Town""#),
            KeySchema("topics", .strings, #"topics = ["example.clowntown"]"#),
            KeySchema("domains", .strings, #"domains = ["clowntown.example"]"#),
            KeySchema("schemes", .strings, #"schemes = ["clowntown"]"#),
            KeySchema("site-association", .stringOrTable, #"site-association = "apple-app-site-association""#),
            KeySchema("activity-types", .strings, #"activity-types = ["example.clowntown.view-clown"]"#),
            KeySchema("version", .string, #"version = "2.1""#),
            KeySchema("activity-schema", .integer, "activity-schema = 3"),
            KeySchema("newer", .string, #"newer = "web""#),
            KeySchema("website", .boolean, "website = true"),
            KeySchema("multiple-scenes", .boolean, "multiple-scenes = false"),
            KeySchema("scenes-limit", .integer, "scenes-limit = 4"),
            KeySchema("deliver", .stringOrTable, #"deliver = "notify""#),
            KeySchema("rate", .table, #"rate = { limit = 5, per = "1m" }"#),
            QuietSchema.key,
            KeySchema("info-plist", .stringOrTable, #"info-plist = "Info.plist""#),
            KeySchema("targets", .anyTable, #"targets = { clown = "https://clowntown.example/clowns/{clown}" }"#),
            KeySchema("notifications", .table, #"notifications = { icon = "clowntown" }"#),
            KeySchema("handlers", .table, #"handlers = { background = { exec = ["clowntown-sync"] } }"#),
            KeySchema("suggestions", .strings, #"suggestions = ["place"]"#),
            KeySchema("directions-modes", .strings, #"directions-modes = ["car", "ride-share"]"#),
            KeySchema("artwork", .string, #"artwork = "cover.png""#),
            KeySchema("perform", .table, #"perform = { call = "tel:{+number}" }"#),
            KeySchema("scenes", .tables, "[[scenes]]"),
            KeySchema("shortcuts", .tables, "[[shortcuts]]"),
            KeySchema("expect", .tables, "[[expect]]"),
        ])

    static let association = TableSchema(
        title: "a `site-association` table",
        keys: [
            KeySchema("file", .string, #"file = "apple-app-site-association""#, required: true),
            KeySchema("app-id", .string, #"app-id = "ABCDE12345.example.clowntown""#),
        ])

    static let delivery = TableSchema(
        title: "a `deliver` table",
        keys: [
            KeySchema("default", .string, #"default = "notify""#),
            KeySchema("passive", .string, #"passive = "notify""#),
            KeySchema("active", .string, #"active = "focus""#),
            KeySchema("time-sensitive", .string, #"time-sensitive = "focus""#),
            KeySchema("critical", .string, #"critical = "focus""#),
        ])

    static let rate = TableSchema(
        title: "a `rate` table",
        keys: [
            KeySchema("limit", .integer, "limit = 5", required: true),
            KeySchema("per", .duration, #"per = "1m""#, required: true),
        ])

    static let perform = TableSchema(
        title: "the [perform] table",
        keys: [
            KeySchema("place", .string, #"place = "https://maps.example/{?latitude,longitude,query}""#),
            KeySchema(
                "directions", .string, #"directions = "https://maps.example/to{?latitude,longitude,query,mode}""#),
            KeySchema("ride", .string, #"ride = "https://rides.example/to{?latitude,longitude,query,name}""#),
            KeySchema("call", .string, #"call = "tel:{+number}""#),
            KeySchema("message", .string, #"message = "sms:{+number}{?text}""#),
            KeySchema("email", .string, #"email = "mailto:{+email}{?text}""#),
            KeySchema("play", .string, #"play = "{+item}""#),
        ])

    static let notifications = TableSchema(
        title: "the [notifications] table",
        keys: [
            KeySchema("icon", .string, #"icon = "clowntown""#),
            KeySchema("image", .string, #"image = "clown.png""#),
            KeySchema("desktop-entry", .string, #"desktop-entry = "example.ClownTown""#),
            KeySchema("sound", .string, #"sound = "message-new-instant""#),
            KeySchema("silent", .boolean, "silent = true"),
            KeySchema("expires", .duration, #"expires = "10s""#),
            KeySchema("when-seen", .string, #"when-seen = "show""#),
            KeySchema("withdraw", .string, #"withdraw = "never""#),
            KeySchema("replace", .string, #"replace = "target""#),
            KeySchema("categories", .tables, "[[notifications.categories]]"),
        ])

    static let notificationCategory = TableSchema(
        title: "a [[notifications.categories]] table",
        keys: [
            KeySchema("id", .string, #"id = "ORDER""#, required: true),
            KeySchema("desktop-category", .string, #"desktop-category = "im.received""#),
            KeySchema("actions", .tables, #"actions = [{ id = "track", title = "Track" }]"#),
        ])

    static let notificationAction = TableSchema(
        title: "an element of `actions`",
        keys: [
            KeySchema("id", .string, #"{ id = "track", title = "Track" }"#, required: true),
            KeySchema("title", .string, #"{ id = "track", title = "Track" }"#, required: true),
            KeySchema(
                "target-content-id", .string, #"target-content-id = "https://clowntown.example/orders""#),
            KeySchema("background", .table, #"background = { exec = ["clowntown-mute"] }"#),
            KeySchema("answer", .boolean, "answer = true"),
        ])

    static let scene = TableSchema(
        title: "a [[scenes]] table",
        keys: [
            KeySchema("name", .string, #"name = "main""#, required: true),
            KeySchema("role", .string, #"role = "windowApplication""#),
            KeySchema("target", .string, #"target = "clown""#),
            KeySchema("opens", .string, #"opens = 'SELF LIKE "https://clowntown.example/*"'"#),
            KeySchema("can", .string, "can = 'SELF == $TARGET'"),
            KeySchema("prefers", .string, "prefers = 'SELF == $TARGET'"),
            KeySchema("new-scene", .string, #"new-scene = "unless-preferred""#),
            KeySchema("launch", .table, #"launch = { exec = ["clowntown", "--", "{target}"] }"#),
            KeySchema("focus", .table, #"focus = { tmux = "clown-town" }"#),
            KeySchema("show", .table, #"show = { exec = ["clowntown-go", "--", "{target}"] }"#),
            KeySchema("content", .tableOrTables, #"content = { title = "{file} - Clown Town", path = "{file}" }"#),
        ])

    static let content = TableSchema(
        title: "a `content` table",
        keys: [
            KeySchema("title", .stringOrStrings, #"title = "{file} - Clown Town""#),
            KeySchema("process", .string, #"process = "argv""#),
            KeySchema("tmux", .string, #"tmux = "argv""#),
            KeySchema("target", .string, #"target = "https://clowntown.example/clowns/{clown}""#),
            KeySchema("path", .string, #"path = "{file}""#),
            KeySchema("relative-to", .string, #"relative-to = "cwd""#),
        ])

    static let shortcut = TableSchema(
        title: "a [[shortcuts]] table",
        keys: [
            KeySchema("type", .string, #"type = "order-crusty""#, required: true),
            KeySchema("title", .string, #"title = "Order Crusty""#, required: true),
            KeySchema("subtitle", .string, #"subtitle = "One clown, by post""#),
            KeySchema("icon", .string, #"icon = "cart""#),
            KeySchema(
                "target-content-id", .string, #"target-content-id = "https://clowntown.example/clowns/crusty""#),
            KeySchema("user-info", .anyTable, #"user-info = { count = 1 }"#),
        ])

    static let expectation = TableSchema(
        title: "an [[expect]] table",
        keys: [
            KeySchema("target", .string, #"target = "https://clowntown.example/clowns/crusty""#),
            KeySchema("open", .tables, #"open = [{ scene = "main" }]"#),
            KeySchema("scene", .string, #"scene = "clown""#),
            KeySchema("reason", .string, #"reason = "opens""#),
        ])

    static let openScene = TableSchema(
        title: "an element of `open`",
        keys: [
            KeySchema("scene", .string, #"{ scene = "main" }"#, required: true),
            KeySchema("target", .string, #"{ scene = "clown", target = "https://clowntown.example/clowns/crusty" }"#),
        ])

    static let handlers = TableSchema(
        title: "the [handlers] table",
        keys: [
            KeySchema("background", .table, #"background = { exec = ["clowntown-sync"] }"#),
            KeySchema("content-deleted", .table, #"content-deleted = { exec = ["clowntown-gone", "--", "{target}"] }"#),
            KeySchema("open-web", .table, #"open-web = { exec = ["xdg-open", "--", "{url}"] }"#),
            KeySchema(
                "will-continue", .table, #"will-continue = { exec = ["clowntown-busy", "--", "{activity-type}"] }"#),
            KeySchema("continue", .table, #"continue = { exec = ["clowntown-continue", "--", "{session}"] }"#),
            KeySchema("did-fail", .table, #"did-fail = { exec = ["clowntown-sorry", "--", "{error}"] }"#),
            KeySchema("save", .table, #"save = { exec = ["clowntown-save", "--", "{session}"] }"#),
            KeySchema("upgrade", .table, #"upgrade = { exec = ["clowntown-upgrade"] }"#),
        ])

    private static let exec = KeySchema("exec", .strings, #"exec = ["clowntown", "--", "{target}"]"#)

    /// What every command may have beside its argv.
    private static let surroundings = [
        KeySchema("directory", .string, #"directory = "/srv/clowntown""#),
        KeySchema("environment", .stringTable, #"environment = { CLOWN = "{target}" }"#),
        KeySchema("keep-environment", .strings, #"keep-environment = ["DISPLAY"]"#),
        KeySchema("time-limit", .duration, #"time-limit = "5s""#),
        KeySchema("idempotent", .boolean, "idempotent = true"),
        KeySchema("retry", .integerOrTable, "retry = 5"),
    ]

    static let retry = TableSchema(
        title: "a `retry` table",
        keys: [
            KeySchema("attempts", .integer, "attempts = 5", required: true),
            KeySchema("first-seconds", .number, "first-seconds = 1.0"),
            KeySchema("limit-seconds", .number, "limit-seconds = 60.0"),
        ])

    static let launch = TableSchema(
        title: "a `launch` table",
        keys: [
            exec,
            KeySchema("tmux", .strings, #"tmux = ["clowntown", "--", "{target}"]"#),
            KeySchema("in", .string, #"in = "clown-town""#),
            KeySchema("desktop", .strings, #"desktop = ["org.gnome.TextEditor", "{target}"]"#),
            dbus, action,
            KeySchema("launch-grace", .duration, #"launch-grace = "2s""#),
            KeySchema("handle", .string, #"handle = "none""#),
            KeySchema("ready", .table, #"ready = { exec = ["clowntown-is-up"] }"#),
        ] + surroundings)

    /// `[browser] open` of usher.toml.
    static let opener = TableSchema(
        title: "an `open` table",
        keys: [exec, KeySchema("desktop", .strings, #"desktop = ["firefox-esr", "{url}"]"#), action] + surroundings)

    static let infoPlist = TableSchema(
        title: "an `info-plist` table",
        keys: [
            KeySchema("file", .string, #"file = "Info.plist""#, required: true),
            KeySchema("build-settings", .string, #"build-settings = "App.xcconfig""#),
        ])

    /// What a window looks like.
    static let windowRule = ["class", "instance", "app-id", "title", "browser", "tab"]
    /// How far it comes forward.
    static let focusPolicy = ["policy", "placement", "while-typing"]

    static let focus = TableSchema(
        title: "a `focus` table",
        keys: [
            exec, KeySchema("tmux", .string, #"tmux = "clown-town""#),
            KeySchema("dbus", .string, #"dbus = "org.gnome.TextEditor""#),
            KeySchema("class", .string, #"class = "Clowntown""#),
            KeySchema("instance", .string, #"instance = "clowntown""#),
            KeySchema("app-id", .string, #"app-id = "org.gnome.TextEditor""#),
            KeySchema("title", .string, #"title = "* - Clown Town""#),
            KeySchema("browser", .string, #"browser = "firefox""#),
            KeySchema("tab", .string, #"tab = "https://clowntown.example/*""#),
            KeySchema("policy", .string, #"policy = "raise""#),
            KeySchema("placement", .string, #"placement = "summon""#),
            KeySchema("while-typing", .string, #"while-typing = "urgent""#),
        ] + surroundings)

    static let show = TableSchema(
        title: "a `show` table",
        keys: [
            exec, KeySchema("tmux-keys", .strings, #"tmux-keys = [":open {target}", "<Enter>"]"#),
            KeySchema("tab", .string, #"tab = "{target}""#), dbus, action,
        ] + surroundings)

    static let ready = TableSchema(
        title: "a `ready` table",
        keys: [
            exec, KeySchema("window", .boolean, "window = true"),
            KeySchema("dbus", .string, #"dbus = "org.gnome.TextEditor""#),
        ] + surroundings)

    private static let dbus = KeySchema("dbus", .strings, #"dbus = ["org.gnome.TextEditor", "{target}"]"#)
    private static let action = KeySchema("action", .string, #"action = "new-window""#)

    /// `will-continue`, `continue` and `did-fail` of `[handlers]`.
    static let continuation = TableSchema(
        title: "a continuation handler",
        keys: [exec, KeySchema("tmux-keys", .strings, #"tmux-keys = [":continue {activity-file}", "<Enter>"]"#)]
            + surroundings)

    /// The other entries of `[handlers]`.
    static let handler = TableSchema(title: "a handler table", keys: [exec] + surroundings)

    /// Handlers that run in the order of arrival unless set otherwise.
    static let laneHandler = TableSchema(
        title: "a `background` or `content-deleted` table",
        keys: [exec, KeySchema("lanes", .integer, "lanes = 8")] + surroundings)

    static let all = [
        app, association, scene, shortcut, expectation, handlers, launch, focus, show, ready, continuation,
        handler, laneHandler, opener, infoPlist,
        retry, delivery, rate, perform, notifications, notificationCategory, notificationAction, content,
        QuietSchema.table,
    ]

    /// Words of other systems for keys of ours.
    static let synonyms = [
        "bundle-id": "id", "bundle-identifier": "id", "identifier": "id", "associated-domains": "domains",
        "hosts": "domains", "apple-app-site-association": "site-association", "templates": "targets",
        "can-activate": "can", "prefers-to-activate": "prefers",
        "wm-class": "class", "app_id": "app-id", "appid": "app-id", "title-pattern": "title", "url": "tab",
        "whileTyping": "while-typing", "prominence": "policy", "desktop-entry": "desktop",
        "command": "exec", "argv": "exec", "run": "exec", "cmd": "exec",
        "env": "environment", "cwd": "directory", "working-directory": "directory", "timeout": "time-limit",
        "retries": "retry", "schema-version": "activity-schema",
        "schema": "activity-schema", "app-version": "version",
        "MKDirectionsApplicationSupportedModes": "directions-modes",
        "willContinue": "will-continue",
        "didFail": "did-fail", "tries": "attempts",
        "template": "target", "userInfo": "user-info", "targetContentIdentifier": "target-content-id",
    ]
}
