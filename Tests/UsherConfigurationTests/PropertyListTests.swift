import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherScene

/// An Info.plist's shortcut items and activity types join the app.
@Suite struct PropertyListTests {
    private func load(_ data: Data, _ more: String = "") throws -> LoadedConfiguration {
        let folder = TemporaryFolder()
        try folder.write(data, to: "Info.plist")
        try folder.write(
            "id = \"example.clowntown\"\nwebsite = true\ninfo-plist = \"Info.plist\"\n" + more, to: "app.toml")
        return ConfigurationLoader.load(path: folder.path + "/app.toml", searchPath: Fixtures.searchPath)
    }

    @Test(arguments: ["Info.plist", "Info-binary.plist"]) func isRead(_ name: String) throws {
        let data = try Data(contentsOf: URL(filePath: Fixtures.manifests + "plists/" + name))
        let loaded = try load(data)
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(loaded.files == ["app.toml", "Info.plist"])
        let app = try #require(loaded.configuration.apps.first)
        #expect(app.activityTypes.map(\.value) == ["example.clowntown.view-clown", "example.clowntown.edit"])
        #expect(app.activityTypes.map(\.location.description) == ["app.toml:3:14", "app.toml:3:14"])
        #expect(app.shortcuts.map(\.type) == ["order-crusty", "open-town"])
        #expect(app.shortcuts.map(\.title) == ["Order Crusty", "Town"])
        #expect(app.shortcuts[0].subtitle == "By post")
        #expect(app.shortcuts[0].icon == .symbolName("cart"))
        let info = try #require(app.shortcuts[0].userInfo)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(info.utf8)) as? NSDictionary)
        let expected: NSDictionary = ["count": 1, "gift": true, "note": "\"é\"", "tags": ["a", "b"], "weight": 1.5]
        #expect(object == expected)
        #expect(app.shortcuts[1].userInfo == nil)
    }

    @Test func theManifestGoesFirst() throws {
        let data = try Data(contentsOf: URL(filePath: Fixtures.manifests + "plists/Info.plist"))
        let loaded = try load(data, "[[shortcuts]]\ntype = \"open-town\"\ntitle = \"Mine\"\n")
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(loaded.configuration.apps.first?.shortcuts.map(\.title) == ["Mine", "Order Crusty"])
    }
}
