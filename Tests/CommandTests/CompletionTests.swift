import Foundation
import Testing

/// The scripts for shells: bash's really completes.
struct CompletionTests {
    struct Case: CustomTestStringConvertible {
        var line: String
        var expected: [String]
        var absent: [String] = []
        var testDescription: String { "\"\(line)\"" }
    }

    static let cases = [
        Case(line: "usher disp", expected: ["dispatch"], absent: ["deliveries"]),
        Case(line: "usher ", expected: ["scene", "deliveries", "completion"]),
        Case(line: "usher scene co", expected: ["connect"], absent: ["close"]),
        Case(line: "usher scene connect --pre", expected: ["--prefers"]),
        Case(line: "usher --state x scene ", expected: ["list", "connect", "update"]),
        Case(line: "usher check --format ", expected: ["text", "json", "junit", "github"], absent: ["apns"]),
        Case(line: "usher deliveries list --only fa", expected: ["failed"]),
        Case(line: "usher scene connect --log-level w", expected: ["warning"]),
        Case(line: "usher dispatch pay", expected: ["payloads.jsonl"]),
        Case(line: "usher --vers", expected: ["--version"]),
    ]

    @Test(arguments: cases)
    func bashCompletes(_ one: Case) throws {
        try UsherProgram.run { usher throws in
            try usher.write("", to: "payloads.jsonl")
            try usher.write(
                """
                source <(usher completion bash)
                line='\(one.line)'
                COMP_WORDS=($line)
                [[ $line == *' ' ]] && COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _usher
                printf '%s\\n' "${COMPREPLY[@]}"
                """, to: "complete.sh")
            let ending = try usher.shell("bash complete.sh")
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(ending.errors.isEmpty)
            for word in one.expected { #expect(ending.lines.contains(word), "\(ending.lines)") }
            for word in one.absent { #expect(!ending.lines.contains(word), "\(ending.lines)") }
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func everyCommandIsInTheScript(_ shell: String) throws {
        try UsherProgram.run { usher throws in
            let script = try usher("completion", shell).output
            for command in HelpTests.commands.flatMap(\.self) { #expect(script.contains(command), "\(command)") }
        }
    }

    @Test func otherShellIsNamed() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("completion", "bsh")
            #expect(ending.status == 2)
            #expect(ending.errors.contains("did you mean bash?"))
        }
    }
}
