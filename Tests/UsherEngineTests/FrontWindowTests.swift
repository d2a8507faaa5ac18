import TestSupport
import Testing
import UsherActivation

@testable import UsherEngine

@Suite("Front window")
struct FrontWindowTests {
    static func windows() -> DryRunWindowSystem {
        DryRunWindowSystem(windows: ["@1", "@2", "@3"].map { .init(handle: $0, title: "", group: "usher") })
    }

    @Test(
        "however late an earlier request is done, the latest request's window ends in front",
        arguments: [
            [1, 2, 3], [3, 2, 1], [2, 3, 1], [1, 3, 2],
        ])
    func latestWins(order: [Int]) throws {
        let windows = Self.windows()
        let front = FrontWindow(windows)
        for sequence in order {
            _ = try windows.focus(.handle("@\(sequence)", server: nil))
            front.restoreLatest(after: sequence, handle: "@\(sequence)", server: windows.server)
        }
        #expect(windows.current == "@3")
    }

    @Test("requests in order cost nothing more; windows of no window system are left alone")
    func noNeedlessWork() {
        let windows = Self.windows()
        let front = FrontWindow(windows)
        for sequence in 1...3 { front.restoreLatest(after: sequence, handle: "@\(sequence)", server: nil) }
        front.restoreLatest(after: 4, handle: nil, server: nil)
        front.restoreLatest(after: 2, handle: "window 7 of some other system", server: nil)
        #expect(windows.performed.isEmpty)
    }
}
