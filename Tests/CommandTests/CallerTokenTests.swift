import Foundation
import TestSupport
import Testing

/// The activation token of the caller of `usher`, where no daemon runs: for the program that it launches, and no other.
struct CallerTokenTests {
    private static func with(_ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { usher in
            var usher = usher
            let write = #"echo \"$DESKTOP_STARTUP_ID $XDG_ACTIVATION_TOKEN\" >\"$HOME/$0\""#
            try usher.write(
                """
                id = "example.own"
                domains = ["own.example"]

                [handlers]
                background = { exec = ["sh", "-c", "\(write)", "background"] }

                [[scenes]]
                name = "main"
                launch = { exec = ["sh", "-c", "\(write)", "launched"] }
                show = { exec = ["sh", "-c", "\(write)", "shown"] }
                """, to: "config/usher/apps/own.toml")
            usher.environment["DESKTOP_STARTUP_ID"] = "launcher-7_TIME1"
            usher.environment["XDG_ACTIVATION_TOKEN"] = "launcher-7_TIME1"
            try body(usher)
        }
    }

    private static func text(_ name: String, _ usher: UsherProgram) -> String {
        _ = eventually { usher.text(name).hasSuffix("\n") }
        return usher.text(name)
    }

    @Test(arguments: [["open", "https://own.example/1"], ["dispatch", "-"]])
    func launchedProgramHasIt(_ arguments: [String]) throws {
        try Self.with { usher in
            // What opens no window leaves it to what does.
            let lines = """
                {"aps":{"content-available":1,"target-content-id":"https://own.example/1"}}
                {"url":"https://own.example/1"}
                """
            let ending = try usher.run(arguments, input: Data(lines.utf8))
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(Self.text("launched", usher) == "launcher-7_TIME1 launcher-7_TIME1\n")
            #expect(Self.text("shown", usher) == " \n")
            if arguments[0] == "dispatch" { #expect(Self.text("background", usher) == " \n") }
            #expect(!(ending.output + ending.errors).contains("launcher-7"))
            #expect(try !usher("deliveries", "list").output.contains("launcher-7"))
        }
    }

    @Test func editorHasNone() throws {
        try Self.with { usher in
            var usher = usher
            try usher.writeProgram("#!/bin/sh\nenv >\"$HOME/editor\"\necho done >>\"$HOME/editor\"\n", to: "bin/edit")
            usher.environment["EDITOR"] = usher.path("bin/edit")
            let note = try usher("note", "new", "text").output.split(separator: "\n").first.map(String.init) ?? ""
            _ = try usher("note", "edit", note)
            let text = Self.text("editor", usher)
            #expect(!text.contains("STARTUP_ID") && !text.contains("ACTIVATION_TOKEN"))
        }
    }
}
