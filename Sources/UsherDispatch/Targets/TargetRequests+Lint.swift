internal import UsherJSON
internal import UsherLog
public import UsherPayload
internal import UsherScene
internal import UsherTarget

extension TargetRequests {
    /// Judges an identifier: `{"id"}`, or the bare string.
    ///
    /// The answer has `findings`, each with `code`, `name`, `found`, `message` and `suggestion`: see ``TargetLint``. A line
    /// that cannot be judged has `error` besides.
    public func lint(_ line: [UInt8]) -> Answer {
        var members: [JSONValue.Member] = []
        do throws(TargetProblem) {
            members = try Self.members(of: line)
            guard let identifier = try Self.text("id", of: members) else { throw .member("id", "the line has no id") }
            return Self.answer(members, TargetLint.findings(in: identifier))
        } catch {
            return Self.refuse(error, members)
        }
    }

    /// The same for an identifier that is not JSON.
    public func lint(identifier: String) -> Answer {
        Self.answer([.init("id", .string(identifier))], TargetLint.findings(in: identifier))
    }

    /// A line that could not be read at all.
    public func refusedLint(_ error: PayloadError) -> Answer { Self.refuse(TargetProblem(error), []) }

    private static func answer(_ members: [JSONValue.Member], _ findings: [LintFinding]) -> Answer {
        answer(members, hasFinding: !findings.isEmpty, ["findings": { write(findings, to: &$0) }])
    }

    private static func refuse(_ problem: TargetProblem, _ members: [JSONValue.Member]) -> Answer {
        answer(
            members, hasFinding: true, problem: problem,
            ["findings": { write([], to: &$0) }, "error": { problem.diagnostic.write(to: &$0) }])
    }

    private static func write(_ findings: [LintFinding], to json: inout JSONWriter) {
        json.beginArray()
        for finding in findings {
            json.beginObject()
            json.member("code", finding.code.number)
            json.member("name", finding.code.rawValue)
            json.member("found", finding.found)
            json.member("message", finding.message)
            json.member("suggestion", finding.suggestion)
            json.endObject()
        }
        json.endArray()
    }
}
