import Testing
import UsherAgents
import UsherEngine
import UsherJSON
import UsherOperation
import UsherScene
import UsherSchedule
import UsherSuggestions
import UsherText

@testable import UsherFeatures

/// Requests on the wire.
struct ControlRequestTests {
    struct Sample: CustomTestStringConvertible {
        var call: any Call
        var arguments: String
        var testDescription: String { "\(call.name) \(arguments)" }

        init(_ call: any Call, _ arguments: String) {
            self.call = call
            self.arguments = arguments
        }
    }

    private static var report: AgentReport {
        var report = AgentReport()
        (report.agent, report.session, report.state) = (.codex, "s", .done)
        report.parents = [.init(pid: 7, start: 9)]
        return report
    }

    static let samples = [
        Sample(Hello(protocolVersion: 1), #"{"protocol":1}"#),
        Sample(
            DispatchPayload(
                input: Array(#"{"aps":{"alert":"hé"}}"#.utf8), source: "stdin", sequence: 3, app: "a", format: "apns"),
            #"{"input":"{\"aps\":{\"alert\":\"hé\"}}","source":"stdin","seq":3,"app":"a","format":"apns"}"#),
        Sample(
            DispatchPayload(input: Array("{}".utf8), token: "launcher/1_TIME7"),
            #"{"input":"{}","token":"launcher/1_TIME7"}"#),
        Sample(DispatchPayload(input: [0xFF, 0x00, 0x0A]), #"{"input_base64":"/wAK"}"#),
        Sample(DispatchPayload(input: [], isTooLong: true), #"{"too_long":true}"#),
        Sample(
            SceneConnect([SessionRequest(app: "a", scene: "s", handle: "@3", handleServer: "x")]),
            #"{"sessions":[{"app":"a","scene":"s","handle":"@3","handle_server":"x"}]}"#),
        Sample(SceneConnect([], checks: true), #"{"sessions":[],"check":true}"#),
        Sample(
            SceneUpdate("m", SessionUpdate(can: "TRUEPREDICATE", title: "T")),
            #"{"session":"m","can":"TRUEPREDICATE","title":"T"}"#),
        Sample(SceneActivate("m", SessionUpdate()), #"{"session":"m"}"#),
        Sample(SceneDisconnect("m", SessionUpdate(prefers: "x")), #"{"session":"m","prefers":"x"}"#),
        Sample(SceneClose("m"), #"{"session":"m"}"#),
        Sample(SceneClose("m", closesWindow: true), #"{"session":"m","window":true}"#),
        Sample(SceneFocus("m", token: "t"), #"{"session":"m","token":"t"}"#),
        Sample(
            SceneNew(app: "a", scene: "s", target: "t", parent: "d"),
            #"{"app":"a","scene":"s","target":"t","parent":"d"}"#),
        Sample(SceneList(app: nil), "{}"),
        Sample(SceneList(app: "a"), #"{"app":"a"}"#),
        Sample(SceneList(app: nil, all: true), #"{"all":true}"#),
        Sample(SceneShow("m"), #"{"session":"m"}"#),
        Sample(
            DeliveriesList(states: [.done, .failed], limit: 7, before: "b"),
            #"{"states":["done","failed"],"limit":7,"before":"b"}"#),
        Sample(DeliveriesShow("d"), #"{"delivery":"d"}"#),
        Sample(DeliveriesRetry(DeliverySelection(ids: ["d", "e"])), #"{"deliveries":["d","e"]}"#),
        Sample(
            DeliveriesRetry(DeliverySelection(ids: ["d"]), again: true), #"{"deliveries":["d"],"again":true}"#),
        Sample(
            DeliveriesRetry(outcome: "unverified", since: "1h"), #"{"outcome":"unverified","since":"1h"}"#),
        Sample(
            DeliveriesAnswer("d", action: "yes", message: "m"), #"{"delivery":"d","action":"yes","message":"m"}"#),
        Sample(DeliveriesDrop(DeliverySelection(allFailed: true)), #"{"failed":true}"#),
        Sample(
            Explain(.target("t"), app: "a", showsAll: true), #"{"target":"t","app":"a","all":true}"#),
        Sample(Explain(.payload(Array("{}".utf8))), #"{"payload":"{}"}"#),
        Sample(Explain(.delivery("d")), #"{"delivery":"d"}"#),
        Sample(DispatchStream(), #"{"stream":"lines"}"#),
        Sample(
            DispatchStream(source: "stdin", app: "a", format: "fcm", token: "t", parent: "d", first: 3),
            #"{"stream":"lines","source":"stdin","app":"a","format":"fcm","token":"t","parent":"d","seq":3}"#),
        Sample(DeliveriesWait(), "{}"), Sample(Yield(), "{}"),
        Sample(TerminalWhere(TerminalPlaceArgument(process: 7)), #"{"pid":7}"#),
        Sample(
            TerminalFocus(TerminalPlaceArgument(process: 7), detached: .open, token: "t", parent: "d"),
            #"{"pid":7,"detached":"open","token":"t","parent":"d"}"#),
        Sample(
            Self.report,
            #"{"agent":"codex","session":"s","state":"done","parents":[{"pid":7,"start":9}]}"#),
        Sample(AgentLastEvents(), "{}"),
        Sample(
            AgentAnswerCall("agent-1", .deny, message: "no"), #"{"id":"agent-1","action":"deny","message":"no"}"#),
        Sample(AgentList(all: true), #"{"all":true}"#),
        Sample(AgentFocus("agent-1", token: "t"), #"{"id":"agent-1","token":"t"}"#),
        Sample(AgentNext(token: nil, parent: "d"), #"{"parent":"d"}"#),
        Sample(SceneWindows(), "{}"), Sample(MediaList(), "{}"), Sample(TargetList(app: "a"), #"{"app":"a"}"#),
        Sample(ShortcutList(app: "a"), #"{"app":"a"}"#),
        Sample(
            ShortcutSet(app: "a", [ShortcutArgument(["type": "t", "localizedTitle": "T"])]),
            #"{"app":"a","items":[{"type":"t","localizedTitle":"T"}]}"#),
        Sample(ShortcutAdd(app: "a", []), #"{"app":"a","items":[]}"#),
        Sample(ShortcutRemove("t", app: "a"), #"{"type":"t","app":"a"}"#),
        Sample(DesktopServices(), "{}"),
        Sample(Reload(), "{}"), Sample(Status(), "{}"), Sample(Records(since: nil), "{}"),
        Sample(Records(since: "d"), #"{"since":"d"}"#),
        Sample(
            HookJudge(path: "h", request: "{}", at: 7, texts: ["a"]),
            #"{"path":"h","request":"{}","at":7,"texts":["a"]}"#),
        Sample(HookListen(hook: "h"), #"{"hook":"h"}"#),
        Sample(NotificationSchedule("{}", at: "09:00"), #"{"payload":"{}","at":"09:00"}"#),
        Sample(NotificationSchedule("{}", in: "2h"), #"{"payload":"{}","in":"2h"}"#),
        Sample(NotificationSchedule("{}", every: "day 09:00"), #"{"payload":"{}","every":"day 09:00"}"#),
        Sample(NotificationPending(app: "a"), #"{"app":"a"}"#), Sample(NotificationDelivered(), "{}"),
        Sample(NotificationRemove(.pending, ["a", "b"]), #"{"state":"pending","ids":["a","b"]}"#),
        Sample(NotificationRemove(.delivered, all: true, app: "a"), #"{"state":"delivered","all":true,"app":"a"}"#),
    ]

    @Test(arguments: samples)
    func readsWhatItWrites(_ sample: Sample) throws {
        let line = ControlRequest(id: 7, sample.call).line
        let text = String(decoding: line, as: UTF8.self)
        #expect(
            text == #"{"id":7,"command":"\#(sample.call.name)","arguments":\#(sample.arguments)}"# + "\n")
        let read = try ControlRequest(line: Array(line.dropLast()), in: .usher)
        #expect(read.id == 7)
        #expect(ControlRequest(id: 7, read.call).line == line)
    }

    @Test("every command has a sample")
    func samplesAreComplete() {
        let others = OperationTable.usher.all.filter { !($0.type is any ContentCall.Type) }
        #expect(Set(Self.samples.map(\.call.name)) == Set(others.map(\.name)))
    }

    @Test("two commands have two names, but for the two forms of dispatch")
    func namesAreUnique() {
        let names = OperationTable.usher.all.filter { $0.type != DispatchStream.self }.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: [[], [0xFF], [0xFE, 0xFF], [0xFF, 1, 2], [0xC3, 0x28, 0, 0xFF]] as [[UInt8]])
    func bytesThatAreNoTextArriveWhole(_ bytes: [UInt8]) throws {
        let line = ControlRequest(id: 1, DispatchPayload(input: bytes)).line
        guard let read = try ControlRequest(line: Array(line.dropLast()), in: .usher).call as? DispatchPayload else {
            Issue.record("another command")
            return
        }
        #expect(read.input == bytes)
    }

    struct BadLine: CustomTestStringConvertible {
        var line: String
        var id: Int64?
        var name: String
        var message: String
        var at: String?
        var help: String?
        var testDescription: String { line }
    }

    /// A command whose arguments are refused.
    private static func bad(
        _ command: String, _ arguments: String?, _ message: String, at: String? = nil, help: String? = nil
    ) -> BadLine {
        let more = arguments.map { #","arguments":\#($0)"# } ?? ""
        return BadLine(
            line: #"{"id":4,"command":"\#(command)"\#(more)}"#, id: 4, name: "control.argument", message: message,
            at: at, help: help)
    }

    static let badLines = [
        BadLine(line: "{", name: "control.protocol", message: "the line is not JSON: "),
        BadLine(line: "[1]", name: "control.protocol", message: "the line is an array, not an object"),
        BadLine(line: #"{"command":"status"}"#, name: "control.protocol", message: "a request needs an id"),
        BadLine(line: #"{"id":"1","command":"status"}"#, name: "control.protocol", message: "a request needs an id"),
        BadLine(line: #"{"id":1.5,"command":"status"}"#, name: "control.protocol", message: "a request needs an id"),
        BadLine(line: #"{"id":4}"#, id: 4, name: "control.argument", message: "command is missing"),
        BadLine(
            line: #"{"id":4,"command":"scene.conect"}"#, id: 4, name: "control.unknown-command",
            message: "there is no command \"scene.conect\"", at: "/command", help: "did you mean scene.connect?"),
        BadLine(
            line: #"{"id":4,"command":"status","argument":{}}"#, id: 4, name: "control.argument",
            message: "there is no member \"argument\"", help: "did you mean arguments?"),
        bad("status", "[]", "arguments is an array, not an object", at: "/arguments"),
        bad("status", #"{"x":1}"#, "there is no member \"x\"", at: "/arguments/x"),
        bad("dispatch", nil, "input is missing"),
        bad("dispatch", #"{"input":"","input_base64":""}"#, "input and input_base64 exclude each other"),
        bad("dispatch", #"{"input_base64":"a"}"#, "input_base64 is not Base64", at: "/arguments/input_base64"),
        bad("dispatch", #"{"input":"{}","seq":0}"#, "seq is 0, not a whole number from 1", at: "/arguments/seq"),
        bad(
            "scene.connect", #"{"sessions":[{"app":"a"},{"scen":"b"}]}"#, "there is no member \"scen\"",
            at: "/arguments/sessions/1/scen", help: "did you mean scene?"),
        bad("scene.connect", #"{"sessions":[7]}"#, "a session request is a number, not an object"),
        bad("scene.close", #"{"session":7}"#, "session is a number, not a string", at: "/arguments/session"),
        bad("scene.close", nil, "session is missing"),
        bad(
            "deliveries.list", #"{"states":["faild"]}"#, "there is no state \"faild\"", at: "/arguments/states/0",
            help: "did you mean failed?"),
        bad("deliveries.list", #"{"limit":1000001}"#, "limit is 1000001, not a whole number from 1 to 1000000"),
        bad("deliveries.retry", nil, "which deliveries?"),
        bad("deliveries.drop", #"{"deliveries":["a"],"failed":true}"#, "deliveries and failed exclude each other"),
        bad("explain", #"{"target":"a","delivery":"b"}"#, "explain takes one of target, payload and delivery"),
    ]

    @Test(arguments: badLines)
    func badLineIsNamed(_ bad: BadLine) {
        do throws(ControlRequest.Invalid) {
            let request = try ControlRequest(line: Array(bad.line.utf8), in: .usher)
            Issue.record("read as \(request.call)")
        } catch {
            #expect(error.id == bad.id)
            #expect(error.error.code.name == bad.name)
            #expect(error.error.message.hasPrefix(bad.message), "\(error.error.message)")
            if let at = bad.at { #expect(error.error.at == at) }
            if let help = bad.help { #expect(error.error.help == help) }
        }
    }

    @Test("nothing traps on what is cut off or changed anywhere")
    func mutatedLines() {
        for sample in Self.samples {
            let line = Array(ControlRequest(id: 7, sample.call).line.dropLast())
            for end in 0..<line.count { _ = try? ControlRequest(line: Array(line[..<end]), in: .usher) }
            for place in line.indices {
                for byte: UInt8 in [0x00, 0x22, 0x30, 0x5B, 0x7B, 0x7D, 0xFF] {
                    var changed = line
                    changed[place] = byte
                    _ = try? ControlRequest(line: changed, in: .usher)
                    _ = try? ControlReply(line: changed)
                }
            }
        }
    }
}

extension SessionUpdate {
    fileprivate init(can: String? = nil, prefers: String? = nil, title: String? = nil) {
        self.init()
        (self.can, self.prefers, self.title) = (can, prefers, title)
    }
}
