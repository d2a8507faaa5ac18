import EngineTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherEngine
import UsherFeatures
import UsherJSON
import UsherLog
import UsherOperation
import UsherScene
import UsherStore
import UsherTarget

@testable import UsherNotes

/// A window with a document, and which notes are suggested about it.
@Suite("DocumentVisits") struct DocumentVisitsTests {
    private let files = TemporaryFolder()
    private let store: Store
    private let suggested = Suggested()

    private final class Suggested: Sendable {
        let texts = Mutex<[String]>([])
    }

    init() throws {
        store = try Store(directory: files.path, access: .readWrite, features: .all)
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

@Suite("The document in front") struct DocumentInFrontTests {
    private let fixture: ContentFixture

    init() throws { fixture = try ContentFixture() }

    /// A window of a viewer that shows a document; it was in front just now.
    private func show(_ target: String, isRead: Bool = true) throws {
        let made = try fixture.store.connect([
            Store.NewSession(
                app: "example.orders", scene: "document", target: TargetContentIdentifier(target), title: "The plan",
                isTargetRead: isRead)
        ])
        _ = try fixture.store.change(session: try #require(made.first).id, .init(used: true))
    }

    private func targets(_ answer: JSONValue) -> [String?] {
        (answer["links"]?.elements ?? []).map { $0["target"]?.string }
    }

    @Test("a note is linked to the document or the activity, whichever was in front later", arguments: [true, false])
    func later(isDocumentFirst: Bool) throws {
        if isDocumentFirst { try show("file:///plan") }
        try fixture.connect("c")
        _ = try fixture.become("c", "crusty")
        if !isDocumentFirst { try show("file:///plan") }
        let wanted = isDocumentFirst ? "clown:crusty" : "file:///plan"
        let made = try fixture.perform("note.new", ["text": "x", "activity": "current"])
        #expect(targets(made) == [wanted])
        let added = try fixture.perform("link.add", ["note": "current", "from_current": true])
        #expect(added["link"]?["target"]?.string == wanted)
        #expect(added["is_new"]?.boolean == false)
    }

    @Test("a target that an app told is no document, and without one there is nothing to link to") func told() throws {
        try show("file:///plan", isRead: false)
        let made = try fixture.perform("note.new", ["text": "x", "activity": "current"])
        #expect(targets(made) == [])
    }
}
