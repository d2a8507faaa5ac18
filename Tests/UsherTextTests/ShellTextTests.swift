import Foundation
import Testing
import UsherText

@Suite("ShellText")
struct ShellTextTests {
    @Test(
        "commands are written as a person would write them",
        arguments: [
            (["tmux", "select-window", "@3"], "tmux select-window @3"),
            (["x", "a b", ""], "x 'a b' ''"),
            (["sh", "-c", #"printf '%s' "$1""#, "--"], #"sh -c 'printf '\''%s'\'' "$1"' --"#),
            (["A=b", "A=b"], "'A=b' A=b"),
            (["x", "{session}", "{a,b}", "{1..3}", "#no"], "x {session} '{a,b}' '{1..3}' '#no'"),
            (["x", "a\nb'c\\\u{1B}\u{202E}é"], #"x $'a\nb\'c\\\033\342\200\256é'"#),
        ])
    func text(words: [String], expected: String) {
        #expect(ShellText.command(words) == expected)
    }

    @Test("what is cut says so")
    func limit() {
        #expect(ShellText.command(["abcd", "efgh"], limit: 9) == "abcd efgh")
        #expect(ShellText.command(["abcd", "efgh"], limit: 8) == "abcd efg…")
        #expect(ShellText.command(["abcd", "efgh"], limit: 4) == "abcd ''…")
        #expect(ShellText.command(["abcd", "e f gh"], limit: 8) == "abcd 'e f'…")
    }

    @Test("a shell reads the same words", arguments: ["/bin/sh", "/bin/bash"])
    func pasted(shell: String) throws {
        guard FileManager.default.isExecutableFile(atPath: shell) else { return }
        var words = [
            "", " ", "it's", "''", "\\", "a\\'b", "$HOME `id` $(id)", "*", "~", "{a,b}", "#x", "!x", "é\u{301}", "-n",
        ]
        // Only a shell of 2024's standard reads $'…'; Debian's dash does not yet.
        if shell == "/bin/bash" { words += ["a\nb", "\u{1B}[2J", "\u{7}1", "\u{85}\u{2028}\u{202E}'", "\\\n'"] }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = ["-c", ShellText.command(["printf", #"%s\0"#] + words)]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let read = data.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
        #expect(read == words.map { Array($0.utf8) })
    }
}
