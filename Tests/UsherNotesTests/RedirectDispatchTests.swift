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
import UsherPayload
import UsherScene
import UsherStore
import UsherText

@testable import UsherConfiguration
@testable import UsherNotes

/// Line 0 of the resolution in everything that is dispatched.
@Suite("Redirects in dispatches")
struct RedirectDispatchTests {
    typealias Fixture = DispatchFixture
    static let krusty = "https://clowntown.example/clowns/krusty"
    static let old = "https://old.example/crusty"

    private func change(_ fixture: Fixture, _ body: (Store) throws -> Void) throws {
        let store = try fixture.openStore()
        defer { store.close() }
        try body(store)
    }

    private func id(_ text: String) -> TargetContentIdentifier { TargetContentIdentifier(text) }

    private func explain(_ target: String, _ fixture: Fixture, apps: [App]? = nil) throws -> JSONValue {
        let store = try fixture.openStore(.readOnly)
        defer { store.close() }
        let loaded = LoadedConfiguration(
            configuration: Configuration(apps: apps ?? [fixture.app]), settings: Settings(), diagnostics: [],
            sources: SourceMap(), folder: fixture.folder, files: [], missingPrograms: [])
        let answer = try PayloadExplanation(
            explaining: PayloadExplanation.line(for: target), app: nil, showsAll: false, in: loaded,
            .stored, following: store,
            activator: Activator(
                windowSystem: fixture.windows, environment: ["PATH": "/usr/bin:/bin"], stateDirectory: fixture.folder,
                isDryRun: true), openings: .all)
        return try JSONValue(parsing: Array(answer.json.utf8))
    }

