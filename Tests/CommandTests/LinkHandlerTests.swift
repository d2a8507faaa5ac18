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
