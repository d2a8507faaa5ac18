import TestSupport
import Testing

@testable import UsherWindows

/// Lines that come from a browser, and lines that are nearly such.
struct BrowserMessageTests {
    private static let lines = [
        #"{"type":"host","process":7}"#,
        #"{"type":"hello","protocol":1,"browser":"Firefox","version":"1","client":"c"}"#,
        #"{"type":"state","windows":[{"id":1,"focused":true,"incognito":false,"state":"minimized","tabs":["#
            + #"{"id":4,"active":true,"url":"https://a.example/","title":"A","language":"en","readable":true}]}]}"#,
        #"{"type":"answer","id":3,"url":"https://a.example/","selection":"s","data":["{}"],"title":"t","base":"/"}"#,
        #"{"type":"answer","id":9,"error":"gone","message":"no"}"#, #"{"type":"ask"}"#, #"{"type":"pause-changed"}"#,
    ].map { Array($0.utf8) }

    @Test func `each sample is a message`() {
        #expect(Self.lines.filter { BrowserMessage(line: $0) == nil }.isEmpty)
    }

    @Test(arguments: 0..<2)
    func `a mutated line is a message or none, and what it has is limited`(_ seed: Int) {
        let mutator = SampleMutator(
            Self.lines,
            fragments: [
                "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "-1", "1e999", "99999999999999999999", "\\ud800",
                "\"tabs\":[",
                "\"id\":0,", "\"type\":\"state\",", String(repeating: "x", count: 5000),
                String(repeating: "[", count: 50),
            ])
        var generator = SeededGenerator(seed: UInt64(seed))
        var (read, refused) = (0, 0)
        for round in 0..<2000 {
            guard let message = BrowserMessage(line: mutator.mutation(&generator)) else {
                refused += 1
                continue
            }
            read += 1
            let isLimited =
                switch message {
                case .host(let process): process > 0
                case .hello(let product, let version, _): product.utf8.count <= 60 && version.utf8.count <= 60
                case .state(let windows):
                    windows.count == Set(windows.map(\.id)).count
                        && windows.flatMap(\.tabs).allSatisfy {
                            $0.id >= 0 && $0.title.utf8.count <= BrowserMessage.titleLimit
                        }
                case .answer(_, let answer): answer.message.utf8.count <= 600
                case .ask, .pauseChanged: true
                }
            #expect(isLimited, "seed \(seed), round \(round): \(message)")
        }
        #expect(read > 50 && refused > 200, "\(read) \(refused)")
    }
}
