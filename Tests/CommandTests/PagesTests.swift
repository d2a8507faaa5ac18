import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher page inspect`, and activities with the attributes of a page.
struct PagesTests {
    private static let sample = Repository.path + "/Payloads/pages/restaurant.json"
    private static let type = "example.clowntown.view-clown"

    @Test func anItemIsSuccess() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("page", "inspect", Self.sample, "--url", "https://clowntown.example/menu/")
            #expect(ending.status == 0, "\(ending.errors)")
            let page = ending.json()
            #expect(page.members?.map(\.name) == ["url", "title", "items", "findings"])
            #expect(page["items"]?.elements?.first?.members?.map(\.name) == ["types", "url", "attributes"])
            #expect(page["items"]?.elements?.first?["url"]?.string == "https://clowntown.example/big-top")
            #expect(page["items"]?.elements?.count == 2)
        }
    }

    @Test func noItemIsAFinding() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("page", "inspect", "-", input: #"{"data":["[]","{"]}"#)
            #expect(ending.status == 1)
            let page = ending.json()
            #expect(page["url"] == .null && page["title"] == .null && page["items"] == [])
            let finding = page["findings"]?.elements?.last
            #expect(finding?.members?.map(\.name) == ["code", "name", "message", "block"])
            #expect(finding?["code"]?.string == "U8101")
            #expect(finding?["name"]?.string == "page.json")
            #expect(finding?["block"]?.int64 == 2)
        }
    }

    @Test func whatCannotBeRead() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("page", "inspect", "nowhere.json").status == 2)
            #expect(try usher("page", "inspect").status == 2)
            #expect(try usher("page", "inspect", "-", "--url", "menu").status == 2)
            let limit = 16 << 20
            let large = try usher.run(["page", "inspect", "-"], input: Data(count: limit + 1))
            #expect(large.status == 2)
            #expect(large.errors.contains("[U8108 page.too-large]"))
            #expect(try usher.run(["page", "inspect", "-"], input: Data(count: limit)).status == 1)
        }
    }

    private func change(_ usher: UsherProgram, _ command: String, _ more: [String], input: String = "") throws
        -> UsherProgram.Ending
    {
        try usher.run(
            ["activity", command, "--config", UsherProgram.sampleConfiguration, "--session", "clown-1"] + more,
            input: Data(input.utf8))
    }

    @Test func attributesOfAnActivity() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let made = try change(
                usher, "become-current",
                ["--type", Self.type, "--page", Self.sample, "--url", "https://clowntown.example/menu/"])
            #expect(made.status == 0, "\(made.errors)")
            let activity = made.json()["activity"]?["activity"]
            #expect(activity?["title"]?.string == "The Big Top – dinner under canvas")
            #expect(activity?["webpageURL"]?.string == "https://clowntown.example/menu/")
            #expect(activity?["contentAttributeSet"]?["namedLocation"]?.string == "The Big Top")
            #expect(activity?["contentAttributeSet"]?["supportsNavigation"] == true)

            // The first item with a place, not the first one; given options win.
            let page = #"""
                {"title": "T", "data": [{"@context": "https://schema.org", "name": "A", "telephone": "5551"},
                "{\"@context\": \"https://schema.org\", \"name\": \"B\", \"address\": \"S 1\"}"]}
                """#
            let given = try change(
                usher, "update",
                [
                    "--page", "-", "--url", "https://clowntown.example/b", "--title", "mine", "--webpage",
                    "https://clowntown.example/c",
                ], input: page)
            let updated = given.json()["activity"]?["activity"]
            #expect(updated?["title"]?.string == "mine")
            #expect(updated?["webpageURL"]?.string == "https://clowntown.example/c")
            #expect(updated?["contentAttributeSet"]?["namedLocation"]?.string == "B")
            let whole = try change(
                usher, "update",
                ["--page", "-", "--activity", #"{"contentAttributeSet":{"namedLocation":"C"},"title":"other"}"#],
                input: page)
            #expect(whole.json()["activity"]?["activity"]?["title"]?.string == "other")
            #expect(
                whole.json()["activity"]?["activity"]?["contentAttributeSet"]?.text() == #"{"namedLocation":"C"}"#)
            let mapped = try change(
                usher, "become-current", ["--type", Self.type, "--page", "-", "--map-item", #"{"name":"M"}"#],
                input: page)
            #expect(
                mapped.json()["activity"]?["activity"]?["contentAttributeSet"]?.text() == #"{"namedLocation":"M"}"#)
        }
    }

    @Test func noItemIsAWarning() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let made = try change(
                usher, "become-current", ["--type", Self.type, "--page", "-"],
                input: #"{"url":"https://clowntown.example/t","title":"T","data":[]}"#)
            #expect(made.status == 0)
            #expect(made.errors.contains("[U8109 page.no-item]"))
            #expect(made.json()["activity"]?["title"]?.string == "T")
            #expect(made.json()["activity"]?["activity"]?["webpageURL"]?.string == "https://clowntown.example/t")
            #expect(made.json()["warnings"]?.elements?.last?.string?.hasSuffix("[U8109 page.no-item]") == true)
            #expect(try change(usher, "become-current", ["--type", Self.type, "--page", "nowhere"]).status == 2)
            #expect(try change(usher, "update", ["--url", "https://a.example/"]).status == 2)
        }
    }

    @Test func aPlaceWithoutANameGetsOne() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let made = try change(
                usher, "become-current", ["--type", Self.type, "--page", "-"],
                input: #"{"@context":"https://schema.org","address":"S 1"}"#)
            #expect(made.status == 0, "\(made.errors)")
            let attributes = made.json()["activity"]?["activity"]?["contentAttributeSet"]
            #expect(attributes?["namedLocation"]?.string == "S 1")
        }
    }
}
