import Foundation
import Glibc
import TestSupport
import Testing
import UsherJSON

@Suite("usher agent")
struct AgentsTests {
    private static let settings = """
        // mine
        {
        \t"model": "opus", /* "hooks": { */
        \t"hooks": {
        \t\t"Stop": [
        \t\t\t{"hooks": [{"type": "command", "command": "true"}]}
        \t\t]
        \t}
        }
        """.replacingOccurrences(of: "\n", with: "\r\n")

    private func state(_ usher: UsherProgram, _ agent: String) throws -> JSONValue {
        try #require(usher("agent", "status", agent).json().elements?.first)
    }

    @Test("install inserts, remove restores every byte; links and modes stay")
    func bytewise() throws {
        try UsherProgram.run { usher in
            try usher.write(Self.settings, to: "dotfiles/claude.json")
            try FileManager.default.createDirectory(atPath: usher.path(".claude"), withIntermediateDirectories: true)
            let link = usher.path(".claude/settings.json")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../dotfiles/claude.json")
            chmod(usher.path("dotfiles/claude.json"), 0o640)
            #expect(try state(usher, "claude")["state"]?.string == "absent")
            let ending = try usher("agent", "install", "claude")
            #expect(ending.status == 0 && ending.json()["state"]?.string == "installed", "\(ending.errors)")
            #expect(ending.json()["events"]?.elements?.count == 10)
            let after = usher.text("dotfiles/claude.json")
            #expect(after.contains("/usher agent event --agent claude"))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../dotfiles/claude.json")
            var status = stat()
            #expect(stat(usher.path("dotfiles/claude.json"), &status) == 0 && status.st_mode & 0o777 == 0o640)
            // The state has no copy of the settings.
            #expect(!usher.text("state/usher/agent-claude.json").contains("opus"))

            #expect(try usher("agent", "install", "claude").status == 0)
            #expect(usher.text("dotfiles/claude.json") == after)
            // A path of another usher is corrected, and the bytes from before are still known.
            try Program.copy(Repository.products + "/usher", to: usher.path("it's another usher"))
            let moved = try usher.shell("\"./it's another usher\" agent install claude")
            #expect(moved.status == 0, "\(moved.errors)")
            #expect(usher.text("dotfiles/claude.json").contains(#"it'\\''s another usher' agent event"#))
            #expect(try state(usher, "claude")["state"]?.string == "outdated")

            #expect(try usher("agent", "remove", "claude").status == 0)
            #expect(usher.text("dotfiles/claude.json") == Self.settings)
            #expect(stat(usher.path("dotfiles/claude.json"), &status) == 0 && status.st_mode & 0o777 == 0o640)
            let again = try usher("agent", "remove", "claude")
            #expect(again.status == 0 && again.errors.contains("nothing to remove"))
        }
    }

    @Test("an installation or a removal that was interrupted loses nothing")
    func interrupted() throws {
        try UsherProgram.run { usher in
            let (settings, record) = (".claude/settings.json", "state/usher/agent-claude.json")
            // What a removal by the elements alone would not restore.
            let before = "{\"hooks\":{ \"Stop\" : [ ] }\n}"
            try usher.write(before, to: settings)
            _ = try usher("agent", "install", "claude")
            let first = usher.text(settings)
            try Program.copy(Repository.products + "/usher", to: usher.path("another"))
            #expect(try usher.shell("./another agent install claude").status == 0)
            #expect(usher.text(settings) != first)
            try usher.write(first, to: settings)
            #expect(try usher("agent", "remove", "claude").status == 0)
            #expect(usher.text(settings) == before)

            // The record outlives the removal of a new file, which is another's now.
            _ = try usher.shell("rm -r .claude")
            _ = try usher("agent", "install", "claude")
            let kept = usher.text(record)
            #expect(try usher("agent", "remove", "claude").status == 0 && !usher.exists(settings))
            try usher.write(kept, to: record)
            try usher.write("{}", to: settings)
            #expect(try usher("agent", "remove", "claude").status == 0)
            #expect(usher.text(settings) == "{}" && !usher.exists(record))
        }
    }

    @Test("the hook of a request may wait as long as the settings say, and ten seconds")
    func time() throws {
        try UsherProgram.run { usher in
            func timeout(_ agent: String, _ file: String, _ event: String) throws -> JSONValue? {
                #expect(try usher("agent", "install", agent).status == 0)
                let hooks = try JSONValue(parsing: Array(usher.text(file).utf8))["hooks"]?[event]?.elements?.first
                #expect(try usher("agent", "remove", agent).status == 0)
                return hooks?["hooks"]?.elements?.first?["timeout"] ?? hooks?["timeoutSec"]
            }
            #expect(try timeout("claude", ".claude/settings.json", "PermissionRequest")?.int64 == 600)
            #expect(try timeout("claude", ".claude/settings.json", "Stop")?.int64 == 10)
            try usher.write(
                "[agents]\nanswer = \"1m\"\n[agents.codex]\nanswer = \"0s\"\n", to: "config/usher/usher.toml")
            #expect(try timeout("claude", ".claude/settings.json", "PermissionRequest")?.int64 == 70)
            #expect(try timeout("codex", ".codex/hooks.json", "PermissionRequest")?.int64 == 10)
            #expect(try timeout("copilot", ".copilot/hooks/usher.json", "permissionRequest")?.int64 == 70)
            for wrong in [
                "[agents]\nanswer = \"11m\"", "[agents.codx]\nanswer = \"0s\"", "[agents.codex]\nshow = \"name\"",
            ] {
                try usher.write(wrong, to: "config/usher/usher.toml")
                #expect(try usher("agent", "install", "claude").status == 2 && !usher.exists(".claude"), "\(wrong)")
            }
        }
    }

