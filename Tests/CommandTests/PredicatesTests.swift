import Foundation
import Testing
import UsherJSON

/// `usher predicate …` through its pipes.
struct PredicatesTests {
    @Test func everyVector() throws {
        let text = try String(contentsOfFile: UsherProgram.fixtures + "/predicates.jsonl", encoding: .utf8)
        let vectors = text.split(separator: "\n")
        #expect(vectors.count > 400)
        try UsherProgram.run { usher throws in
            let ending = try usher("predicate", "eval", input: text)
            #expect(ending.status == 1)
            let answers = ending.lines
            #expect(answers.count == vectors.count)
            for (vector, answer) in zip(vectors, answers) {
                let (given, got) = (
                    try JSONValue(parsing: Array(vector.utf8)), try JSONValue(parsing: Array(answer.utf8))
                )
                let id = given["id"]?.string ?? "?"
                #expect(got["id"]?.string == id)
                #expect(got["result"] == given["expect"], "\(id)")
                if let canonical = given["canonical"] { #expect(got["canonical"] == canonical, "\(id)") }
                #expect((got["error"]?.kind == .null) == (got["result"]?.kind == .boolean), "\(id)")
            }
        }
    }

    struct Line: CustomTestStringConvertible {
        var input: String
        var output: String
        var status: Int32
        var testDescription: String { input }
    }

    static let lines = [
        Line(
            input: #"{"format":"SELF == 'x'","self":"x"}"#,
            output: #"{"format":"SELF == 'x'","self":"x","result":true,"canonical":"SELF == \"x\"","error":null}"#,
            status: 0),
        Line(
            input: #"{"b":1.50,"result":7,"format":"SELF == nil","a":[{"x":null}]}"#,
            output:
                #"{"b":1.50,"result":true,"format":"SELF == nil","a":[{"x":null}],"canonical":"SELF == nil","error":null}"#,
            status: 0),
        Line(
            input: #"{"error":"old","canonical":"old","format":"FALSEPREDICATE","self":null}"#,
            output:
                #"{"error":null,"canonical":"FALSEPREDICATE","format":"FALSEPREDICATE","self":null,"result":false}"#,
            status: 0),
    ]

    @Test(arguments: lines)
    func otherMembersStay(_ line: Line) throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("predicate", "eval", input: line.input)
            #expect(ending.output == line.output + "\n")
            #expect(ending.status == line.status)
        }
    }

    static let unusable = [
        ("{", "json.syntax"), ("[]", "json.type"), ("{}", "format.missing"), (#"{"format":1}"#, "format.type"),
        (#"{"format":"TRUEPREDICATE","self":1}"#, "self.type"), (#"{"format":"a","format":"b"}"#, "json.duplicate-key"),
        ("\u{FEFF}{}", "json.bom"),
    ]

    @Test(arguments: unusable)
    func unusableLineIsAnErrorAndTheStreamGoesOn(_ line: String, _ name: String) throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("predicate", "eval", input: line + "\n\r\n" + #"{"format":"TRUEPREDICATE"}"#)
            #expect(ending.status == 1)
            #expect(ending.lines.count == 2)
            let answer = try JSONValue(parsing: Array((ending.lines.first ?? "").utf8))
            #expect(answer["result"]?.kind == .null)
            #expect(answer["error"]?["name"]?.string == name)
            #expect(ending.lines.last?.contains(#""result":true"#) == true)
        }
    }

    @Test func overlongLineTakesNoMemory() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher.shell(
                "{ head -c 100000000 /dev/zero; echo; echo '{\"format\":\"TRUEPREDICATE\"}'; } | "
                    + "{ ulimit -v 400000; usher predicate eval; }")
            #expect(ending.lines.count == 2)
            #expect(ending.lines.first?.contains(#""name":"size.line-too-long""#) == true)
            #expect(ending.lines.last?.contains(#""result":true"#) == true)
        }
    }

    @Test func onePredicate() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("predicate", "eval", "SELF == nil", "--null").json()["result"]?.boolean == true)
            #expect(try usher("predicate", "eval", "SELF == nil", "--self", "").json()["result"]?.boolean == false)
            let wrong = try usher("predicate", "eval", "SELF", "--self", "x")
            #expect(wrong.status == 1)
            #expect(wrong.json()["result"]?.string == "parse-error")
        }
    }

    @Test func canonicalText() throws {
        try UsherProgram.run { usher throws in
            let one = try usher("predicate", "print", "self beginswith[cd] 'x'")
            #expect(one.status == 0)
            #expect(one.json()["canonical"]?.string == "SELF BEGINSWITH[cd] \"x\"")
            let several = try usher("predicate", "print", "TRUEPREDICATE", "SELF ==", "SELF == $TARGET")
            #expect(several.status == 1)
            #expect(
                several.json().elements?.map { $0["canonical"]?.string } == ["TRUEPREDICATE", nil, "SELF == $TARGET"])
            #expect(several.json().elements?[1]["error"]?["offset"]?.int64 == 7)
        }
    }
}
