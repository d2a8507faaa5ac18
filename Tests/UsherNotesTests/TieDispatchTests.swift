import EngineTestSupport
import TestSupport
import Testing
import UsherActivation
import UsherActivities
import UsherEngine
import UsherFeatures
import UsherJSON
import UsherLog
import UsherScene
import UsherStore
import UsherText

@testable import UsherConfiguration
@testable import UsherNotes

/// Requests for one of several identifiers of some content.
@Suite("Ties in dispatches")
struct TieDispatchTests {
    typealias Fixture = DispatchFixture
    static let page = "https://www.clown.example/crusty"

    /// A window of Crusty's whose activity has three identifiers.
    private func fixture() throws -> Fixture {
        let fixture = try Fixture()
        fixture.manifests = Fixture.clownTown
        fixture.app.activityTypes = [Located("x", at: Fixture.location)]
        try fixture.dispatch([Fixture.push(Fixture.crusty), Fixture.push(Fixture.bozo)])
        let store = try fixture.openStore()
        defer { store.close() }
        var content = Store.ActivityContent(type: "x", document: Array("{}".utf8))
        (content.target, content.persistent, content.webpage) = (Fixture.crusty, "p-1", Self.page)
        _ = try #require(try store.becomeCurrent(content, app: fixture.app.id, session: "clown-1"))
        _ = try store.resign(session: "clown-1")
        return fixture
    }

    @Test("each identifier opens the window of the content, however it came")
    func requests() throws {
        let fixture = try fixture()
        let lines = [
            Fixture.push("p-1"), Fixture.push(Self.page), #"{"url":"\#(Self.page)"}"#, #"{"url":"p-1"}"#,
            #"{"activityType":"x","persistentIdentifier":"p-1"}"#,
            #"{"activityType":"x","webpageURL":"\#(Self.page)"}"#,
            #"{"activityType":"x","persistentIdentifier":"p-2","webpageURL":"\#(Self.page)"}"#,
        ]
        let tied = Array(repeating: "focus clown-1 \(Fixture.crusty)", count: 6)
        for isDryRun in [true, false] {
            let records = try fixture.dispatch(lines, isDryRun: isDryRun)
            #expect(records.map { $0.summary("action", "session", "resolved") }.dropLast() == tied[...])
            // The subject of an activity is its first identifier.
            #expect(records.last?.summary("resolved") == "p-2")
        }
    }

    @Test("an activity and a link of another process count from the next request on")
    func madeMeanwhile() throws {
        let fixture = try fixture()
        let store = try fixture.openStore()
        defer { store.close() }
        let engine = try fixture.engine(store)
        let seen = Locked<[String?]>([])
        engine.observe { record in seen.with { $0.append(record.resolved) } }
        func send(_ id: String) throws {
            #expect(engine.submit([Daemon.arrival(Fixture.push(id))]))
            engine.waitUntilIdle()
        }
        try send("p-2")
        let other = try fixture.openStore()
        defer { other.close() }
        let note = try other.write { (state) throws(StoreError) in try state.newNote("a note").id }
        _ = try other.add(
            link: .init(
                note: .id(note),
                identifiers: [
                    .init(.targetContentIdentifier, TargetContentIdentifier(Fixture.bozo)),
                    .init(.persistentIdentifier, TargetContentIdentifier("p-2")),
                ]))
        try send("p-2")
        #expect(seen.with { $0 } == ["p-2", Fixture.bozo])
    }

    @Test("an explanation names the kind of each hop, and the notes that are linked to the content")
    func explained() throws {
        let fixture = try fixture()
        let store = try fixture.openStore()
        defer { store.close() }
        var notes: [String] = []
        for text in ["first", "second"] {
            let note = try store.write { (state) throws(StoreError) in try state.newNote(text).id }
            notes.insert(note, at: 0)
            _ = try store.add(link: .clown("crusty", note: note))
        }
        _ = try store.move(TargetContentIdentifier("p-0"), to: TargetContentIdentifier("p-1")).get()
        let record = try #require(try fixture.dispatch([Fixture.push("p-0")]).first)
        #expect(record.summary("session", "resolved") == "clown-1 \(Fixture.crusty)")
        let delivery = try #require(try store.delivery(record["id"]?.string ?? ""))
        let loaded = LoadedConfiguration(
            configuration: Configuration(apps: [fixture.app]), settings: Settings(), diagnostics: [],
            sources: SourceMap(), folder: fixture.folder, files: [], missingPrograms: [])
        let live = try PayloadExplanation(
            explaining: Array(Fixture.push("p-0").utf8), app: nil, showsAll: false, in: loaded, .stored,
            following: store,
            activator: Activator(
                windowSystem: fixture.windows, environment: ["PATH": "/usr/bin:/bin"], stateDirectory: fixture.folder,
                isDryRun: true), openings: .all
        ).json
        for text in [live, try #require(try StoredExplanation(of: delivery, in: store, openings: .all).json)] {
            let explanation = try JSONValue(parsing: Array(text.utf8))
            let hops = explanation["hops"]?.elements?.map { $0.summary("from", "to", "kind") }
            #expect(hops == ["p-0 p-1 move", "p-1 \(Fixture.crusty) activity"])
            #expect(explanation["notes"]?.elements?.compactMap(\.string) == notes)
            #expect(explanation["decision"]?.summary("session", "resolved") == "clown-1 \(Fixture.crusty)")
            let shown = ExplanationText(explanation, style: .plain).text
            #expect(shown.contains("hop 2    p-1 -> \(Fixture.crusty)  an activity has both"), "\(shown)")
            #expect(shown.contains("fix the sender: send p-1"), "\(shown)")
            #expect(shown.contains("notes    \(notes.joined(separator: ", "))"), "\(shown)")
        }
    }
}