    @Test("after an edit only Usher's elements go")
    func edited() throws {
        try UsherProgram.run { usher in
            try usher.write(Self.settings, to: ".claude/settings.json")
            _ = try usher("agent", "install", "claude")
            let edited = usher.text(".claude/settings.json").replacingOccurrences(of: "opus", with: "haiku")
            try usher.write(edited, to: ".claude/settings.json")
            #expect(try usher("agent", "install", "claude").status == 0)
            #expect(usher.text(".claude/settings.json") == edited)
            #expect(try usher("agent", "remove", "claude").status == 0)
            #expect(
                usher.text(".claude/settings.json")
                    == Self.settings.replacingOccurrences(of: "opus", with: "haiku"))
        }
    }

    @Test(
        "what was not there is not there after remove",
        arguments: [
            ("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json"), ("gemini", ".gemini/settings.json"),
            ("copilot", ".copilot/hooks/usher.json"), ("opencode", "config/opencode/plugins/usher.js"),
        ])
    func nothingIsLeft(_ agent: String, _ file: String) throws {
        try UsherProgram.run { usher in
            let ending = try usher("agent", "install", agent)
            #expect(ending.status == 0 && ending.json()["file"]?.string == usher.path(file), "\(ending.errors)")
            #expect(usher.exists(file) && ending.json()["state"]?.string == "installed")
            #expect(ending.errors.contains("/hooks") == (agent == "codex"))
            let note = try state(usher, agent)["note"]?.string
            #expect((note != nil) == (agent == "codex"))
            #expect(try usher("agent", "install", agent).status == 0)
            #expect(try usher("agent", "remove", agent).status == 0)
            #expect(!usher.exists(String(file.prefix { $0 != "/" })))
            // A folder with something else in it stays.
            _ = try usher("agent", "install", agent)
            try usher.write("x", to: String(file.prefix { $0 != "/" }) + "/other")
            #expect(try usher("agent", "remove", agent).status == 0)
            #expect(!usher.exists(file) && usher.exists(String(file.prefix { $0 != "/" }) + "/other"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: usher.path("state/usher")).isEmpty)
        }
    }

    @Test func ownFilesOfOthersAreLeftAlone() throws {
        try UsherProgram.run { usher in
            for (agent, file) in [
                ("copilot", ".copilot/hooks/usher.json"), ("opencode", "config/opencode/plugins/usher.js"),
            ] {
                try usher.write("{}", to: file)
                let refused = try usher("agent", "install", agent)
                #expect(refused.status == 2 && refused.errors.contains("agent.settings-foreign]"))
                #expect(try usher("agent", "remove", agent).status == 0)
                #expect(usher.text(file) == "{}")
            }
        }
    }

    @Test func foldersThatAVariableNames() throws {
        try UsherProgram.run { usher in
            var usher = usher
            usher.environment["CLAUDE_CONFIG_DIR"] = usher.path("there")
            _ = try usher("agent", "install", "claude")
            #expect(usher.exists("there/settings.json") && !usher.exists(".claude"))
            // A link that leads to nothing yet is followed.
            usher.environment["CODEX_HOME"] = usher.path("codex")
            try FileManager.default.createDirectory(atPath: usher.path("codex"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: usher.path("codex/hooks.json"), withDestinationPath: "../far/hooks.json")
            #expect(try usher("agent", "install", "codex").status == 0)
            #expect(usher.exists("far/hooks.json"))
            #expect(try usher("agent", "remove", "codex").status == 0)
            #expect(!usher.exists("far"))
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: usher.path("codex/hooks.json"))
            #expect(link == "../far/hooks.json")
        }
    }

    @Test(
        "settings that are not understood are refused, and nothing changes",
        arguments: [
            ("{\n  \"a\": }\n", "agent.settings-syntax", "settings.json:2:8: "),
            ("{\"hooks\": []}", "agent.settings-shape", "hooks is no object"),
            ("{\"hooks\": {\"Stop\": 1}}", "agent.settings-shape", "hooks.Stop is no array"),
        ])
    func refusals(_ text: String, _ code: String, _ words: String) throws {
        try UsherProgram.run { usher in
            try usher.write(text, to: ".claude/settings.json")
            for command in ["install", "remove"] {
                let refused = try usher("agent", command, "claude")
                #expect(refused.status == 2 && refused.errors.contains(" \(code)]"), "\(refused.errors)")
                #expect(refused.errors.contains(words))
            }
            #expect(usher.text(".claude/settings.json") == text && !usher.exists("state/usher/agent-claude.json"))
            let listed = try usher("agent", "status")
            #expect(listed.status == 0 && listed.json().elements?.count == 5)
            #expect(listed.json().elements?.first?["note"]?.string?.contains(words) == true)
        }
    }

    @Test func whatMayNotBeWritten() throws {
        try UsherProgram.run { usher in
            try usher.write("{}", to: ".claude/settings.json")
            chmod(usher.path(".claude/settings.json"), 0o440)
            let refused = try usher("agent", "install", "claude")
            #expect(refused.status == 2 && refused.errors.contains(" agent.settings-read-only]"), "\(refused.errors)")
            #expect(usher.text(".claude/settings.json") == "{}")
            chmod(usher.path(".claude/settings.json"), 0o640)
            #expect(try usher("agent", "install", "claude").status == 0)
            let unknown = try usher("agent", "install", "clade")
            #expect(unknown.status == 2 && unknown.errors.contains(" agent.unknown-agent]"))
            #expect(unknown.errors.contains("did you mean claude?"))
        }
    }
}
