import Testing
import UsherJSON
import UsherTarget

@Suite struct APNsPayloadTests {
    static func text(_ payload: APNsPayload, _ type: APNsPushType = .alert) throws -> String {
        String(decoding: try payload.body(for: type), as: UTF8.self)
    }

    static func payload(_ change: (inout APNsPayload) -> Void) -> APNsPayload {
        var payload = APNsPayload()
        change(&payload)
        return payload
    }

    @Test func everyMember() throws {
        let payload = Self.payload {
            $0.alert = .init(title: "T", subtitle: "S", body: "B")
            $0.alert?.launchImage = "L"
            $0.badge = 3
            $0.sound = .critical(name: "nose.caf", volume: 0.5)
            $0.threadIdentifier = "thread"
            $0.category = "category"
            $0.isContentAvailable = true
            $0.isMutableContent = true
            $0.interruptionLevel = .timeSensitive
            $0.relevanceScore = 0.25
            $0.targetContentIdentifier = "https://clowntown.example/clowns/crusty"
            $0.filterCriteria = "work"
            $0.custom = [.init("order", 9_007_199_254_740_993), .init("tags", ["a", true, .null, 1.5, ["b": []]])]
        }
        #expect(
            try Self.text(payload)
                == #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B","launch-image":"L"},"badge":3,"#
                + #""sound":{"critical":1,"name":"nose.caf","volume":0.5},"thread-id":"thread","category":"category","#
                + #""content-available":1,"mutable-content":1,"#
                + #""target-content-id":"https://clowntown.example/clowns/crusty","interruption-level":"time-sensitive","#
                + #""relevance-score":0.25,"filter-criteria":"work"},"order":9007199254740993,"#
                + #""tags":["a",true,null,1.5,{"b":[]}]}"#)
    }

