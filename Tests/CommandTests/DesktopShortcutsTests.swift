import Foundation
import TestSupport
import Testing
import UsherJSON

/// Actions of desktop entries as shortcut items, menus, and our own shortcut items as desktop entries.
struct DesktopShortcutsTests {
    /// A configuration with one app of ours and one that a desktop entry launches; its program leaves a file behind.
    private static func prepare(_ usher: UsherProgram) throws {
        try usher.write(
            """
            id = "example.own"
            name = "Own = 100% 'fun'"

            [[shortcuts]]
            type = "order"
            title = "Order"
            subtitle = "at once"

            [[shortcuts]]
            type = "order $5; \\"now\\"\\\\ %f"
            title = "Order\\tmore"
            icon = "cart"

            [[scenes]]
            name = "main"
            launch = { exec = ["sh", "-c", "cat >performed"] }
            """, to: "config/usher/apps/own.toml")
        try usher.write(
            """
            id = "example.editor"
            name = "Editor"

            [[scenes]]
            name = "main"
            launch = { desktop = ["org.example.Editor", "{target}"] }

            [[scenes]]
            name = "other"
            launch = { desktop = ["org.example.Editor"], action = "new-window" }
            """, to: "config/usher/apps/editor.toml")
        try usher.write(
            """
            [Desktop Entry]
            Type=Application
            Name=Editor
            Exec=true
            Actions=new-window;
            [Desktop Action new-window]
            Name=New Window
            Exec=touch "\(usher.folder)/new window"
            """, to: "data/applications/org.example.Editor.desktop")
    }

    private static func with(_ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { usher in
            var usher = usher
            usher.environment["XDG_DATA_HOME"] = usher.folder + "/data"
            usher.environment["XDG_DATA_DIRS"] = usher.folder + "/shared"
            try prepare(usher)
            try body(usher)
        }
    }

