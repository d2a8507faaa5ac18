import Foundation
import Testing
import UsherJSON

/// `usher suggest` through its pipes.
struct SuggestTests {
    @Test func answersLineByLine() throws {
        try UsherProgram.run { usher throws in
            let lines = """
                {"id":1,"now":"2026-11-21T12:00:00Z","query":{"kind":"place"}}
                {"id":2,"now":"2026-11-21T12:00:00Z","query":{"kind":"text"}}

                """
            try usher.write(lines, to: "cases.jsonl")
            let ending = try usher("suggest", "--cases", usher.path("cases.jsonl"))
            #expect(
                ending.output == """
                    {"id":1,"results":[],"error":null}
                    {"id":2,"results":[],"error":{"name":"suggest.content-type"}}

                    """)
            #expect(ending.status == 1)
            #expect(ending.errors.contains("line 2"))
            #expect(try usher("suggest").status == 2)
        }
    }
}
