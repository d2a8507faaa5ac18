import Testing
import UsherJSON
import UsherOperation
import UsherScene

/// Answers on the wire.
struct ControlReplyTests {
    @Test func resultKeepsItsBytes() throws {
        let text = Array(#"{"b":1.50,"a":[ ],"é":"\u00e9"}"#.utf8)
        let line = ControlReply.result(id: 9, text).line
        guard case .result(9, let read) = try ControlReply(line: Array(line.dropLast())) else {
            Issue.record("another reply")
            return
        }
        #expect(read == text)
    }

    @Test func recordIsAnEvent() throws {
        let line = ControlReply.record(id: 9, Array(#"{"v":1}"#.utf8)).line
        #expect(String(decoding: line, as: UTF8.self) == #"{"id":9,"event":"record","record":{"v":1}}"# + "\n")
        guard case .record(9, let read) = try ControlReply(line: Array(line.dropLast())) else {
            Issue.record("another reply")
            return
        }
        #expect(read == Array(#"{"v":1}"#.utf8))
    }

    @Test func errorComesThroughWhole() throws {
        var error = ControlError(
            .controlSession, "two cannot be used", at: "/sessions", offset: 4, help: "help", excerpt: ["SELF", "^"],
            status: .finding)
        error.problems = [.init(index: 3, ControlError(.controlCondition, "no", at: "/can"))]
        error.problemCount = 5
        guard
            case .failure(4, let read) = try ControlReply(
                line: Array(ControlReply.failure(id: 4, error).line.dropLast()))
        else {
            Issue.record("another reply")
            return
        }
        #expect(read.code == error.code)
        #expect(read.message == error.message)
        #expect(read.at == error.at && read.offset == error.offset && read.help == error.help)
        #expect(read.excerpt == error.excerpt)
        #expect(read.status == .finding)
        #expect(read.problemCount == 5)
        #expect(read.problems.map(\.index) == [3])
        #expect(read.problems.first?.error.code == .controlCondition)
        #expect(read.problems.first?.error.at == "/can")
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"id":1}"#, #"{"result":1}"#, #"{"id":1,"event":"other"}"#, #"{"id":1.5,"result":2}"#,
    ])
    func answerOfSomethingElseIsAProtocolError(_ line: String) {
        do throws(ControlError) {
            let reply = try ControlReply(line: Array(line.utf8))
            Issue.record("read as \(reply)")
        } catch {
            #expect(error.code == .controlProtocol)
        }
    }

    @Test func helloComesThroughWhole() throws {
        let hello = ControlHello(
            version: "0.1.0", pid: 42, configuration: "/etc/usher", digest: "sha256:x", state: "/s")
        #expect(try ControlHello(reading: hello.jsonText) == hello)
        #expect(throws: ControlError.self) { try ControlHello(reading: .object([])) }
    }
}
