import Foundation
import Testing
import UsherJSON

/// What the tests install: two apps, one with a domain, one with a scheme of its own.
private let manifests = [
    "town.toml": """
    id = "example.town"
    name = "Town"
    domains = ["town.example"]
    [[scenes]]
    name = "main"
    """,
    "mail.toml": """
    id = "example.mail"
    name = "Mail"
    schemes = ["mid"]
    [[scenes]]
    name = "main"
    """,
]

@Suite("usher link-handler")
struct LinkHandlerTests {
    /// A home with a configuration; `associations` is its mimeapps.list.
    private func run(
        _ associations: String?, _ names: [String] = ["town.toml", "mail.toml"],
        _ body: (UsherProgram, String) throws -> Void
    ) throws {
        try UsherProgram.run { usher in
            let apps = usher.folder + "/config/usher/apps"
            try FileManager.default.createDirectory(atPath: apps, withIntermediateDirectories: true)
            for name in names {
                try manifests[name]?.write(toFile: "\(apps)/\(name)", atomically: true, encoding: .utf8)
            }
            let list = usher.folder + "/config/mimeapps.list"
            if let associations { try Data(associations.utf8).write(to: URL(fileURLWithPath: list)) }
            try body(usher, list)
        }
    }

    private func bytes(_ path: String) -> String? {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "install changes its own lines alone, remove restores every byte",
        arguments: [
            "[Default Applications]\nx-scheme-handler/https=firefox.desktop\n",
            "# mine\r\n[Added Associations]\r\ntext/html=a.desktop;\r\n\r\n[Default Applications]\r\n"
                + "x-scheme-handler/https = firefox.desktop;chromium.desktop;\r\ntext/plain=vim.desktop\r\n",
            "[Default Applications]\n\nx-scheme-handler/https=firefox.desktop\n\n[Removed Associations]\nx=y;",
            "[Default Applications]\nx-scheme-handler/mid=mutt.desktop\nx-scheme-handler/https=firefox.desktop",
            // The group and the keys twice, and comments that look like keys.
            "#x-scheme-handler/https=a.desktop\n[Default Applications]\n# x-scheme-handler/mid=b.desktop\n"
                + "x-scheme-handler/https=firefox.desktop\nx-scheme-handler/https=c.desktop\n[Added Associations]\n"
                + "text/html=d.desktop;\n\n[Default Applications]\nx-scheme-handler/http=e.desktop\ntext/plain=f.desktop",
            // Line ends of both kinds, blanks, a key without a value, and keys in other groups.
            "[Default Applications]\r\n \t\nx-scheme-handler/https=firefox.desktop\nx-scheme-handler/mid=\r\n"
                + "[Added Associations]\ntext/html=usher-link-handler.desktop;\r\n[Other]\nno key",
        ])
    func bytewise(before: String) throws {
        try run(before) { usher, list in
            let ending = try usher("link-handler", "install")
            #expect(ending.status == 0, "\(ending.errors)")
            let after = try #require(bytes(list))
            for scheme in ["http", "https", "mid"] {
                #expect(after.contains("x-scheme-handler/\(scheme)=usher-link-handler.desktop"))
            }
            func others(_ text: String) -> [String] {
                text.utf8.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
                    .filter { !$0.hasPrefix("x-scheme-handler/") }
            }
            let (old, kept) = (others(before), others(after))
            #expect(old == kept)
            #expect(ending.json()["browser"]?.string == "firefox.desktop")
            #expect(ending.json()["installed"]?.boolean == true)
            let status = try usher("link-handler", "status")
            #expect(status.status == 0)
            let rows = status.json()["schemes"]?.elements ?? []
            #expect(rows.map { $0["scheme"]?.string } == ["http", "https", "mid"])
            #expect(rows.allSatisfy { $0["ours"]?.boolean == true })
            #expect(rows[1]["before"]?.string == "firefox.desktop")

            #expect(try usher("link-handler", "install").status == 0)
            #expect(bytes(list) == after)

            #expect(try usher("link-handler", "remove").status == 0)
            #expect(bytes(list) == before)
            #expect(!usher.exists(".local/share/applications/usher-link-handler.desktop"))
            #expect(try usher("link-handler", "status").status == 1)
            #expect(try usher("link-handler", "remove").status == 0)
        }
    }

    @Test("file is not registered, and said so")
    func documents() throws {
        try run("[Default Applications]\nx-scheme-handler/https=firefox.desktop\n", ["town.toml"]) { usher, list in
            try usher.write(
                "id = \"example.documents\"\nschemes = [\"file\"]\n[[scenes]]\nname = \"main\"\n",
                to: "config/usher/apps/documents.toml")
            let ending = try usher("link-handler", "install")
            #expect(ending.status == 0 && ending.errors.contains("file is not registered"), "\(ending.errors)")
            let written = try #require(bytes(list))
            #expect(written.contains("x-scheme-handler/https=usher") && !written.contains("x-scheme-handler/file"))
            let entry = usher.text(".local/share/applications/usher-link-handler.desktop")
            #expect(!entry.contains("x-scheme-handler/file"), "\(entry)")
        }
    }

