import Testing
import UsherJSON
import UsherScene
import UsherText

@testable import UsherOperation

@Suite("ControlStream") struct ControlStreamTests {
    @Test(
        "words between the bytes are read as they are written",
        arguments: [
            (StreamWord.bytes(12), "12\n"), (.bytes(StreamWord.longest), "1048576\n"), (.end, "0\n"),
            (.cancel, "cancel\n"), (.stop, "stop\n"), (.begin(.stream, isFromFile: false), "lines\n"),
            (.begin(.document, isFromFile: true), "file document\n"),
            (.begin(.simulator, isFromFile: true), "file simulator\n"),
            (.begin(.stream, isFromFile: false, at: LinePosition(line: 3, column: 8)), "lines 3 8\n"),
            (.begin(.stream, isFromFile: true, at: LinePosition(line: 3, column: 1)), "file lines 3 1\n"),
        ])
    func words(_ word: StreamWord, _ line: String) {
        #expect(word.line == Array(line.utf8))
        #expect(StreamWord(line: Array(line.utf8.dropLast())) == word)
    }

    @Test(
        "what is none of them is refused",
        arguments: [
            "", "-1", "1048577", "12 13", "file", "file 3", "halt", "99999999999999999999", "{}", "lines 3",
            "lines 0 1", "lines 1 -1", "lines 1 2 3", "cancel 1 2", "3 1 2", "file 1 2",
        ])
    func nonsense(_ line: String) { #expect(StreamWord(line: Array(line.utf8)) == nil) }

    @Test("the answer comes through whole")
    func end() throws {
        let end = StreamEnd(handled: 3, errors: 1, unanswered: 2, hasOthers: true)
        let failure = ControlError(.controlBusy, "full")
        let text = StreamAnswer(end, failure: failure).jsonText
        #expect(
            String(decoding: text, as: UTF8.self).hasPrefix(
                #"{"handled":3,"errors":1,"unanswered":2,"others":true,"error":{"code":"#))
        let answer = try StreamAnswer(reading: text)
        #expect(answer.end == end && answer.failure?.message == "full")
    }

    @Test("events of a stream come through whole")
    func events() throws {
        for place in [nil, LinePosition(line: 4, column: 2)] {
            let taken = ControlReply.taken(id: 3, bytes: 17, between: place)
            guard case .taken(3, 17, place) = try ControlReply(line: taken.line) else {
                Issue.record("not taken")
                return
            }
        }
        guard case .yield = try ControlReply(line: ControlReply.yield.line) else {
            Issue.record("no yield")
            return
        }
        for line in ["a\n", "", "{\"a\": [\"\\u00e9\"]}\n", "{\"a\":1}"] {
            guard case .log(let text) = try ControlReply(line: ControlReply.log(Array(line.utf8)).line) else {
                Issue.record("no log")
                return
            }
            #expect(text == Array(line.utf8))
        }
    }
}
