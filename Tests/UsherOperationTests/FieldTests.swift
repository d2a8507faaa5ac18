import Testing
import UsherJSON
import UsherScene

@testable import UsherOperation

/// Members of requests, described by fields.
struct FieldTests {
    struct Inner: Sendable {
        var way: String?
        var count = 1

        static let fields: [Field<Inner>] = [
            Field("way", \.way, oneOf: ["in", "out"], "where to"), Field("count", \.count, in: 1...9, "how many"),
        ]
    }

    struct Outer: Sendable {
        var inner = Inner()
    }

    @Test("what a nested value may not have is refused, as in one that stands alone")
    func nestedChecks() {
        let fields = Inner.fields.map { $0.within(\Outer.inner) }
        func failure(_ inner: Inner) -> ControlError? {
            do throws(ControlError) {
                for field in fields { try field.check(Outer(inner: inner), "/outer") }
                return nil
            } catch {
                return error
            }
        }
        #expect(failure(Inner(way: "in", count: 9)) == nil)
        #expect(failure(Inner(way: "up"))?.at == "/outer/way")
        #expect(failure(Inner(count: 10))?.at == "/outer/count")
    }

    @Test("a nested member is read, resolved and written where it stands")
    func nestedMembers() throws {
        struct Named: Sendable {
            var note: String?
            static let field = Field<Named>("note", \.note, "a note", identifies: .note)
        }
        struct Holder: Sendable { var named = Named() }
        let field = Named.field.within(\Holder.named)
        var holder = Holder()
        let value = JSONValue.object([.init("note", "abcd")])
        try field.read(MemberReader(value, at: "", allowed: ["note"]), &holder)
        #expect(holder.named.note == "abcd")
        try field.resolve?(&holder) { (text, _, place) in
            #expect(place == "/note")
            return text + "-whole"
        }
        var json = JSONWriter()
        json.beginObject()
        field.write(holder, &json)
        json.endObject()
        #expect(json.text == #"{"note":"abcd-whole"}"#)
    }

    @Test("the pointer to an unknown member is escaped (RFC 6901, 3)")
    func unknownMember() {
        let value = JSONValue.object([.init("a/b~c", .null)])
        let error = #expect(throws: ControlError.self) {
            try MemberReader(value, at: "/content", allowed: ["name"])
        }
        #expect(error?.at == "/content/a~1b~0c")
    }
}