    @Test func localizedTexts() throws {
        let payload = Self.payload {
            $0.alert = .init()
            $0.alert?.localizedTitle = .init(key: "TITLE")
            $0.alert?.localizedBody = .init(key: "BODY", arguments: ["Crusty", "2"])
            $0.sound = .default
        }
        #expect(
            try Self.text(payload)
                == #"{"aps":{"alert":{"title-loc-key":"TITLE","loc-key":"BODY","loc-args":["Crusty","2"]},"sound":"default"}}"#
        )
    }

    @Test func textIsEscaped() throws {
        let payload = Self.payload { $0.alert = .init(title: "\"\\\u{0}\u{1F}\n\r\té🤡\u{2028}") }
        let bytes = try payload.body()
        let value = try JSONValue(parsing: bytes)
        #expect(value["aps"]?["alert"]?["title"]?.string == "\"\\\u{0}\u{1F}\n\r\té🤡\u{2028}")
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: APNsPushType
        let code: BuildingError.Code
        let place: String
        let payload: APNsPayload

        init(
            _ id: String, _ code: BuildingError.Code, _ place: String, type: APNsPushType = .alert,
            _ change: (inout APNsPayload) -> Void
        ) {
            (testDescription, self.type, self.code, self.place) = (id, type, code, place)
            payload = APNsPayloadTests.payload(change)
        }
    }

    @Test(arguments: [
        Wrong("empty identifier", .target, "aps.target-content-id") { $0.targetContentIdentifier = "" },
        Wrong("long identifier", .target, "aps.target-content-id") {
            $0.targetContentIdentifier = String(repeating: "a", count: 16_385)
        },
        Wrong("badge", .value, "aps.badge") { $0.badge = -1 },
        Wrong("volume", .value, "aps.sound.volume") { $0.sound = .critical(volume: 1.5) },
        Wrong("volume that is no number", .value, "aps.sound.volume") { $0.sound = .critical(volume: .nan) },
        Wrong("sound without a name", .value, "aps.sound") { $0.sound = .named("") },
        Wrong("score", .value, "aps.relevance-score") { $0.relevanceScore = 25 },
        Wrong("score without end", .value, "aps.relevance-score", type: .liveActivity) {
            $0.relevanceScore = .infinity
        },
        Wrong("text and key", .conflict, "aps.alert.title") {
            $0.alert = .init(title: "a")
            $0.alert?.localizedTitle = .init(key: "A")
        },
        Wrong("custom aps", .member, "aps") { $0.custom = [.init("aps", [:])] },
        Wrong("custom twice", .member, "a") { $0.custom = [.init("a", 1), .init("a", 2)] },
        Wrong("background without content-available", .conflict, "aps.content-available", type: .background) { _ in },
        Wrong("background with an alert", .conflict, "aps", type: .background) {
            $0.isContentAvailable = true
            $0.alert = .init(body: "a")
        },
    ])
    func mistakes(_ wrong: Wrong) {
        let error = #expect(throws: BuildingError.self) { try wrong.payload.body(for: wrong.type) }
        #expect(error?.code == wrong.code)
        #expect(error?.place == wrong.place)
    }

    @Test func liveActivitiesHaveAnyScore() throws {
        #expect(try Self.text(Self.payload { $0.relevanceScore = 100 }, .liveActivity).contains("100.0"))
    }

    @Test(arguments: APNsPushType.allCases)
    func size(_ type: APNsPushType) throws {
        let limit = type == .voip ? 5120 : 4096
        var payload = APNsPayload()
        if type == .background { payload.isContentAvailable = true }
        let rest = try payload.body(for: type).count + #","a":"""#.utf8.count
        payload.custom = [.init("a", .string(String(repeating: "x", count: limit - rest)))]
        #expect(try payload.body(for: type).count == limit)
        payload.custom = [.init("a", .string(String(repeating: "x", count: limit - rest + 7)))]
        let error = #expect(throws: BuildingError.self) { try payload.body(for: type) }
        #expect(error?.code == .tooLarge)
        #expect(error?.excess == 7)
        #expect(error?.message == "\(limit + 7) bytes are 7 more than the \(limit) allowed")
    }

    @Test func deepValuesAreWritten() {
        var value = PayloadValue.null
        for _ in 0..<2000 { value = .array([value]) }
        #expect(value.bytes.count == 4004)
    }

    // MARK: Requests

    @Test func headers() throws {
        var request = APNsRequest(APNsPayload(), bundle: "example.clowntown", pushType: .voip)
        request.priority = 10
        request.expiration = 0
        request.collapseIdentifier = String(repeating: "c", count: 64)
        request.id = "123e4567-e89b-12d3-a456-426614174000"
        let prepared = try request.prepared(deviceToken: "00fc13adff785122")
        #expect(prepared.path == "/3/device/00fc13adff785122")
        #expect(
            prepared.fields.map { "\($0.name): \($0.value)" } == [
                "apns-topic: example.clowntown.voip", "apns-push-type: voip", "apns-priority: 10", "apns-expiration: 0",
                "apns-collapse-id: " + String(repeating: "c", count: 64),
                "apns-id: 123e4567-e89b-12d3-a456-426614174000",
                "content-type: application/json",
            ])
        #expect(prepared.bodyText == #"{"aps":{}}"#)
    }

    @Test func backgroundIsOfLowPriority() throws {
        var request = APNsRequest(APNsPayload(), bundle: "a", pushType: .background)
        #expect(try request.fields().contains(.init("apns-priority", "5")))
        request.priority = 10
        #expect(throws: BuildingError.self) { try request.fields() }
    }

    @Test(arguments: ["collapse", "priority", "expiration", "id", "bundle", "token"])
    func headersThatCannotBeSent(_ what: String) {
        var request = APNsRequest(APNsPayload(), bundle: what == "bundle" ? "a\nb" : "a")
        if what == "collapse" { request.collapseIdentifier = String(repeating: "c", count: 65) }
        if what == "priority" { request.priority = 7 }
        if what == "expiration" { request.expiration = -1 }
        if what == "id" { request.id = "7" }
        #expect(throws: BuildingError.self) { try request.prepared(deviceToken: what == "token" ? "xyz" : "00") }
    }
}
