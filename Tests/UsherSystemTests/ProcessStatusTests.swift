import Testing
import UsherSystem

@Suite struct ProcessStatusTests {
    static let fields = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21"

    @Test(
        arguments: [
            ("plain", "7 (usher) S \(fields)\n", true, 4711), ("parentheses", "7 (a) b) (c) R \(fields)", true, 4711),
            ("newline in the name", "7 (a\nb) D \(fields)", true, 4711),
            ("zombie", "7 (usher) Z \(fields)", false, 4711),
        ] as [(String, String, Bool, UInt64)])
    func statIsReadPastTheName(_ name: String, text: String, isRunning: Bool, startTime: UInt64) {
        let status = ProcessStatus(parsing: Array(text.utf8))
        #expect(status?.isRunning == isRunning)
        #expect(status?.startTime == startTime)
        #expect(status.map { [$0.parent, $0.group, $0.session, $0.foregroundGroup] } == [1, 2, 3, 5])
    }

    @Test(arguments: [
        "", "7", "7 (usher", "7 (usher)", "7 (usher) S 1 2 3", "7 (usher) S " + String(repeating: "x ", count: 30),
    ])
    func anythingElseIsNoProcess(text: String) {
        #expect(ProcessStatus(parsing: Array(text.utf8)) == nil)
    }
}