    @Test(
        "what was there is restored where there was no such group, no line, or no text",
        arguments: [
            "", "\n", "[Added Associations]\nx=y", "# mine\r\n", "[Default Applications]", "[Default Applications]\r\n",
        ])
    func sparse(before: String) throws {
        try run(before) { usher, list in
            try usher.write(
                "[Desktop Entry]\nType=Application\nName=F\nExec=true %u\n",
                to: ".local/share/applications/firefox.desktop")
            let ending = try usher("link-handler", "install", "--browser", "firefox.desktop")
            #expect(ending.status == 0 && ending.json()["browser"]?.string == "firefox.desktop", "\(ending.errors)")
            let after = try #require(bytes(list))
            #expect(after.utf8.starts(with: before.utf8))
            #expect(after.contains("x-scheme-handler/https=usher-link-handler.desktop"))
            #expect(try usher("link-handler", "remove").status == 0)
            #expect(bytes(list) == before)
        }
    }

    @Test("a list behind a symbolic link is changed where it is, keeps its mode, and what is not UTF-8")
    func behindLink() throws {
        try run(nil) { usher, list in
            let before =
                Data("[Default Applications]\nx-scheme-handler/https=firefox.desktop\n#".utf8)
                + Data([0xFF, 0xFE, 0x0A])
            try usher.write("", to: "dotfiles/mimeapps.list")
            let file = usher.path("dotfiles/mimeapps.list")
            try before.write(to: URL(fileURLWithPath: file))
            chmod(file, 0o444)
            try FileManager.default.createSymbolicLink(atPath: list, withDestinationPath: "../dotfiles/mimeapps.list")
            #expect(try usher("link-handler", "install").status == 0)
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: list)
            #expect(link == "../dotfiles/mimeapps.list")
            let after = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(after != before && after.suffix(4) != before)
            #expect(after.contains(0xFF) && String(decoding: after, as: UTF8.self).contains("usher-link-handler"))
            #expect(try mode(file) == 0o444)
            #expect(try usher("link-handler", "remove").status == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: list) == link)
            #expect(try mode(file) == 0o444)
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("again, nothing is written: files, moments and inodes stay") func again() throws {
        try run("[Default Applications]\nx-scheme-handler/https=firefox.desktop") { usher, list in
            _ = try usher("link-handler", "install")
            let files = [list, usher.path(".local/share/applications/usher-link-handler.desktop")]
            func states() -> [String] {
                files.map { file in
                    var status = stat()
                    let result = stat(file, &status)
                    return
                        "\(result) \(status.st_ino) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec) \(bytes(file) ?? "")"
                }
            }
            let before = states()
            let (one, two) = (try usher("link-handler", "install"), try usher("link-handler", "status"))
            #expect(one.status == 0 && two.status == 0)
            #expect(one.output == two.output)
            #expect(states() == before)
        }
    }

    @Test(
        "of a list that was edited since, only the entries of Usher are taken out",
        arguments: [
            // Another browser was chosen meanwhile.
            (
                "x-scheme-handler/https=usher-link-handler.desktop", "x-scheme-handler/https=chromium.desktop",
                "[Default Applications]\nx-scheme-handler/https=chromium.desktop\nx-scheme-handler/mid=mutt.desktop\n"
            ),
            // A program has added itself.
            (
                "x-scheme-handler/mid=usher-link-handler.desktop",
                "x-scheme-handler/mid=usher-link-handler.desktop;kmail.desktop;",
                "[Default Applications]\nx-scheme-handler/https=firefox.desktop\nx-scheme-handler/mid=kmail.desktop\n"
            ),
            // A line is gone.
            (
                "x-scheme-handler/mid=usher-link-handler.desktop\n", "",
                "[Default Applications]\nx-scheme-handler/https=firefox.desktop\n"
            ),
        ])
    func editedSince(old: String, new: String, left: String) throws {
        let before =
            "[Default Applications]\nx-scheme-handler/https=firefox.desktop\nx-scheme-handler/mid=mutt.desktop\n"
        try run(before) { usher, list in
            _ = try usher("link-handler", "install")
            let installed = try #require(bytes(list))
            let edited = installed.replacingOccurrences(of: old, with: new)
            #expect(edited != installed)
            try Data(edited.utf8).write(to: URL(fileURLWithPath: list))
            #expect(try usher("link-handler", "remove").status == 0)
            #expect(bytes(list) == left)
        }
    }

    @Test("an entry of another program under this name comes back") func foreignEntry() throws {
        try run("[Default Applications]\nx-scheme-handler/https=firefox.desktop\n") { usher, _ in
            let entry = ".local/share/applications/usher-link-handler.desktop"
            try usher.write("[Desktop Entry]\nName=Mine", to: entry)
            #expect(try usher("link-handler", "install").status == 0)
            #expect(bytes(usher.path(entry))?.contains("X-Usher-Link-Handler=true") == true)
            #expect(try usher("link-handler", "remove").status == 0)
            #expect(bytes(usher.path(entry)) == "[Desktop Entry]\nName=Mine")
        }
    }

    @Test("the browser of the whole system is the browser where the user has chosen none") func ofSystem() throws {
        try run(nil) { usher, list in
            var usher = usher
            usher.environment["XDG_CONFIG_DIRS"] = usher.path("none") + ":" + usher.path("system")
            usher.environment["XDG_CURRENT_DESKTOP"] = "GNOME:Other"
            try usher.write(
                "[Default Applications]\nx-scheme-handler/https=plain.desktop\n", to: "system/mimeapps.list")
            try usher.write(
                "[Default Applications]\nx-scheme-handler/https=epiphany.desktop\n", to: "system/gnome-mimeapps.list")
            let ending = try usher("link-handler", "install")
            #expect(ending.json()["browser"]?.string == "epiphany.desktop", "\(ending.errors)")
            #expect(try usher("link-handler", "remove").status == 0)
            #expect(bytes(list) == nil)
        }
    }

    @Test("status before and after has all members") func status() throws {
        try run("[Default Applications]\nx-scheme-handler/https=firefox.desktop\n") { usher, _ in
            let before = try usher("link-handler", "status", "--json")
            #expect(before.status == 1)
            let names = ["installed", "schemes", "browser", "entry"]
            #expect(before.json().members?.map(\.name) == names)
            #expect(before.json()["installed"]?.boolean == false && before.json()["entry"] == .null)
            _ = try usher("link-handler", "install")
            let after = try usher("link-handler", "status", "--json")
            #expect(after.json().members?.map(\.name) == names)
            #expect(after.json()["entry"]?.string?.hasSuffix("/applications/usher-link-handler.desktop") == true)
            #expect(
                after.json()["schemes"]?.elements?.first?.members?.map(\.name) == [
                    "scheme", "handler", "ours", "before",
                ])
        }
    }