    @Test func actionsAreListedAndPerformed() throws {
        try Self.with { usher in
            let list = try usher("shortcut", "list")
            let action = try #require(list.json().elements?.last, "\(list.errors)")
            #expect(list.json().elements?.count == 3)
            #expect(action["app"]?.string == "example.editor")
            #expect(action["type"]?.string == "org.example.Editor:new-window")
            #expect(action["localizedTitle"]?.string == "New Window")
            #expect(action["desktopEntry"]?.string == "org.example.Editor.desktop")
            let performed = try usher("shortcut", "perform", "org.example.Editor:new-window")
            #expect(performed.status == 0, "\(performed.errors)")
            #expect(performed.json()["pid"]?.int64 ?? 0 > 0)
            #expect(eventually { usher.exists("new window") })
            let unknown = try usher("shortcut", "perform", "org.example.Editor:new-windwo")
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("did you mean org.example.Editor:new-window?"))
        }
    }

    @Test func absentEntryIsReportedAndTheOthersAreListed() throws {
        try Self.with { usher in
            try FileManager.default.removeItem(atPath: usher.path("data/applications/org.example.Editor.desktop"))
            let list = try usher("shortcut", "list")
            #expect(list.status == 0)
            #expect(list.json().elements?.count == 2)
            #expect(list.errors.contains("there is no desktop entry org.example.Editor [U3510 entry.unknown]"))
        }
    }

    @Test func chosenLineIsPerformed() throws {
        try Self.with { usher in
            let menu = try usher("shortcut", "list", "--menu").lines
            #expect(
                menu == [
                    "Order – at once (Own = 100% 'fun')", "Order\\u{9}more (Own = 100% 'fun')", "New Window (Editor)",
                ])
            let line = try usher.shell(
                "usher shortcut list --menu | grep Window | usher shortcut perform --from-menu -")
            #expect(line.status == 0, "\(line.errors)")
            #expect(eventually { usher.exists("new window") })
            let left = try usher("shortcut", "perform", "--from-menu", "-", input: "")
            #expect(left.status == 1)
            #expect(try usher("shortcut", "perform", "--from-menu", "-", input: "Nothing\n").status == 2)
            #expect(try usher("shortcut", "perform", "order", "--from-menu", "-", input: "x\n").status == 2)
            #expect(try usher("shortcut", "perform").status == 2)
        }
    }

    @Test func publishedEntriesAreValidAndPerform() throws {
        try Self.with { usher in
            try usher.write(
                "[Desktop Entry]\nX-Usher-App=example.gone\n", to: "data/applications/usher-example-gone.desktop")
            try usher.write("[Desktop Entry]\nName=theirs\n", to: "data/applications/usher-theirs.desktop")
            let first = try usher("shortcut", "publish")
            #expect(first.status == 0, "\(first.errors)")
            let entry = usher.path("data/applications/usher-example-own.desktop")
            #expect(first.json()["written"]?.elements?.compactMap(\.string) == [entry])
            #expect(first.json()["removed"]?.elements?.count == 1)
            #expect(!usher.exists("data/applications/usher-example-gone.desktop"))
            #expect(usher.exists("data/applications/usher-theirs.desktop"))
            let validated = try usher.shell("desktop-file-validate '\(entry)'")
            #expect(validated.status == 0)
            #expect(validated.output + validated.errors == "")

            // What has not changed is left alone.
            let before = try FileManager.default.attributesOfItem(atPath: entry)[.systemFileNumber] as? Int
            let again = try usher("shortcut", "publish")
            #expect(again.json()["unchanged"]?.elements?.compactMap(\.string) == [entry])
            #expect(try FileManager.default.attributesOfItem(atPath: entry)[.systemFileNumber] as? Int == before)
        }
    }

    @Test func commandOfAnActionSurvivesTheRulesOfDesktopEntries() throws {
        try Self.with { usher in
            #expect(try usher("shortcut", "publish").status == 0)
            // The published entry named by an app: its actions are read and started by our own reader of entries.
            try usher.write(
                """
                id = "example.published"
                name = "Published"
                [[scenes]]
                name = "main"
                launch = { desktop = ["usher-example-own"] }
                """, to: "config/usher/apps/published.toml")
            let actions = try usher("shortcut", "list", "--app", "example.published").json().elements ?? []
            #expect(actions.map { $0["localizedTitle"]?.string } == ["Order", "Order more"])
            let type = try #require(actions.last?["type"]?.string)
            let performed = try usher("shortcut", "perform", type)
            #expect(performed.status == 0, "\(performed.errors)")
            let command = performed.json()["command"]?.string ?? ""
            #expect(command.hasSuffix(#"shortcut perform --app example.own -- 'order $5; "now"\ %f'"#), "\(command)")
            // Which in turn performs our shortcut item: a delivery of it.
            #expect(try eventually { try usher("deliveries", "list").output.contains(#""source":"shortcut""#) })
        }
    }

    @Test func noControlCharactersArePublished() throws {
        try Self.with { usher in
            try usher.write(
                """
                id = "example.odd"
                name = "Odd\\u001B]0;title\\u202Eeman"
                [[shortcuts]]
                type = "plain"
                title = "Up\\u2066side\\u200F"
                [[shortcuts]]
                type = "odd\\u001B"
                title = "Odd"
                [[scenes]]
                name = "main"
                launch = { exec = ["true"] }
                """, to: "config/usher/apps/odd.toml")
            let ending = try usher("shortcut", "publish")
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(ending.errors.contains("the shortcut \"odd\\u{1b}\" of example.odd is not published"))
            let entry = try String(
                contentsOfFile: usher.path("data/applications/usher-example-odd.desktop"), encoding: .utf8)
            #expect(entry.contains("\nName=Odd ]0;titleeman\n"), "\(entry)")
            #expect(entry.contains("\nName=Upside\n"), "\(entry)")
            #expect(!entry.contains("perform --app example.odd -- odd"))
            let raw = entry.unicodeScalars.filter {
                $0 != "\n" && ($0.value < 0x20 || (0x202A...0x202E).contains($0.value))
            }
            #expect(raw.isEmpty)
        }
    }

    @Test func foreignFileIsNeverTouched() throws {
        try Self.with { usher in
            try usher.write("[Desktop Entry]\nName=theirs\n", to: "data/applications/usher-example-own.desktop")
            let ending = try usher("shortcut", "publish")
            #expect(ending.status == 1)
            #expect(ending.errors.contains("U3516 entry.foreign"))
            #expect(
                try String(contentsOfFile: usher.path("data/applications/usher-example-own.desktop"), encoding: .utf8)
                    == "[Desktop Entry]\nName=theirs\n")
        }
    }
}
