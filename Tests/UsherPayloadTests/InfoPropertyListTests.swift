import Testing
import UsherJSON
import UsherPayload
import UsherScene

struct InfoPropertyListTests {
    static let complete: JSONValue = [
        "CFBundleIdentifier": "example.clowntown",
        "NSUserActivityTypes": ["example.clowntown.view-clown", "example.clowntown.juggle"],
        "UIApplicationShortcutItems": [
            [
                "UIApplicationShortcutItemType": "order-crusty",
                "UIApplicationShortcutItemTitle": "Order Crusty",
                "UIApplicationShortcutItemSubtitle": "The sad one",
                "UIApplicationShortcutItemIconType": "UIApplicationShortcutIconTypeAdd",
                "UIApplicationShortcutItemIconSymbolName": "theatermasks",
                "UIApplicationShortcutItemIconFile": "nose",
                "UIApplicationShortcutItemUserInfo": ["count": 1],
                "UIApplicationShortcutItemTargetContentIdentifier": "https://clowntown.example/clowns/crusty",
            ],
            [
                "UIApplicationShortcutItemType": "order-bozo",
                "UIApplicationShortcutItemTitle": "Order Bozo",
                "UIApplicationShortcutItemIconType": "UIApplicationShortcutIconTypeAdd",
            ],
        ],
    ]

    @Test func `items and activity types are read in order`() throws {
        let list = InfoPropertyList(reading: Self.complete)
        #expect(list.errors == [] && list.warnings == [])
        #expect(list.activityTypes == ["example.clowntown.view-clown", "example.clowntown.juggle"])
        try #require(list.shortcutItems.count == 2)
        let crusty = list.shortcutItems[0]
        #expect(crusty.type == "order-crusty")
        #expect(crusty.localizedTitle == "Order Crusty")
        #expect(crusty.localizedSubtitle == "The sad one")
        #expect(crusty.icon == .symbolName("theatermasks"))
        #expect(crusty.userInfo.map { String(decoding: $0, as: UTF8.self) } == #"{"count":1}"#)
        #expect(crusty.targetContentIdentifier == "https://clowntown.example/clowns/crusty")
        #expect(list.shortcutItems[1].icon == .type("UIApplicationShortcutIconTypeAdd"))
        #expect(list.shortcutItems[1].targetContentIdentifier == nil)
    }

    @Test func `a list without the two keys is empty`() {
        let list = InfoPropertyList(reading: ["CFBundleName": "x"])
        #expect(list.shortcutItems.isEmpty && list.activityTypes.isEmpty && list.errors.isEmpty)
    }

    @Test(arguments: [
        ("[]", ["member.type "]),
        (#"{"UIApplicationShortcutItems":{}}"#, ["member.type /UIApplicationShortcutItems"]),
        (#"{"UIApplicationShortcutItems":["x"]}"#, ["member.type /UIApplicationShortcutItems/0"]),
        (
            #"{"UIApplicationShortcutItems":[{}]}"#,
            [
                "member.missing /UIApplicationShortcutItems/0",
                "member.missing /UIApplicationShortcutItems/0",
            ]
        ),
        (
            """
            {"UIApplicationShortcutItems":[{"UIApplicationShortcutItemType":1,"UIApplicationShortcutItemTitle":"x",
            "UIApplicationShortcutItemUserInfo":"y"}]}
            """,
            [
                "member.type /UIApplicationShortcutItems/0/UIApplicationShortcutItemType",
                "member.type /UIApplicationShortcutItems/0/UIApplicationShortcutItemUserInfo",
            ]
        ),
        (
            """
            {"UIApplicationShortcutItems":[{"UIApplicationShortcutItemType":"","UIApplicationShortcutItemTitle":"x",
            "UIApplicationShortcutItemTargetContentIdentifier":""}]}
            """,
            [
                "member.empty /UIApplicationShortcutItems/0/UIApplicationShortcutItemType",
                "target.empty /UIApplicationShortcutItems/0/UIApplicationShortcutItemTargetContentIdentifier",
            ]
        ),
        (#"{"NSUserActivityTypes":"x"}"#, ["member.type /NSUserActivityTypes"]),
        (
            #"{"NSUserActivityTypes":["a",1,""]}"#,
            ["member.type /NSUserActivityTypes/1", "member.empty /NSUserActivityTypes/2"]
        ),
    ])
    func `everything wrong is reported by its key path`(_ text: String, _ expected: [String]) throws {
        let list = InfoPropertyList(reading: try JSONValue(parsing: Array(text.utf8)))
        #expect(list.errors.map { "\($0.code.name) \($0.pointer)" } == expected)
    }

    @Test func `a misspelt key and a second item of one type are warned about`() throws {
        let item: JSONValue = [
            "UIApplicationShortcutItemType": "a", "UIApplicationShortcutItemTitle": "A",
            "UIApplicationShortcutItemSubTitel": "x",
        ]
        let list = InfoPropertyList(reading: ["UIApplicationShortcutItems": [item, item]])
        #expect(list.errors == [])
        #expect(list.warnings.map(\.code.code) == ["U1016", "U1016", "U1707"])
        #expect(list.warnings.first?.help == "did you mean UIApplicationShortcutItemSubtitle?")
    }
}
