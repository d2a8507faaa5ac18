import Testing
import UsherJSON
import UsherPayload
import UsherScene
import UsherTarget

@testable import UsherEngine

/// What builds payloads and what reads them agree; and whatever line comes, there is an answer.
@Suite struct TargetRequestsTests {
    @Test func whatIsBuiltIsRead() throws {
        var payload = APNsPayload()
        payload.alert = .init(title: "T", subtitle: "S", body: "B")
        payload.badge = 3
        payload.sound = .critical(name: "nose.caf", volume: 0.5)
        payload.threadIdentifier = "thread"
        payload.category = "category"
        payload.isMutableContent = true
        payload.interruptionLevel = .timeSensitive
        payload.relevanceScore = 0.25
        payload.targetContentIdentifier = "https://clowntown.example/clowns/crusty"
        payload.custom = [.init("order", 7)]
        var reader = PayloadReader()
        let read = try reader.read(try payload.body())
        #expect(read.warnings.isEmpty)
        guard let notification = read.notification else {
            Issue.record("no notification")
            return
        }
        #expect(notification.alert?.title == "T")
        #expect(notification.badge == 3)
        #expect(notification.sound?.isCritical == true)
        #expect(notification.threadIdentifier == "thread")
        #expect(notification.isMutableContent)
        #expect(notification.interruptionLevel == .timeSensitive)
        #expect(notification.relevanceScore == 0.25)
        #expect(notification.targetContentIdentifier == "https://clowntown.example/clowns/crusty")
    }

    @Test func pushTypesAreTheSame() {
        #expect(Set(APNsPushType.allCases.map(\.rawValue)) == Set(APNsHeaders.pushTypes))
        for type in APNsPushType.allCases {
            #expect(type.sizeLimit == APNsHeaders.sizeLimit(pushType: type.rawValue))
        }
    }

    /// Cut, doubled and altered lines.
    @Test func anyLineIsAnswered() throws {
        let location = SourceLocation(path: "test", line: 1, column: 1)
        var app = App(id: "example.shop", name: "Shop", location: location)
        app.targets = [
            TargetTemplate(name: "item", template: try URITemplate("https://shop.example/{item}"), location: location)
        ]
        let requests = TargetRequests(apps: [app])
        let seeds = [
            #"{"template":"{?x*}","variables":{"x":{"b":1.5e3,"a":null},"y":[true,"z"]}}"#,
            #"{"name":"item","app":"example.shop","variables":{"item":"ä"}}"#, #"{"id":"https://shop.example/7"}"#,
            #""x""#,
        ]
        for seed in seeds {
            let bytes = Array(seed.utf8)
            for place in bytes.indices {
                let shorter: [UInt8] = Array(bytes[..<place] + bytes[(place + 1)...])
                let spoilt: [UInt8] = bytes[..<place] + [0xFF] + bytes[place...]
                let lines: [[UInt8]] = [Array(bytes[..<place]), shorter, spoilt]
                for line in lines {
                    for answer in [requests.build(line), requests.match(line), requests.lint(line)] {
                        let value = try JSONValue(parsing: answer.bytes)
                        #expect(value.kind == .object)
                    }
                }
            }
        }
    }
}
