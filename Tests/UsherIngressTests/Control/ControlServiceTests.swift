import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivities
import UsherControl
import UsherEngine
import UsherFeatures
import UsherHTTP
import UsherJSON
import UsherLog
import UsherNotes
import UsherOperation
import UsherScene

@testable import UsherIngress

/// Commands as the daemon carries them out, and records as they go out.
struct ControlServiceTests {
    @Test(
        "every operation is answered, but for those that are streams", arguments: OperationTable.usher.all.map(\.name))
    func everyOperation(name: String) throws {
        let fixture = try ControlFixture(isDaemon: false)
        let call = try #require(OperationTable.usher.operation(named: name)).type.init()
        var message = ""
        if case .failure(let error) = fixture.answer(call) { message = error.message }
        #expect(message.hasSuffix("is not answered here") == (call is Records || call is HookListen))
    }

    @Test func otherProtocolIsRefused() throws {
        let fixture = try ControlFixture()
        guard case .failure(let error) = fixture.answer(Hello(protocolVersion: 2)) else {
            Issue.record("taken")
            return
        }
        #expect(error.code == .controlProtocol)
        let hello = try ControlHello(reading: try fixture.answer(Hello(protocolVersion: 1)).get())
        #expect(hello == fixture.backend.hello)
    }

