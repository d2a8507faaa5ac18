import EngineTestSupport
import Testing
import UsherEngine
import UsherJSON
import UsherNotes
import UsherOperation
import UsherScene
import UsherStore

@testable import UsherFeatures

/// Ids that are given short, and changes that are taken back, through the service of the socket and of HTTP.
struct ShortIdentifiersTests {
    private let fixture: ContentFixture
    private let service: OperationContext

    init() throws {
        fixture = try ContentFixture()
        service = fixture.service()
    }

    private func call(_ name: String, _ arguments: JSONValue) throws -> JSONValue {
        let call = try OperationTable.usher.call(name, arguments, at: "")
        return try JSONValue(parsing: try service.answer(call))
    }

    @Test("an id is found by its beginning wherever one is taken") func beginnings() throws {
        let made = try call("note.new", ["text": "one", "links": ["u:a", "u:b"]])
        let note = try #require(made["note"]?["id"]?.string)
        // The only note: four characters do.
        let short = String(note.prefix(4)).uppercased()
        #expect(made["note"]?["short"]?.string == String(note.prefix(4)))
        #expect(try call("note.show", ["note": .string(short)])["id"]?.string == note)
        #expect(try call("note.show", ["note": .string("usher-note:" + short)])["id"]?.string == note)
        #expect(try call("link.list", ["note": .string(short)]).elements?.count == 2)
        #expect(try call("note.aside", ["note": .string(short)])["note"]?["state"]?.string == "aside")
        let links = try call("link.list", [:]).elements ?? []
        let (id, begin) = (links[0]["id"]?.string ?? "", links[0]["short"]?.string ?? "")
        #expect(id.hasPrefix(begin) && begin.count > 4)
        #expect(try call("link.list", ["before": .string(begin)]).elements?.count == 1)
        #expect(try call("link.remove", ["link": .string(begin)])["link"]?["id"]?.string == id)
    }

    @Test("the beginning of several is an error at its place, and nothing is done") func several() throws {
        for text in ["one", "two"] { _ = try call("note.new", ["text": .string(text)]) }
        let ids = try call("note.list", [:]).elements?.compactMap { $0["id"]?.string } ?? []
        let short = String(ids[0].prefix(4))
        let error = try #require(throws: ControlError.self) { _ = try call("note.delete", ["note": .string(short)]) }
        #expect(error.code == .idAmbiguous && error.at == "/note" && error.status == .usage)
        #expect(ids.count == 2 && ids.allSatisfy { error.message.contains($0) })
        #expect(try call("note.list", [:]).elements?.count == 2)
        // Rows are the command line's business.
        let row = try #require(throws: ControlError.self) { _ = try call("note.show", ["note": "1"]) }
        #expect(row.code == .noteUnknown)
        let drop = try #require(throws: ControlError.self) { _ = try call("deliveries.drop", ["deliveries": ["0199"]]) }
        #expect(drop.code == .controlNoDelivery)
    }

    @Test("what was removed is taken back") func undo() throws {
        let note = try #require(try call("note.new", ["text": "one", "links": ["u:a"]])["note"]?["id"]?.string)
        _ = try call("link.move", ["from": "u:a", "to": "u:b"])
        _ = try call("note.delete", ["note": .string(note)])
        let list = try call("undo.list", ["limit": 5]).elements ?? []
        #expect(list.map { $0["operation"]?.string } == ["note delete", "content moved"])
        #expect(try call("undo.last", [:]) == list[0])
        let other = try call("note.new", ["text": "in progress"])
        #expect(other["note"]?["state"]?.string == "current")
        #expect(try call("undo.last", [:]) == list[1])
        #expect(try call("link.redirects", [:])["total"]?.int64 == 0)
        let error = try #require(throws: ControlError.self) { _ = try call("undo.last", [:]) }
        #expect(error.code == .undoNothing && error.status == .finding)
    }
}
