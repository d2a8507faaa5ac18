import Foundation
import StoreTestSupport
import Testing
import UsherScene

@testable import UsherNotes
@testable import UsherStore

/// Two processes that move and delete the same content at once.
@Suite(.serialized) struct RedirectProcessesTests {
    let folder = TemporaryDirectory()

    @Test func oneMoveWinsAndTheOtherIsRefused() async throws {
        let path = folder.path
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        let store = try Store(directory: path, access: .readWrite, features: [.notes])
                        var won: [String] = []
                        for index in 0..<80 {
                            let (old, new) = ("old/\(index)", "new/\(number)/\(index)")
                            switch try store.move(TargetContentIdentifier(old), to: TargetContentIdentifier(new)) {
                            case .success: won.append("\(old) \(new)")
                            case .failure(let refusal):
                                guard refusal.code == .redirectTaken else { exit(1) }
                            }
                        }
                        try won.joined(separator: "\n").write(
                            toFile: "\(path)/won-\(number)", atomically: false, encoding: .utf8)
                    }
                }
            }
        }
        let store = try folder.open()
        var won: [String] = []
        for number in 0..<2 {
            let text = try String(contentsOfFile: "\(path)/won-\(number)", encoding: .utf8)
            won += text.split(separator: "\n").map(String.init)
        }
        #expect(won.count == 80)
        for line in won {
            let words = line.split(separator: " ").map(String.init)
            let redirection = try store.redirection(of: TargetContentIdentifier(words[0]))
            #expect(redirection.hops.map(\.to.text) == [words[1]])
        }
        #expect(try store.sessions().redirects == 80)
    }

    /// Each pair of moves by itself is fine; only together they are a loop.
    @Test func noLoopIsMadeTogether() async throws {
        let path = folder.path
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        let store = try Store(directory: path, access: .readWrite, features: [.notes])
                        for index in 0..<80 {
                            let ids = ["a/\(index)", "b/\(index)"].map { TargetContentIdentifier($0) }
                            switch try store.move(ids[number], to: ids[1 - number]) {
                            case .success: break
                            case .failure(let refusal):
                                guard refusal.code == .redirectWouldLoop else { exit(1) }
                            }
                        }
                    }
                }
            }
        }
        let store = try folder.open()
        #expect(try store.redirects(limit: 1000).total == 80)
        for index in 0..<80 {
            let found = try store.redirection(of: TargetContentIdentifier("a/\(index)"))
            #expect(found.end == .content)
        }
        try store.check()
    }
}