    @Test func deliveriesAreListedAndShown() throws {
        let fixture = try ControlFixture()
        let ids = try (0..<3).map { _ in try fixture.finish(input: #"{"a":1}"#).id }
        let list = try fixture.answer(DeliveriesList(limit: 2)).get()
        #expect(list.elements?.map { $0["id"]?.string } == [ids[2], ids[1]])
        let next = try fixture.answer(DeliveriesList(before: ids[1])).get()
        #expect(next.elements?.map { $0["id"]?.string } == [ids[0]])
        let one = try fixture.answer(DeliveriesShow(ids[0])).get()
        #expect(one["state"]?.string == "done")
        #expect(one["record"]?["id"]?.string == ids[0])
        #expect(one["input"]?.string == #"{"a":1}"#)
        guard case .failure(let error) = fixture.answer(DeliveriesShow("x")) else {
            Issue.record("found")
            return
        }
        #expect(error.code == .controlNoDelivery)
    }

    @Test func explainSaysWhatWouldHappen() throws {
        let fixture = try ControlFixture()
        try fixture.connect(SessionRequest(app: "example.clowntown", scene: "main"))
        let answer = try fixture.answer(Explain(.target(ControlFixture.crusty))).get()
        #expect(answer["decision"]?["session"]?.string == "main-1", "\(answer.text())")
        #expect(answer["snapshot"]?["source"]?.string == "live", "\(answer.text())")
        guard case .failure(let error) = fixture.answer(Explain(.payload(Array("{".utf8)))) else {
            Issue.record("explained")
            return
        }
        #expect(error.code.name == "json.syntax" || error.code.name.hasPrefix("json."))
    }

    /// The save command of an app may send requests itself: other requests do not wait for it.
    @Test(arguments: [true, false])
    func saveCommandsDoNotBlockOtherRequests(isLink: Bool) throws {
        let fixture = try ControlFixture(
            manifest: #"""
                id = "example.slow"
                name = "Slow"
                activity-types = ["example.slow.view"]

                [handlers]
                save = { exec = ["sh", "-c", "until test -e $HOME/go; do sleep 0.02; done; echo '{{}}'"], time-limit = "60s" }

                [[scenes]]
                name = "main"
                launch = { exec = ["true"] }
                """#)
        try fixture.connect(SessionRequest(app: "example.slow", scene: "main"))
        let activity = #"{"activityType":"example.slow.view","targetContentIdentifier":"slow:1","needsSave":true}"#
        let become = ActivityBecomeCurrent(session: "main-1", activity: activity)
        _ = try fixture.answer(become).get()
        _ = try fixture.answer(NoteNew(text: "n")).get()
        let done = DispatchSemaphore(value: 0)
        let answer = Mutex<ControlService.Answer?>(nil)
        let call: any ContentCall =
            isLink ? LinkAdd(note: "current", fromCurrent: true) : ActivitySave(activity: "current")
        fixture.service.execute(call) { result in
            answer.withLock { $0 = result }
            done.signal()
        }
        // What the save command would ask for.
        let change = ActivityUpdate(session: "main-1", activity: #"{"title":"T"}"#)
        #expect(throws: Never.self) { try fixture.answer(change).get() }
        #expect(answer.withLock { $0 == nil })
        try Data().write(to: URL(fileURLWithPath: fixture.state + "/go"))
        done.wait()
        let result = try #require(answer.withLock { $0 }).get()
        #expect(try JSONValue(parsing: result)["warnings"]?.elements?.isEmpty == true)
    }

    // MARK: Records

    /// Collects events until there are enough.
    private final class Listener: Sendable {
        private let ids = Mutex<[String]>([])
        let beats = Mutex(0)

        var receiver: RecordBroadcast.Receiver {
            RecordBroadcast.Receiver(
                receive: { [self] event in
                    ids.withLock { $0.append(event.id) }
                    return true
                },
                beat: { [self] in
                    beats.withLock { $0 += 1 }
                    return true
                })
        }

        func wait(for count: Int) -> [String] {
            _ = eventually { ids.withLock { $0.count } >= count }
            return ids.withLock { $0 }
        }
    }

    @Test("a subscriber that reconnects gets the missed records first, once each, while more are published")
    func recordsAreResumed() throws {
        let fixture = try ControlFixture()
        let before = try (0..<20).map { _ in try fixture.finish().id }
        let listener = Listener()
        let subscription = fixture.service.subscribe(since: before[4], listener.receiver) { #expect($0 == nil) }
        var after: [String] = []
        for _ in 0..<20 { after.append(try fixture.finish().id) }
        let got = listener.wait(for: 35)
        #expect(got == Array(before[5...]) + after)
        subscription.cancel()
        #expect(fixture.service.records.subscriberCount == 0)
        try fixture.finish()
        #expect(listener.wait(for: 35).count == 35)
    }

    @Test func unknownDeliveryIsSaidAndNewRecordsCome() throws {
        let fixture = try ControlFixture()
        try fixture.finish()
        let listener = Listener()
        let said = Mutex<String?>(nil)
        let subscription = fixture.service.subscribe(since: "gone", listener.receiver) { error in
            said.withLock { $0 = error?.code.name }
        }
        let id = try fixture.finish().id
        #expect(listener.wait(for: 1) == [id])
        #expect(said.withLock { $0 } == "control.no-such-delivery")
        subscription.cancel()
    }

    @Test func quietListenersAreBeatenFor() throws {
        let fixture = try ControlFixture(interval: 1)
        let listener = Listener()
        let subscription = fixture.service.subscribe(since: nil, listener.receiver) { _ in }
        #expect(eventually { listener.beats.withLock { $0 } >= 2 })
        subscription.cancel()
    }

    @Test func linesStreamRecords() throws {
        let fixture = try ControlFixture()
        let first = try fixture.finish().id
        let client = try ControlClient(connectingTo: fixture.socket)
        try client.send(Records(since: first))
        guard case .result(1, let text) = try client.receive() else {
            Issue.record("no answer")
            return
        }
        #expect(String(decoding: text, as: UTF8.self) == #"{"streaming":true}"#)
        let record = try fixture.finish()
        guard case .record(1, let json) = try client.receive() else {
            Issue.record("no event")
            return
        }
        #expect(String(decoding: json, as: UTF8.self) == record.json)
        // Other requests go on beside it.
        try client.send(Status())
        guard case .result(2, _) = try client.receive() else {
            Issue.record("no status")
            return
        }
    }

    // MARK: Lines

    @Test func badLineIsAnsweredAndTheConnectionGoesOn() throws {
        let fixture = try ControlFixture()
        let client = try ControlClient(connectingTo: fixture.socket)
        let connection = Loopback()
        let lines = ControlLines(fixture.service, connection)
        lines.receive(Array("nonsense".utf8))
        lines.receive(Array(#"{"id":8,"command":"scene.lst"}"#.utf8))
        lines.receive(Array(#"{"id":9,"command":"status"}"#.utf8))
        let answers = connection.wait(for: 3)
        #expect(answers[0].hasPrefix(#"{"id":null,"error":{"code":"U6301""#))
        #expect(answers[1].contains("did you mean scene.list?"))
        #expect(answers[2].hasPrefix(#"{"id":9,"result":"#))
        lines.end()
        #expect(connection.isClosed.withLock { $0 })
        _ = client
    }

    @Test("a stop that crosses the answer to its stream is ignored")
    func wordsAfterAStream() throws {
        let fixture = try ControlFixture()
        let connection = Loopback()
        let lines = ControlLines(fixture.service, connection)
        lines.receive(Array("stop".utf8))
        #expect(connection.wait(for: 1)[0].hasPrefix(#"{"id":null,"error":{"code":"U6301""#))
        lines.receive(Array(#"{"id":2,"command":"dispatch","arguments":{"stream":"lines"}}"#.utf8))
        lines.receive(Array("0".utf8))
        #expect(connection.wait(for: 2)[1].hasPrefix(#"{"id":2,"result":{"handled":0,"errors":0"#))
        for word in ["stop", "cancel", "lines"] { lines.receive(Array(word.utf8)) }
        lines.receive(Array(#"{"id":3,"command":"status"}"#.utf8))
        let answers = connection.wait(for: 4)
        #expect(answers[2].contains("the line is not JSON"))
        #expect(answers[3].hasPrefix(#"{"id":3,"result":"#))
    }

    @Test(
        "an empty document is one error; what a client that goes away has begun is none",
        arguments: [true, false])
    func documentsOfAStream(isWhole: Bool) throws {
        let fixture = try ControlFixture()
        let connection = Loopback()
        let lines = ControlLines(fixture.service, connection)
        for line in [
            #"{"id":1,"command":"dispatch","arguments":{"stream":"lines"}}"#, "document", "file document", "1",
        ] {
            lines.receive(Array(line.utf8))
        }
        lines.receive(bytes: Array("{".utf8))
        if isWhole { lines.receive(Array("0".utf8)) } else { lines.end() }
        let count = isWhole ? 2 : 1
        let answers = connection.wait(for: 2 + count)
        #expect(answers.filter { $0.hasPrefix(#"{"v":"#) }.count == count)
        #expect(answers.last?.hasPrefix(#"{"id":1,"result":{"handled":\#(count),"#) == true)
    }

    @Test("requests that wait for room keep their order")
    func orderBehindAFullQueue() throws {
        let fixture = try ControlFixture()
        // The first two attempts find no room, the third does: a request that did not queue would overtake them.
        fixture.backend.echo.refuse(2)
        let connection = Loopback()
        let lines = ControlLines(fixture.service, connection)
        for number in 1...200 {
            lines.receive(
                Array(#"{"id":\#(number),"command":"dispatch","arguments":{"input":"{}","seq":\#(number)}}"#.utf8))
        }
        #expect(connection.wait(for: 200).count == 200)
        #expect(fixture.backend.echo.sequences == Array(1...200))
    }

    @Test("reading stops at 64 on their way, and goes on")
    func backpressure() throws {
        let fixture = try ControlFixture()
        fixture.backend.echo.refuse(20)
        let connection = Loopback()
        let lines = ControlLines(fixture.service, connection)
        for number in 1...100 {
            lines.receive(Array(#"{"id":\#(number),"command":"dispatch","arguments":{"input":"{}"}}"#.utf8))
        }
        #expect(connection.pauses.withLock { $0 }.first == false)
        #expect(connection.wait(for: 100).count == 100)
        #expect(connection.pauses.withLock { $0 }.last == true)
    }
}

/// A connection whose other end is the test.
private final class Loopback: LineConnection {
    private let sent = Mutex<[String]>([])
    let pauses = Mutex<[Bool]>([])
    let isClosed = Mutex(false)

    func send(_ bytes: [UInt8]) -> Bool {
        sent.withLock { $0 += String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) }
        return true
    }

    func setReading(_ isReading: Bool) { pauses.withLock { $0.append(isReading) } }

    func close() { isClosed.withLock { $0 = true } }

    func wait(for count: Int) -> [String] {
        _ = eventually { sent.withLock { $0.count } >= count }
        return sent.withLock { $0 }
    }
}
