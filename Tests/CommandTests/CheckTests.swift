import Foundation
import FoundationXML
import Testing
import UsherJSON

/// `usher init` and `usher check`.
struct CheckTests {
    @Test func firstConfigurationIsRight() throws {
        try UsherProgram.run { usher throws in
            let written = try usher("init")
            #expect(written.status == 0)
            #expect(written.json()["written"]?.elements?.count ?? 0 > 0)
            #expect(usher.exists("config/usher/usher.toml"))
            let checked = try usher("check")
            #expect(checked.status == 0, "\(checked.output)")
            #expect(checked.json()["ok"]?.boolean == true)
            let tests = checked.json()["expectations"]?.elements ?? []
            #expect(!tests.isEmpty)
            #expect(tests.allSatisfy { $0["passed"]?.boolean == true })
            #expect(!usher.exists("state"))
        }
    }

    @Test func whatThisMachineDoesNotHaveIsAWarning() throws {
        try UsherProgram.run { usher in
            var usher = usher
            usher.environment["XDG_DATA_HOME"] = usher.folder + "/data"
            usher.environment["XDG_DATA_DIRS"] = usher.folder + "/shared"
            func entry(_ name: String, _ more: String = "") throws {
                try usher.write(
                    "[Desktop Entry]\nType=Application\nName=E\nExec=true %U\n" + more,
                    to: "data/applications/\(name).desktop")
            }
            try entry("there", "Actions=new;\n[Desktop Action new]\nName=New\nExec=true\n")
            try entry("empty", "TryExec=/nowhere/program\n")
            let launches = [
                ("fine", #"{ desktop = ["there", "{target}"], action = "new" }"#),
                ("absent", #"{ desktop = ["org.example.Absent"] }"#),
                ("mistyped", #"{ desktop = ["tehre.desktop"] }"#),
                ("action", #"{ desktop = ["there"], action = "old" }"#),
                ("program", #"{ desktop = ["empty"] }"#),
                // Cannot be checked: there is no session bus.
                ("bus", #"{ dbus = ["org.example.Bus"] }"#),
            ]
            try usher.write(
                "id = \"example.own\"\n"
                    + launches.map { "[[scenes]]\nname = \"\($0.0)\"\nlaunch = \($0.1)\n" }.joined(),
                to: "config/usher/apps/own.toml")
            let checked = try usher("check")
            #expect(checked.status == 0, "\(checked.output) \(checked.errors)")
            let findings = (checked.json()["findings"]?.elements ?? [])
                .filter { $0["name"]?.string == "command.not-found" }
            #expect(findings.allSatisfy { $0["severity"]?.string == "warning" })
            #expect(findings.compactMap { $0["line"]?.int64 } == [7, 10, 13, 16], "\(checked.output)")
            let messages = findings.compactMap { $0["message"]?.string }
            #expect(messages.count == 4, "\(checked.output)")
            for (message, text) in zip(messages, ["org.example.Absent", "tehre.desktop", "no action old", "TryExec"]) {
                #expect(message.contains(text), "\(message)")
            }
            let text = try usher("check", "--format", "text").output
            #expect(text.contains("launch = { desktop = [\"org.example.Absent\"] }"), "\(text)")
            #expect(text.contains("help: entries are looked for in"), "\(text)")
            #expect(text.contains("did you mean there.desktop? entries are looked for in"), "\(text)")
        }
    }

    @Test func initReplacesNothing() throws {
        try UsherProgram.run { usher throws in
            try usher.write("id = \"example.mine\"\n", to: "mine/apps/mine.toml")
            let other = try usher("init", "--config", "mine")
            #expect(other.status == 2)
            #expect(other.errors.contains("mine/apps/mine.toml"))
            #expect(!usher.exists("mine/usher.toml"))
            #expect(try usher("init").status == 0)
            let again = try usher("init")
            #expect(again.status == 2)
            #expect(again.errors.contains("usher.toml is there already"))
        }
    }

    @Test func sampleConfigurationIsRight() throws {
        try UsherProgram.run { usher throws in
            try FileManager.default.copyItem(atPath: UsherProgram.sampleConfiguration, toPath: usher.path("sample"))
            func check() throws -> UsherProgram.Ending { try usher("check", "--config", "sample") }
            // The files with the secrets of its hooks are missing.
            let without = try check()
            #expect(without.status == 0)
            let findings = without.json()["findings"]?.elements ?? []
            #expect(findings.allSatisfy { $0["name"]?.string == "settings.secret-file" }, "\(without.output)")
            let files = Set(
                findings.compactMap { $0["message"]?.string?.split(separator: " ").first { $0.hasSuffix(".secret") } })
            #expect(!files.isEmpty)
            for file in files {
                #expect(
                    FileManager.default.createFile(
                        atPath: String(file), contents: Data("s\n".utf8), attributes: [.posixPermissions: 0o600]))
            }
            let ending = try check()
            #expect(ending.status == 0, "\(ending.output)")
        }
    }

    @Test func secretsThatCannotBeUsed() throws {
        try UsherProgram.run { usher throws in
            let hooks = ["missing", "empty", "folder", "open", "fine"]
            try usher.write(
                "[server]\ntoken-file = \"tokens\"\n"
                    + hooks.map {
                        "[hooks.\($0)]\ntitle = \"x\"\nsignature = { scheme = \"bearer\", secret-file = \"\($0).secret\" }\n"
                    }.joined(), to: "config/usher/usher.toml")
            try usher.write("id = \"example.own\"\n", to: "config/usher/apps/own.toml")
            for (name, text) in [("empty", " \n"), ("folder", ""), ("open", "s\n"), ("fine", "s\n")] {
                let path = "config/usher/\(name).secret"
                if name == "folder" { try usher.write("", to: path + "/x") } else { try usher.write(text, to: path) }
                chmod(usher.path(path), name == "open" ? 0o640 : name == "folder" ? 0o700 : 0o600)
            }
            let checked = try usher("check")
            #expect(checked.status == 1)
            let findings = (checked.json()["findings"]?.elements ?? []).filter { $0["code"]?.string == "U5704" }
            let lines = findings.map { finding in
                let message = (finding["message"]?.string ?? "").replacing(/\/\S*config\/usher/, with: "CONFIG")
                return "\(finding["line"]?.int64 ?? 0) \(finding["severity"]?.string ?? ""): \(message)"
            }
            #expect(
                lines == [
                    "1 error: usherd does not start: CONFIG/tokens cannot be used: No such file or directory",
                    "3 warning: the hook missing refuses every request: CONFIG/missing.secret cannot be used: No such file or directory",
                    "6 warning: the hook empty refuses every request: CONFIG/empty.secret cannot be used: there is no secret in it",
                    "9 warning: the hook folder refuses every request: CONFIG/folder.secret cannot be used: it is not a file",
                    "12 warning: other users can use the secrets in CONFIG/open.secret",
                ])
        }
    }

    @Test func annotationsHaveNoControlCharacters() throws {
        try UsherProgram.run { usher throws in
            try usher.write("id = \"example.own\"\n\"a\\u001B[31m\\u202Eb%\" = 1\n", to: "config/usher/apps/own.toml")
            for form in ["github", "junit", "text", "json"] {
                let output = try usher("check", "--format", form).output
                let raw = output.unicodeScalars.filter {
                    $0 != "\n"
                        && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value) || (0x202A...0x202E).contains($0.value))
                }
                #expect(raw.isEmpty, "\(form): \(output.debugDescription)")
            }
            let github = try usher("check", "--format", "github").output
            #expect(github.contains("no key `a\\u{1b}[31m\\u{202e}b%25`%0A"), "\(github)")
        }
    }

    @Test(arguments: [["--config", "nowhere"], []])
    func missingFolder(_ arguments: [String]) throws {
        try UsherProgram.run { usher throws in
            let ending = try usher.run(["check"] + arguments)
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            #expect(ending.errors.contains("there is no configuration"))
            #expect(ending.errors.contains("usher init"))
        }
    }

    /// `ManifestReaderTests` has all of them.
    @Test(arguments: ["association-syntax.toml", "bad-templates.toml", "crlf.toml", "no-scenes.toml"])
    func brokenManifest(_ name: String) throws {
        try UsherProgram.run { usher throws in
            let path = UsherProgram.fixtures + "/manifests/" + name
            let expected = try String(contentsOfFile: path.dropLast(5) + ".expect.txt", encoding: .utf8)
            let isBroken = expected.contains(": error: ")
            let checked = try usher("check", "--config", path)
            #expect(checked.status == (isBroken ? 1 : 0))
            let findings = checked.json()["findings"]?.elements ?? []
            #expect(findings.contains { $0["severity"]?.string == "error" } == isBroken)
            let text = try usher("check", "--config", path, "--format", "text")
            #expect(text.status == (isBroken ? 1 : 0))
            for finding in findings where finding["severity"]?.string == "error" {
                #expect(text.output.contains(finding["at"]?.string ?? "?"))
                #expect(finding["message"]?.string?.isEmpty == false)
            }
            // Anything but check refuses to work with it.
            let listed = try usher("shortcut", "list", "--config", path)
            #expect(listed.status == (isBroken ? 2 : 0))
            if isBroken {
                #expect(listed.output.isEmpty)
                #expect(listed.errors.contains(": error: "))
            }
        }
    }

    private static let manifest = """
        id = "example.pages"
        name = "Pages, \\"&<ages>\\""

        [targets]
        page = "https://pages.example/{page}"

        [[scenes]]
        name = "main"
        can = 'TRUEPREDICATE'
        launch = { exec = ["true"] }

        [[scenes]]
        name = "page"
        target = "page"
        opens = 'SELF LIKE "https://pages.example/*"'
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        launch = { exec = ["true", "--", "{target}"] }

        [[expect]]
        target = "https://pages.example/one"
        open = [{ scene = "page", target = "https://pages.example/two" }, { scene = "main" }]
        scene = "page"
        reason = "prefers"

        [[expect]]
        target = "https://pages.example/one"
        scene = "page"
        """

    @Test func failedRouteTestSaysWhy() throws {
        try UsherProgram.run { usher throws in
            try usher.write(Self.manifest, to: "pages.toml")
            let ending = try usher("check", "--config", "pages.toml", "--format", "text")
            #expect(ending.status == 1)
            #expect(
                ending.output == """
                    pages.toml:20:1: error: the route test fails [U5215 expect.failed]
                       https://pages.example/one, with page (…/two), main open
                       expected  scene page, reason prefers
                       got       scene main, reason can, the open window
                       why
                         main          prefers  no   default  wins: no window prefers this, and it can
                                       can      yes  9:7
                         page (…/two)  prefers  no   17:11    shows other content
                                       can      no   16:7

                    routes  example.pages  1 of 2 hold
                    1 app checked
                    failed, 1 error

                    """)
        }
    }

    @Test func warningsAreFailuresWhereAskedFor() throws {
        try UsherProgram.run { usher throws in
            try usher.write(Self.manifest.replacingOccurrences(of: "[[expect]]", with: "[[none]]"), to: "bad.toml")
            try usher.write(
                "id = \"a.b\"\n[[scenes]]\nname = \"main\"\nlaunch = { exec = [\"./nowhere\"] }\n", to: "warned.toml")
            let loose = try usher("check", "--config", "warned.toml", "--format", "text")
            #expect(loose.status == 0 && loose.output.hasSuffix("ok, 1 warning\n"), "\(loose.output)")
            let strict = try usher("check", "--strict", "--config", "warned.toml", "--format", "text")
            #expect(strict.status == 1 && strict.output.hasSuffix("failed, 1 warning\n"), "\(strict.output)")
            let json = try usher("check", "--strict", "--config", "warned.toml").json()
            #expect(json["ok"]?.boolean == false && json["errors"]?.int64 == 0 && json["warnings"]?.int64 == 1)
            let junit = try usher("check", "--strict", "--config", "warned.toml", "--format", "junit").output
            #expect(junit.contains("<failure type=\"command.not-found\"") && !junit.contains("system-err"), "\(junit)")
            let both = try usher("check", "--strict", "--config", "bad.toml", "--format", "text")
            #expect(both.status == 1 && both.output.contains("failed, "), "\(both.output)")
        }
    }

    @Test func machineReadableForms() throws {
        try UsherProgram.run { usher throws in
            try usher.write(Self.manifest, to: "folder/apps/pages.toml")
            let json = try usher("check", "--config", "folder", "--json").json()
            #expect(json["ok"]?.boolean == false)
            let failed = json["expectations"]?.elements?.first
            #expect(failed?["passed"]?.boolean == false)
            #expect(failed?["expected"]?["scene"]?.string == "page")
            #expect(failed?["got"]?["scene"]?.string == "main")
            #expect(failed?["got"]?["reason"]?.string == "can")
            #expect(json["findings"]?.elements?.first?["at"]?.string == "apps/pages.toml:20:1")

            let github = try usher("check", "--config", "folder", "--format", "github")
            #expect(github.status == 1)
            #expect(github.output.hasPrefix("::error file=folder/apps/pages.toml,line=20,col=1,title=U5215"))
            #expect(github.lines.count == 1)

            let junit = try usher("check", "--config", "folder", "--format", "junit")
            #expect(junit.status == 1)
            let counter = ElementCounter()
            let parser = XMLParser(data: Data(junit.output.utf8))
            parser.delegate = counter
            #expect(parser.parse())
            #expect(counter.counts["testcase"] == 3)
            #expect(counter.counts["failure"] == 1)
        }
    }
}

private final class ElementCounter: NSObject, XMLParserDelegate {
    var counts: [String: Int] = [:]

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        counts[name, default: 0] += 1
    }
}
