import Testing
import UsherJSON
import UsherScene

@testable import UsherPayload

struct PayloadReaderTests {
    static func read(
        _ text: String, format: PayloadFormat = .auto, pushType: String? = nil
    ) throws(PayloadError) -> Payload {
        var reader = PayloadReader(format: format, pushType: pushType)
        return try reader.read(Array(text.utf8))
    }

    @Test func `a notification has the whole aps dictionary`() throws {
        let payload = try Self.read(
            #"""
            {"aps":{"alert":{"title":"T","subtitle":"S","body":"B","launch-image":"L","action":"A","action-loc-key":"AK",
            "title-loc-key":"TK","title-loc-args":["1"],"loc-key":"BK"},"badge":3,"sound":{"critical":1,"name":"n",
            "volume":0.5},"thread-id":"th","category":"c","content-available":1,"mutable-content":1,
            "target-content-id":"t","interruption-level":"time-sensitive","relevance-score":0.5,
            "filter-criteria":"f","url-args":["a","b"]},"own":[1, 2]}
            """#)
        let notification = try #require(payload.notification)
        #expect(notification.alert?.title == "T" && notification.alert?.subtitle == "S" && payload.body == "B")
        #expect(notification.alert?.launchImage == "L" && notification.alert?.action == "A")
        #expect(notification.alert?.actionLocalizationKey == "AK")
        #expect(notification.alert?.titleLocalization == .init(key: "TK", arguments: ["1"]))
        #expect(notification.alert?.bodyLocalization == .init(key: "BK"))
        #expect(notification.badge == 3 && notification.threadIdentifier == "th" && notification.category == "c")
        #expect(notification.sound?.name == "n" && notification.sound?.isCritical == true)
        #expect(notification.sound?.volume == 0.5)
        #expect(notification.isContentAvailable && notification.isMutableContent && payload.isDisplayable)
        #expect(notification.interruptionLevel == .timeSensitive && notification.relevanceScore == 0.5)
        #expect(notification.filterCriteria == "f" && notification.urlArguments == ["a", "b"])
        #expect(payload.targetContentIdentifier == "t" && payload.format == .apns && payload.warnings == [])
    }

    @Test func `a Live Activity keeps its state as it was sent`() throws {
        let payload = try Self.read(
            #"""
            {"aps":{"timestamp":1.5,"event":"start","stale-date":2,"dismissal-date":3,"content-state":{"a": 1.50},
            "attributes-type":"Hunt","attributes":{"big":123456789012345678901},"input-push-token":1,
            "input-push-channel":"c","alert":{"title":{"loc-key":"K","loc-args":["x"]},"body":"B","sound":"s"}}}
            """#)
        let activity = try #require(payload.notification?.liveActivity)
        #expect(activity.event == .start && activity.timestamp == 1.5 && activity.staleDate == 2)
        #expect(activity.dismissalDate == 3 && activity.attributesType == "Hunt")
        #expect(activity.contentState.map { String(decoding: $0, as: UTF8.self) } == #"{"a": 1.50}"#)
        #expect(activity.attributes.map { String(decoding: $0, as: UTF8.self) } == #"{"big":123456789012345678901}"#)
        #expect(activity.requestsInputPushToken && activity.inputPushChannel == "c")
        #expect(payload.notification?.alert?.titleLocalization == .init(key: "K", arguments: ["x"]))
        #expect(payload.notification?.sound?.name == "s")
    }

    @Test func `a user activity has all its members`() throws {
        let payload = try Self.read(
            #"""
            {"userActivity":{"activityType":"a","title":"T","targetContentIdentifier":"t","persistentIdentifier":"p",
            "webpageURL":"https://w.example/","userInfo":{"k": 1},"requiredUserInfoKeys":["k"],"keywords":["x","y"],
            "contentAttributeSet":{"c":2},"expirationDate":"1970-01-02T00:00:01.5Z","needsSave":true,
            "isEligibleForHandoff":false,"isEligibleForSearch":true,"isEligibleForPublicIndexing":true,
            "isEligibleForPrediction":true,"version":3},"app":"example.app","session":"s-1"}
            """#)
        guard case .userActivity(let activity) = payload.carrier else {
            Issue.record("not a user activity")
            return
        }
        #expect(activity.activityType == "a" && activity.title == "T" && activity.targetContentIdentifier == "t")
        #expect(activity.persistentIdentifier == "p" && activity.webpageURL == "https://w.example/")
        #expect(activity.userInfo.map { String(decoding: $0, as: UTF8.self) } == #"{"k": 1}"#)
        #expect(activity.requiredUserInfoKeys == ["k"] && activity.keywords == ["x", "y"])
        #expect(activity.contentAttributeSet.map { String(decoding: $0, as: UTF8.self) } == #"{"c":2}"#)
        #expect(activity.expirationDate == 86401.5 && activity.needsSave && !activity.isEligibleForHandoff)
        #expect(activity.isEligibleForSearch && activity.isEligibleForPublicIndexing)
        #expect(activity.isEligibleForPrediction && activity.version == "3")
        #expect(payload.app == "example.app" && payload.session == "s-1" && payload.isEnvelope)
        #expect(payload.warnings == [])
    }

    @Test func `a map item fills the attributes`() throws {
        let payload = try Self.read(
            #"""
            {"activityType":"a","persistentIdentifier":"p","contentAttributeSet":{"namedLocation":"Mine","x":1.0,"city":null},
            "mapItem":{"name":"Its","phoneNumber":"112","placemark":{"locality":"Roma","coordinate":{"latitude":1,"longitude":2}}}}
            """#)
        guard case .userActivity(let activity) = payload.carrier else {
            Issue.record("not a user activity")
            return
        }
        #expect(
            activity.contentAttributeSet.map { String(decoding: $0, as: UTF8.self) }
                == #"{"namedLocation":"Mine","x":1.0,"city":"Roma","latitude":1,"longitude":2,"phoneNumbers":["112"],"#
                + #""supportsPhoneCalls":true,"supportsNavigation":true}"#)
    }

    @Test(
        arguments: [
            (#""contentAttributeSet":[]"#, "attributes.type", ""),
            (#""contentAttributeSet":{"supportsNavigation":1}"#, "attributes.type", "/supportsNavigation"),
            (#""contentAttributeSet":{"emailAddresses":["a",1]}"#, "attributes.type", "/emailAddresses"),
            (#""contentAttributeSet":{"duration":"3"}"#, "attributes.type", "/duration"),
            (#""contentAttributeSet":{"latitude":"47","longitude":8}"#, "attributes.type", "/latitude"),
            (#""contentAttributeSet":{"latitude":true,"longitude":8}"#, "attributes.type", "/latitude"),
            (#""contentAttributeSet":{"latitude":-90.5,"longitude":0}"#, "attributes.latitude", "/latitude"),
            (#""contentAttributeSet":{"latitude":0,"longitude":1e3}"#, "attributes.longitude", "/longitude"),
            (#""contentAttributeSet":{"namedLocation":"x","longitude":1}"#, "attributes.coordinate", ""),
            (#""contentAttributeSet":{"postalCode":"1"}"#, "attributes.named-location", ""),
            (#""contentAttributeSet":{"phoneNumbers":["1-2"]}"#, "attributes.phone-number", "/phoneNumbers"),
            (#""contentAttributeSet":{"phoneNumbers":[123]}"#, "attributes.phone-number", "/phoneNumbers"),
            (#""contentAttributeSet":{"phoneNumbers":["123"]}"#, "attributes.person", ""),
            (#""mapItem":"x""#, "attributes.type", nil), (#""mapItem":{"placemark":1}"#, "attributes.type", nil),
            (#""mapItem":{"placemark":{"locality":"Roma"}}"#, "attributes.named-location", nil),
            (#""mapItem":{"name":"x","phoneNumber":1}"#, "attributes.phone-number", nil),
        ] as [(String, String, String?)])
    func `attributes are checked`(_ member: String, _ name: String, _ place: String?) {
        let error = #expect(throws: PayloadError.self) {
            _ = try Self.read(#"{"activityType":"a","persistentIdentifier":"p",\#(member)}"#)
        }
        #expect(error?.code.name == name)
        #expect(error?.pointer == place.map { "/contentAttributeSet" + $0 } ?? "/mapItem")
    }

    @Test(
        arguments: [
            "{}", #"{"namedLocation":" "}"#, #"{"namedLocation":"x","latitude":90,"longitude":-180}"#,
            #"{"namedLocation":"South Pole","latitude":-90,"longitude":180.0,"altitude":"high"}"#,
            #"{"namedLocation":"x","phoneNumbers":["112","+1 (800) 275-2273 ext. 5","*100#","0/22.33-4;5,6 x7"]}"#,
            #"{"latitude":null,"city":null}"#, #"{"familyName":"x","emailAddresses":[]}"#, #"{"artist":"x","own":{}}"#,
        ])
    func `attributes that are taken`(_ attributes: String) throws {
        _ = try Self.read(#"{"activityType":"a","persistentIdentifier":"p","contentAttributeSet":\#(attributes)}"#)
    }

    @Test func `flags of a user activity have their defaults`() throws {
        let payload = try Self.read(#"{"activityType":"a","webpageURL":"http://w.example/"}"#)
        guard case .userActivity(let activity) = payload.carrier else {
            Issue.record("not a user activity")
            return
        }
        #expect(activity.isEligibleForHandoff && !activity.isEligibleForSearch && !activity.needsSave)
        #expect(!activity.isEligibleForPublicIndexing && !activity.isEligibleForPrediction)
        #expect(payload.targetContentIdentifier == "http://w.example/")
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-21T09:00:00Z", 1_795_251_600), ("2000-02-29t12:00:00z", 951_825_600),
            ("1969-12-31T23:59:59Z", -1), ("2026-11-21T10:30:00+01:30", 1_795_251_600), ("2026-11-21T00:00Z", nil),
            ("2026-11-21", nil), ("2100-02-29T00:00:00Z", nil), ("2026-11-21T24:00:00Z", nil),
            ("2026-11-21T09:00:00", nil),
            ("2026-11-21T09:00:00.Z", nil), ("2026-11-21T09:00:00Zx", nil),
        ] as [(String, Double?)])
    func `dates are those of RFC 3339`(_ text: String, _ expected: Double?) throws {
        let input = #"{"activityType":"a","persistentIdentifier":"p","expirationDate":"\#(text)"}"#
        do {
            let payload = try Self.read(input)
            guard case .userActivity(let activity) = payload.carrier else { return }
            #expect(activity.expirationDate == expected)
        } catch {
            #expect(error.code.name == "member.value" && expected == nil)
        }
    }

    @Test(
        arguments: [
            (#"{"aps":{"target-content-id":42}}"#, "U1203", "/aps/target-content-id", 28, #"quote it: "42""#),
            (#"{"payload":{"aps":{"badge":"5"}}}"#, "U1130", "/payload/aps/badge", 27, "remove the quotes"),
            (
                #"{"aps":{"interruption-level":"Time_Sensitive"}}"#, "U1013", "/aps/interruption-level", 29,
                "did you mean time-sensitive?"
            ),
            (#"{"aps":{"alert":{"loc-key":"K","loc-args":["a",1]}}}"#, "U1012", "/aps/alert/loc-args/1", 47, nil),
            (#"{"payload":{"aps":{}},"headers":{"apns-priority":10}}"#, "U1012", "/headers/apns-priority", 49, nil),
            (#"{"aps":{"alert":"x",}}"#, "U1004", "/aps", 20, nil),
        ] as [(String, String, String, Int, String?)])
    func `errors have code, pointer, offset and remedy`(
        _ text: String, _ code: String, _ pointer: String, _ offset: Int, _ help: String?
    ) {
        let error = #expect(throws: PayloadError.self) { try Self.read(text) }
        #expect(error?.code.code == code)
        #expect(error?.pointer == pointer)
        #expect(error?.offset == offset)
        if let help { #expect(error?.help == help) }
    }

    @Test(arguments: [
        (#"{"aps":{"targetContentId":"x"}}"#, "write target-content-id"),
        (#"{"aps":{"threadId":"x"}}"#, "did you mean thread-id?"),
        (#"{"aps":{"alert":{"titel":"x"}}}"#, "did you mean title?"),
        (#"{"aps":{"content-available":true}}"#, "send 1"),
        (#"{"shortcutItem":{"type":"a","localisedTitle":"x"}}"#, "did you mean localizedTitle?"),
        (#"{"url":"x","apps":"y"}"#, "did you mean app?"),
    ])
    func `warnings name the remedy`(_ text: String, _ help: String) throws {
        #expect(try Self.read(text).warnings.map(\.help) == [help])
    }

    @Test(
        arguments: [
            ("{\"aps\":{\"alert\": \"x\"\n \"sound\": \"y\"}}", "a comma is missing after the value before"),
            ("{\"aps\":{},\"n\":[1 2]}", "a comma is missing after the value before"),
            ("{\"aps\":{\"alert\":\"x\"}}}", "there is one } too many: remove it"),
            ("}", "there is one } too many: remove it"),
            ("{\"aps\":[]]}", "close first, with '}', the bracket that is"),
            ("{\"aps\":{\"alert\":\"x\n}}", "close the quote; a line break inside a string is written \\n"),
            ("{\"aps\":{\"alert\":\"x\r\n}}", "close the quote; a line break inside a string is written \\n"),
            ("{\"aps\":{\"alert\":\"x\t\"}}", "write a tab inside a string as \\t"),
            ("{\"aps\":{\"alert\":\"x", "a quote is not closed, or the text is cut off"),
            ("{\"aps\":{\"alert\":\"x\"", "the text ends too early: is it cut off?"),
            ("{\u{201C}aps\u{201D}:{}}", "JSON quotes with \", not with curly quotes"),
            ("{\"aps\":{\"alert\":\u{AB}x\u{BB}}}", "JSON quotes with \", not with curly quotes"),
            ("{'aps':{}}", "JSON quotes with \", not with '"), ("{aps:{}}", "write names in quotes: "),
            ("{\"aps\":{\"alert\": hello}}", "write text in quotes"),
            ("{\"aps\":{\"alert\": None}}", "JSON writes true, false and null in lower case"),
            ("{\"aps\":{\"alert\":\"say \"hi\"\"}}", "close the text before it, or write \\\" for a quote inside"),
            ("{\"aps\":{\"badge\":1,}}", "remove the comma before the bracket, or add what is missing"),
            ("{\"aps\":{} // none\n}", "JSON has no comments: remove it"),
        ])
    func `what is not JSON has the remedy for what was probably meant`(_ text: String, _ help: String) {
        let error = #expect(throws: PayloadError.self) { try Self.read(text) }
        #expect(error?.help.hasPrefix(help) == true, "\(error?.help ?? "")")
    }

    @Test func `identifiers are the bytes that were sent`() throws {
        for identifier in ["cafe\u{301}", "caf\u{e9}", " x ", "%2F", "A"] {
            let payload = try Self.read(#"{"aps":{"target-content-id":"\#(identifier)"}}"#)
            #expect(payload.targetContentIdentifier?.utf8.elementsEqual(identifier.utf8) == true)
        }
    }

    @Test(arguments: [(16 * 1024, true), (16 * 1024 + 1, false)])
    func `identifiers have a limit`(_ count: Int, _ isValid: Bool) {
        let text = #"{"aps":{"target-content-id":"\#(String(repeating: "x", count: count))"}}"#
        #expect(((try? Self.read(text)) != nil) == isValid)
    }

    @Test func `sizes are warnings in streams`() throws {
        let text = #"{"aps":{"alert":"\#(String(repeating: "x", count: 4200))"}}"#
        #expect(try Self.read(text).warnings.map(\.code.name) == ["size.too-large"])
        #expect(try Self.read(text, pushType: "voip").warnings == [])
    }

    @Test(
        arguments: [
            ("threadId", "thread-id"), ("contentAvailable", "content-available"),
            ("mutableContent", "mutable-content"), ("interruptionLevel", "interruption-level"),
        ])
    func `a member of aps in camel case is named as Apple spells it`(_ sent: String, _ name: String) throws {
        let value = sent.hasSuffix("e") || sent.hasSuffix("t") ? "1" : "\"active\""
        let inside = try Self.read("{\"aps\":{\"\(sent)\":\(value)}}").warnings
        #expect(inside.map(\.code.name) == ["aps.unknown-key"])
        #expect(inside.first?.help == "did you mean \(name)?")
        let beside = try Self.read("{\"aps\":{\"badge\":1},\"\(sent)\":\(value)}").warnings
        #expect(beside.map(\.code.name) == ["aps.misplaced"])
        #expect(beside.first?.message == "\(sent) is beside aps, where it shows nothing")
        #expect(beside.first?.help == "write \(name) inside aps")
        // What is in both places is meant so.
        #expect(try Self.read("{\"aps\":{\"\(name)\":\(value)},\"\(sent)\":\(value)}").warnings.isEmpty)
    }

    @Test func `raw bytes are those of the carrier`() throws {
        let payload = try Self.read(#"{"app":"a", "payload" : {"aps": {"badge":1.0}} }"#)
        #expect(String(decoding: payload.raw, as: UTF8.self) == #"{"aps": {"badge":1.0}}"#)
    }

    @Test func `a reader goes on after an error`() throws {
        var reader = PayloadReader()
        let text = #"{"aps":{"alert":"x"}}{"aps":{"badge":true}}{"aps":{"alert":"y","deep":1}}"#
        let bytes = Array(text.utf8)
        #expect(try reader.read(bytes, in: 0..<21).body == "x")
        let error = #expect(throws: PayloadError.self) { try reader.read(bytes, in: 21..<43) }
        #expect(error?.code.name == "aps.badge.type" && error?.offset == 16)
        let last = try reader.read(bytes, in: 43..<bytes.count)
        #expect(last.body == "y" && last.warnings.map(\.code.name) == ["aps.unknown-key"])
    }

    @Test(arguments: PayloadFormat.allCases.filter { !$0.isReadable })
    func `a format of a later step says what is read today`(_ format: PayloadFormat) {
        let error = #expect(throws: PayloadError.self) { try Self.read("{}", format: format) }
        #expect(error?.code.name == "format.unsupported")
        #expect(error?.help.contains("apns, simctl, shortcut, activity, envelope") == true)
    }

    /// What other services send is named, instead of being taken for a push that shows nothing.
    @Test(
        arguments: [
            (
                #"{"title":"Build","message":"done","priority":5,"extras":{"client::notification":{}}}"#, "gotify",
                "Gotify"
            ),
            (#"{"version":"1.0","title":"t","message":"m","type":"info"}"#, "apprise", "Apprise"),
            (
                #"{"notification":{"event_id":"$e","room_id":"!r","devices":[{"app_id":"a","pushkey":"k"}]}}"#,
                "matrix",
                "Matrix"
            ),
            (
                #"{"message":"m","title":"t","push_token":"p","registration_info":{"app_id":"a"}}"#, "home-assistant",
                "Home Assistant"
            ),
            (
                #"{"session_id":"s","transcript_path":"/t","cwd":"/c","hook_event_name":"Notification","message":"m"}"#,
                "agent", "coding agent"
            ),
            (#"{"type":"agent-turn-complete","turn-id":"1","last-assistant-message":"m"}"#, "agent", "coding agent"),
            (#"{"action":"opened","issue":{},"repository":{},"sender":{}}"#, "github", "usher hook add github"),
            (
                #"{"version":"4","receiver":"r","status":"firing","alerts":[]}"#, "alertmanager",
                "usher hook add alertmanager"
            ),
            (#"{"message":{"token":"t","data":{}}}"#, "fcm", "(fcm)"), (#"{"web_push":8030}"#, "webpush", "(webpush)"),
            (#"{"topic":"t","message":"m"}"#, "ntfy", "(ntfy)"),
            (#"{"type":"t","timestamp":"2026-01-01T00:00:00Z","data":{}}"#, "webhook", "usher hook add standard"),
            (#"{"payload":{"message":"m","priority":1}}"#, "envelope", "Gotify"),
        ])
    func `a body of another service is named`(_ text: String, _ format: String, _ words: String) {
        let error = #expect(throws: PayloadError.self) { try Self.read(text) }
        #expect(error?.code.name == "format.unsupported")
        #expect(error?.format?.rawValue == format)
        let said = "\(error?.message ?? "") \(error?.help ?? "")"
        #expect(said.contains(words))
        #expect(error?.help.contains("read today: apns, simctl, shortcut, activity, envelope") == true)
        #expect(throws: Never.self) { try Self.read(text, format: .apns) }
    }

    @Test(arguments: [
        #"{}"#, #"{"mdm":"F"}"#, #"{"message":"own data"}"#, #"{"priority":1}"#,
        #"{"aps":{},"message":"m","priority":1}"#,
        #"{"aps":{},"hook_event_name":"Stop"}"#, #"{"repository":"r"}"#, #"{"notification":{"title":"t"}}"#,
    ])
    func `own members make no other format`(_ text: String) throws {
        #expect(try Self.read(text).format == .apns)
    }

    @Test(
        arguments: [
            (#"{"aps":{}}"#, .apns, .apns), (#"{"aps":{}}"#, .simctl, .simctl),
            (#"{"type":"a","more":1}"#, .shortcut, .shortcut), (#"{"activityType":"a"}"#, .activity, .activity),
            (#"{"url":"a"}"#, .envelope, .envelope), (#"{"url":"a"}"#, .apns, .apns),
            (#"{"type":"a","more":1}"#, .auto, .apns), (#"{"type":"a"}"#, .auto, .shortcut),
        ] as [(String, PayloadFormat, PayloadFormat)])
    func `a chosen format is the one read`(
        _ text: String, _ chosen: PayloadFormat, _ expected: PayloadFormat
    ) throws {
        #expect(try Self.read(text, format: chosen).format == expected)
    }

    @Test func `a payload of nothing but mistakes has a bounded number of warnings`() throws {
        let members = (0..<50_000).map { #""own\#($0)":1"# }.joined(separator: ",")
        #expect(try Self.read(#"{"aps":{\#(members)}}"#).warnings.count == PayloadReader.warningLimit)
        let keys = (0..<50_000).map { #""own\#($0)""# }.joined(separator: ",")
        let activity =
            #"{"activityType":"a","persistentIdentifier":"p","userInfo":{\#(members)},"#
            + #""requiredUserInfoKeys":[\#(keys)]}"#
        #expect(try Self.read(activity).warnings.isEmpty)
    }

    @Test func `a line over the limit is the error of that line`() throws {
        let text = #"{"aps":{"alert":"\#(String(repeating: "x", count: 1 << 20))"}}"# + "\n{\"aps\":{}}\n"
        let inspection = PayloadInspection.inspect(Array(text.utf8), fileName: "a.jsonl")
        let lines = try #require(try JSONValue(parsing: inspection.json)["lines"]?.elements)
        #expect(!inspection.isValid)
        #expect(lines.map { $0["error"]?.string } == ["size.line-too-long", nil])
        #expect(lines.first?["at"]?.int64 == 1 << 20)
        #expect(lines.last?["valid"] == true)
    }
}
