import Testing
import UsherTarget

@Suite struct DeclarativeWebPushTests {
    @Test func everyMember() throws {
        var push = DeclarativeWebPush(title: "T", navigate: "https://clowntown.example/clowns/crusty")
        #expect(
            String(decoding: try push.text(), as: UTF8.self)
                == #"{"web_push":8030,"notification":{"title":"T","navigate":"https://clowntown.example/clowns/crusty"}}"#
        )
        push.body = "B"
        push.language = "de"
        push.direction = .leftToRight
        push.tag = "crusty"
        push.renotifies = true
        push.isSilent = true
        push.requiresInteraction = true
        push.icon = "/i.png"
        push.image = "/p.png"
        push.actions = [.init("call", title: "Call", navigate: "/call", icon: "/c.png")]
        push.data = ["order": 7]
        push.appBadge = 2
        push.isMutable = true
        #expect(
            String(decoding: try push.text(), as: UTF8.self)
                == #"{"web_push":8030,"notification":{"title":"T","navigate":"https://clowntown.example/clowns/crusty","#
                + #""body":"B","lang":"de","dir":"ltr","tag":"crusty","icon":"/i.png","image":"/p.png","renotify":true,"#
                + #""silent":true,"requireInteraction":true,"actions":[{"action":"call","title":"Call","navigate":"/call","#
                + #""icon":"/c.png"}],"data":{"order":7}},"app_badge":2,"mutable":true}"#)
    }

    @Test(arguments: ["", "javascript:alert(1)", "a b", "data:text/html,x", "mailto:a@b.example", "\n"])
    func addressesThatAreNotOpened(_ address: String) {
        #expect(throws: BuildingError.self) { try DeclarativeWebPush(title: "T", navigate: address).text() }
        #expect(throws: BuildingError.self) {
            var push = DeclarativeWebPush(title: "T", navigate: "/")
            push.actions = [.init("a", title: "A", navigate: address)]
            return try push.text()
        }
    }

    @Test func exclusions() {
        #expect(throws: BuildingError.self) { try DeclarativeWebPush(title: "", navigate: "/").text() }
        #expect(throws: BuildingError.self) {
            var push = DeclarativeWebPush(title: "T", navigate: "/")
            push.renotifies = true
            return try push.text()
        }
        var push = DeclarativeWebPush(title: "T", navigate: "/")
        push.body = String(repeating: "x", count: 4000)
        let error = #expect(throws: BuildingError.self) { try push.text() }
        #expect(error?.code == .tooLarge)
        #expect(error?.excess == 78)
    }
}