    @Test("a moved identifier opens the window of the newest, however it came")
    func moved() throws {
        let fixture = try Fixture()
        fixture.app.activityTypes = [Located("x", at: Fixture.location)]
        try change(fixture) { store in
            _ = try store.move(id(Self.old), to: id(Fixture.crusty)).get()
            _ = try store.move(id(Fixture.crusty), to: id(Self.krusty)).get()
        }
        let lines = [
            Fixture.push(Self.krusty), Fixture.push(Self.old), Fixture.push(Fixture.crusty), #"{"url":"\#(Self.old)"}"#,
            #"{"activityType":"x","webpageURL":"\#(Self.old)"}"#, #"{"type":"order-crusty"}"#,
        ]
        for isDryRun in [false, true] {
            let records = try fixture.dispatch(lines, isDryRun: isDryRun)
            #expect(records.map { $0["resolved"]?.string } == Array(repeating: Self.krusty, count: 6))
            #expect(
                records.map { $0["target"]?.string } == [
                    Self.krusty, Self.old, Fixture.crusty, Self.old, Self.old, Fixture.crusty,
                ])
            #expect(
                records.map { $0.summary("action", "session") }
                    == [isDryRun ? "focus clown-1" : "launch clown-1"] + Array(repeating: "focus clown-1", count: 5))
        }
    }

    @Test("a window that was opened under an old identifier is still the right one")
    func aliased() throws {
        let fixture = try Fixture()
        try fixture.dispatch([Fixture.push(Fixture.crusty), Fixture.push(Fixture.bozo)])
        try change(fixture) { store in _ = try store.move(id(Fixture.crusty), to: id(Self.krusty)).get() }
        let record = try #require(try fixture.dispatch([Fixture.push(Self.krusty)]).first)
        #expect(record.summary("action", "session", "reason") == "focus clown-1 prefers")
        let explanation = try explain(Self.krusty, fixture)
        #expect(explanation["hops"]?.elements?.isEmpty == true)
        #expect(explanation["aliases"]?.elements?.compactMap(\.string) == [Self.krusty, Fixture.crusty])
        let text = ExplanationText(explanation, style: .plain).text
        #expect(text.contains("older    \(Fixture.crusty)  leads to the same content"))
        #expect(text.contains("matched  \(Fixture.crusty)  of the window clown-1 (prefers)"), "\(text)")
    }

    @Test("the owner is the app that owns any of the identifiers")
    func owner() throws {
        let fixture = try Fixture()
        var other = App(id: "example.other", name: "Other", location: Fixture.location)
        other.domains = [Located("other.example", at: Fixture.location)]
        try change(fixture) { store in
            _ = try store.move(id("urn:x:crusty"), to: id(Fixture.crusty)).get()
        }
        let explanation = try explain("urn:x:crusty", fixture, apps: [other, fixture.app])
        #expect(explanation["app"]?.string == fixture.app.id)
    }

    @Test("deleted content runs the app's handler, and opens no window")
    func deleted() throws {
        let fixture = try Fixture()
        fixture.manifests = Fixture.clownTown
        fixture.app.contentDeleted = Fixture.command(
            "sh", "-c", "printf '%s %s %s\\n' \"$1\" \"$2\" \"$3\" >> \"$HOME/gone\"", "-", "{original-target}",
            "{target}",
            "{error-code}")
        try fixture.dispatch([Fixture.push(Fixture.crusty)])
        try change(fixture) { store in
            _ = try store.move(id(Self.old), to: id(Fixture.crusty)).get()
            _ = try store.delete(content: id(Self.old), reason: "retired").get()
        }
        let record = try #require(try fixture.dispatch([Fixture.push(Self.old)]).first)
        #expect(record.summary("action", "reason", "outcome", "target") == "none content-deleted skipped \(Self.old)")
        #expect(record["resolved"]?.string == Fixture.crusty)
        #expect(record["error"]?["code"]?.string == "U2005")
        #expect(record["error"]?["message"]?.string?.hasSuffix(": retired") == true)
        #expect(record["handlers"]?.elements?.first?["verb"]?.string == "content-deleted")
        #expect(fixture.read("gone") == "\(Self.old) \(Fixture.crusty) U2005\n")
        #expect(try fixture.windows.windows().windows.count == 1)

        // What is kept of it tells the same.
        let store = try fixture.openStore(.readOnly)
        defer { store.close() }
        let delivery = try #require(try store.delivery(record["id"]?.string ?? ""))
        let kept = try #require(try StoredExplanation(of: delivery, in: store).json)
        for explanation in [try JSONValue(parsing: Array(kept.utf8)), try explain(Self.old, fixture)] {
            #expect(explanation["hops"]?.elements?.count == 1)
            #expect(explanation["tombstone"]?["identifier"]?.string == Fixture.crusty)
            #expect(explanation["tombstone"]?["reason"]?.string == "retired")
            #expect(explanation["tombstone"]?["made"]?.string?.hasSuffix("Z") == true)
            let text = ExplanationText(explanation, style: .plain).text
            #expect(text.contains("hop 1    \(Self.old) -> \(Fixture.crusty)  move 1, 20"))
            #expect(text.contains("deleted  \(Fixture.crusty)  "))
            #expect(!text.contains("fix the sender: send \(Fixture.crusty)"))
        }
        let text = ExplanationText(try explain(Self.old, fixture), style: .plain).text
        #expect(text.contains("would do: run sh -c"), "\(text)")
    }

    @Test("deleted content runs the content-deleted command of an app that notifies")
    func notifyingApp() throws {
        let fixture = try Fixture()
        fixture.app.deliver = .notify
        fixture.app.contentDeleted = Fixture.command("sh", "-c", "echo gone >> \"$HOME/gone\"")
        try change(fixture) { store in _ = try store.delete(content: id(Fixture.crusty)).get() }
        let record = try #require(try fixture.dispatch([Fixture.push(Fixture.crusty)]).first)
        #expect(record.summary("action", "reason") == "none content-deleted")
        #expect(fixture.read("gone") == "gone\n")
    }

    @Test("a deletion of content without an owner is reported, too")
    func deletedWithoutOwner() throws {
        let fixture = try Fixture()
        fixture.app.domains = []
        var other = fixture.app
        other.id = "example.other"
        try change(fixture) { store in _ = try store.delete(content: id(Self.old)).get() }
        let explanation = try explain(Self.old, fixture, apps: [fixture.app, other])
        #expect(explanation["decision"]?["reason"]?.string == "content-deleted")
    }

    @Test("the page that is opened is the one of today")
    func movedPage() throws {
        let fixture = try Fixture()
        fixture.app.scenes = []
        fixture.app.activityTypes = [Located("x", at: Fixture.location)]
        fixture.app.openWeb = Fixture.command("sh", "-c", "echo \"$1\" >> \"$HOME/pages\"", "-", "{url}")
        try change(fixture) { store in
            _ = try store.move(id("https://old.example/"), to: id("https://new.example/"), isPrefix: true).get()
        }
        let lines = [
            #"{"app":"\#(fixture.app.id)","url":"https://old.example/1"}"#,
            #"{"activityType":"x","targetContentIdentifier":"y","webpageURL":"https://old.example/2"}"#,
        ]
        let records = try fixture.dispatch(lines)
        #expect(records.map { $0.summary("action") } == ["open-web", "open-web"])
        // A browser is let run on: its line may come after its record.
        let pages = ["https://new.example/1", "https://new.example/2"]
        #expect(eventually { fixture.read("pages").split(separator: "\n").map(String.init).sorted() == pages })
    }

    @Test("a redirect of another process counts from the next request on")
    func madeMeanwhile() throws {
        let fixture = try Fixture()
        let store = try fixture.openStore()
        defer { store.close() }
        let engine = try fixture.engine(store)
        let seen = Mutex<[String?]>([])
        engine.observe { record in seen.withLock { $0.append(record.resolved) } }
        func send(_ id: String) throws {
            #expect(engine.submit([Daemon.arrival(Fixture.push(id))]))
            engine.waitUntilIdle()
        }
        try send(Fixture.crusty)
        try change(fixture) { other in _ = try other.move(id(Fixture.crusty), to: id(Self.krusty)).get() }
        try send(Fixture.crusty)
        try change(fixture) { other in _ = try other.restore(content: id(Fixture.crusty)).get() }
        try send(Fixture.crusty)
        #expect(seen.withLock { $0 } == [Fixture.crusty, Self.krusty, Fixture.crusty])
    }
}
