import StoreTestSupport
import Testing
import UsherScene
import UsherStore

@Suite("Sessions whose launch was interrupted")
struct OrphanTests {
    @Test("a connecting session without an open delivery is disconnected; one with is left")
    func orphans() throws {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        _ = try store.connect([
            .init(id: "orphan", app: "example.a", scene: "main", state: .connecting),
            .init(id: "open", app: "example.a", scene: "main", state: .connected),
        ])
        let before = try store.generation()
        try store.prune()
        #expect(try store.session(id: "orphan")?.state == .disconnected)
        #expect(try store.session(id: "open")?.state == .connected)
        #expect(try store.generation() > before)
    }
}