    @Test("a list that was edited since loses only what is Usher's")
    func edited() throws {
        try run("[Default Applications]\nx-scheme-handler/https=firefox.desktop\n") { usher, list in
            _ = try usher("link-handler", "install")
            let edited = try #require(bytes(list)) + "text/plain=vim.desktop\n# a note\n"
            try Data(edited.utf8).write(to: URL(fileURLWithPath: list))
            #expect(try usher("link-handler", "remove").status == 0)
            let left = try #require(bytes(list))
            #expect(
                left
                    == "[Default Applications]\nx-scheme-handler/https=firefox.desktop\ntext/plain=vim.desktop\n# a note\n"
            )
        }
    }

    @Test("without a list there is none afterwards")
    func absent() throws {
        try run(nil, ["mail.toml"]) { usher, list in
            let ending = try usher("link-handler", "install")
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(ending.json()["browser"]?.string == nil)
            #expect(bytes(list) == "[Default Applications]\nx-scheme-handler/mid=usher-link-handler.desktop\n")
            let entry = try #require(bytes(usher.folder + "/.local/share/applications/usher-link-handler.desktop"))
            let exec = try #require(entry.split(separator: "\n").first { $0.hasPrefix("Exec=/") })
            #expect(exec.contains("--config") && exec.contains("--state") && exec.hasSuffix(" open -- %u"))
            #expect(entry.contains("MimeType=x-scheme-handler/mid;\n"))
            _ = try usher("link-handler", "remove")
            #expect(bytes(list) == nil)
        }
    }

    @Test(
        "no browser is a refusal that changes nothing",
        arguments: [
            ("", []), ("[Default Applications]\nx-scheme-handler/https=usher-link-handler.desktop\n", []),
            (
                "[Default Applications]\nx-scheme-handler/https=firefox.desktop\n",
                ["--browser", "usher-link-handler.desktop"]
            ),
        ] as [(String, [String])])
    func noBrowser(before: String, options: [String]) throws {
        try run(before) { usher, list in
            let ending = try usher.run(["link-handler", "install"] + options)
            #expect(ending.status == 2 && ending.errors.contains("link-handler.no-browser]"), "\(ending.errors)")
            #expect(bytes(list) == before)
            #expect(!usher.exists(".local/share/applications/usher-link-handler.desktop"))
            #expect(!usher.exists("state/usher/link-handler.json"))
        }
    }
}
