import Foundation
import Testing
import UsherJSON

/// `usher shortcut list` and `usher shortcut import`.
struct ShortcutsTests {
    private static let plists = UsherProgram.fixtures + "/manifests/plists/"

    @Test func listsWhatIsDeclared() throws {
        try UsherProgram.run { usher throws in
            let list = try usher("shortcut", "list", "--config", UsherProgram.sampleConfiguration)
            let order = list.json().elements?.first { $0["type"]?.string == "order-crusty" }
            #expect(order?["app"]?.string == "example.clowntown")
            #expect(order?["localizedTitle"]?.string == "Order Crusty")
            #expect(order?["targetContentIdentifier"]?.string == "https://clowntown.example/clowns/crusty")
            let unknown = try usher(
                "shortcut", "list", "--config", UsherProgram.sampleConfiguration, "--app", "example.clowntwon")
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("did you mean example.clowntown?"))
        }
    }

    @Test("a shortcut item that was performed is listed with its target, which the manifest says")
    func performedTargetIsListed() throws {
        try UsherProgram.run { usher throws in
            try usher.write(
                """
                id = "example.own"
                [[shortcuts]]
                type = "order"
                title = "Order"
                target-content-id = "https://own.example/orders"
                [[scenes]]
                name = "main"
                launch = { exec = ["true"] }
                """, to: "config/usher/apps/own.toml")
            let performed = try usher("shortcut", "perform", "order")
            #expect(performed.json()["outcome"]?.string == "done", "\(performed.output) \(performed.errors)")
            let listed = try usher("deliveries", "list").json().elements ?? []
            #expect(listed.map { $0["target"]?.string } == ["https://own.example/orders"])
        }
    }

    @Test(arguments: ["Info.plist", "Info-binary.plist"])
    func whatIsImportedIsAManifest(_ name: String) throws {
        try UsherProgram.run { usher throws in
            let toml = try usher("shortcut", "import", Self.plists + name, "--format", "toml")
            #expect(toml.status == 0, "\(toml.errors)")
            try usher.write(
                "id = \"example.imported\"\nname = \"Imported\"\n" + toml.output
                    + "\n[[scenes]]\nname = \"main\"\nlaunch = { exec = [\"true\"] }\n", to: "imported.toml")
            let listed = try usher("shortcut", "list", "--config", "imported.toml")
            #expect(listed.status == 0, "\(listed.errors)")
            let items = try usher("shortcut", "import", Self.plists + name).json()["shortcutItems"]?.elements ?? []
            #expect(!items.isEmpty)
            let declared = listed.json().elements ?? []
            #expect(declared.count == items.count)
            for (one, other) in zip(items, declared) {
                for member in ["type", "localizedTitle", "localizedSubtitle", "targetContentIdentifier", "userInfo"] {
                    #expect(one[member] == other[member], "\(member)")
                }
            }
        }
    }

    @Test func whatIsNoPropertyListIsRefused() throws {
        try UsherProgram.run { usher throws in
            for (input, reason) in [
                (
                    "{}",
                    "standard input is not a property list: line 1: it begins neither with an XML tag nor with bplist00"
                ),
                ("<plist><array/></plist>", "the property list is an array, not a dictionary"),
            ] {
                let ending = try usher("shortcut", "import", "-", input: input)
                #expect(ending.status == 1)
                #expect(ending.errors.contains(reason), "\(ending.errors)")
            }
        }
    }
}
