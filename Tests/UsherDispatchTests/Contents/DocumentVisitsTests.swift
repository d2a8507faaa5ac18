import Foundation
import Synchronization
import Testing
import UsherActivation
import UsherLog
import UsherScene
import UsherStore
import UsherTarget

@testable import UsherDispatch

/// A window with a document, and which notes are suggested about it.
@Suite("DocumentVisits") struct DocumentVisitsTests {
    private let store: Store
    private let suggested = Suggested()

    private final class Suggested: Sendable {
        let texts = Mutex<[String]>([])
    }

    init() throws {
        store = try Store(
            directory: FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path,
            access: .readWrite)
        for (text, target) in [("About the plan", "file:///plan"), ("About the list", "file:///list")] {
            let note = try store.write { (state) throws(StoreError) in try state.newNote(text) }.id
            _ = try store.add(
                link: .init(note: .id(note), identifiers: [.init(.targetContentIdentifier, .init(target))]))
        }
    }

    private func session(_ target: String?, isRead: Bool = true) -> SceneSession {
        SceneSession(
            id: "one", app: "example.viewer", scene: "document", target: target.map { TargetContentIdentifier($0) },
            created: 0, isTargetRead: isRead)
    }

    private func visits(_ steps: [(SceneSession, ActivationState)]) -> [String] {
        let visits = DocumentVisits(store, logger: Logger(level: .error)) { found in
            suggested.texts.withLock { $0 += found.map(\.text) }
        }
        for (session, activation) in steps {
            visits.follow(session, activation)
            visits.flush()
        }
        return suggested.texts.withLock { $0 }
    }

    @Test("a note is suggested when the window of its document comes to the front, once a visit") func arrival() {
        let plan = session("file:///plan")
        let steps: [(SceneSession, ActivationState)] = [
            (plan, .background), (plan, .foregroundActive), (plan, .foregroundActive), (plan, .background),
            (plan, .foregroundActive),
        ]
        #expect(visits(steps) == ["About the plan"])
    }

    @Test("another document in the same window is another visit") func change() {
        let (plan, list) = (session("file:///plan"), session("file:///list"))
        let steps = [plan, list, list, plan].map { ($0, ActivationState.foregroundActive) }
        #expect(visits(steps) == ["About the plan", "About the list", "About the plan"])
    }

    @Test("no note about what is not in front, or was told, or is none") func others() {
        let steps: [(SceneSession, ActivationState)] = [
            (session("file:///plan"), .background), (session("file:///plan", isRead: false), .foregroundActive),
            (session(nil), .foregroundActive), (session("file:///other"), .foregroundActive),
        ]
        #expect(visits(steps) == [])
    }
}
