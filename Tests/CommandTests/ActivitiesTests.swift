import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher activity …`, beside a store and through a real daemon.
struct ActivitiesTests {
    private static let crusty = "https://clowntown.example/clowns/crusty"
    private static let type = "example.clowntown.view-clown"

    private func become(_ usher: UsherProgram, _ more: String...) throws -> UsherProgram.Ending {
        try usher.run(
            ["activity", "become-current", "--config", UsherProgram.sampleConfiguration, "--session", "clown-1"] + more)
    }

    private func states(_ usher: UsherProgram) throws -> [String] {
        try usher("activity", "list").json().elements?.map {
            "\($0["session"]?.string ?? "") \($0["state"]?.string ?? "")"
        } ?? []
    }

    /// A program that stands for a window's.
    private static func window() throws -> Process {
        try Process.run(URL(fileURLWithPath: "/bin/sleep"), arguments: ["600"])
    }

    @Test func attributesAndMapItem() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let item = #"{"name":"Circus","placemark":{"locality":"Warszawa"}}"#
            let made = try become(
                usher, "--type", Self.type, "--target", Self.crusty, "--attributes", #"{"country":"Polska","x":1.0}"#,
                "--map-item", item)
            #expect(made.status == 0, "\(made.errors)")
            let shown = try usher("activity", "show", "current").json()["activity"]
            #expect(
                shown?["contentAttributeSet"]?.text()
                    == #"{"country":"Polska","x":1.0,"namedLocation":"Circus","city":"Warszawa","#
                    + #""supportsNavigation":true}"#)
            #expect(shown?["mapItem"]?.text() == item)
        }
    }

    @Test func lifeOfAnActivity() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let made = try become(
                usher, "--type", Self.type, "--title", "Crusty", "--target", Self.crusty, "--persistent", Self.crusty,
                "--webpage", "https://clowntown.example/crusty", "--user-info", #"{"page":3.0}"#, "--keyword",
                "juggler",
                "--keyword", "circus", "--version", "2.1", "--schema-version", "3", "--eligible-for",
                "search,no-handoff", "--expires", "2999-01-01T00:00:00Z")
            #expect(made.status == 0, "\(made.errors)")
            let activity = try #require(made.json()["activity"])
            #expect(activity["state"]?.string == "current")
            #expect(activity["is_current"]?.boolean == true)
            #expect(
                activity["activity"]?.text()
                    == #"{"activityType":"\#(Self.type)","title":"Crusty","targetContentIdentifier":"\#(Self.crusty)","#
                    + #""persistentIdentifier":"\#(Self.crusty)","webpageURL":"https://clowntown.example/crusty","#
                    + #""expirationDate":"2999-01-01T00:00:00Z","version":"2.1","schemaVersion":3,"#
                    + #""keywords":["juggler","circus"],"isEligibleForSearch":true,"isEligibleForHandoff":false,"#
                    + #""userInfo":{"page":3.0}}"#)
            let config = ["--config", UsherProgram.sampleConfiguration]
            let updated = try usher.run(
                ["activity", "update", "--session", "clown-1", "--title", "Crusty, juggling", "--needs-save"] + config)
            #expect(updated.json()["activity"]?["title"]?.string == "Crusty, juggling")
            #expect(try usher("activity", "show", "current").json()["id"] == activity["id"])
            #expect(try usher("scene", "disconnect", "clown-1").status == 0)
            #expect(try states(usher) == ["clown-1 kept"])
            #expect(try become(usher, "--type", Self.type).status == 2)
            #expect(try usher("activity", "resign", "--session", "clown-1").status == 0)
            #expect(try states(usher) == [])
        }
    }

    @Test func warningsGoToStandardError() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let plain = try become(usher, "--type", Self.type, "--target", "crusty-undefined")
            #expect(plain.status == 0)
            #expect(plain.errors.contains("U7302 lint.placeholder"))
            let json = try become(usher, "--type", Self.type, "--target", "bozo-undefined", "--json")
            #expect(json.errors.isEmpty)
            #expect(json.json()["findings"]?.elements?.isEmpty == false)
        }
    }

    @Test func aWholeActivityFromStandardInput() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let arguments = [
                "activity", "become-current", "--config", UsherProgram.sampleConfiguration, "--session", "clown-1",
                "--activity", "-", "--title", "Over it",
            ]
            let text =
                #"{ "title":"Crusty", "activityType" : "\#(Self.type)", "x":[ 1.0 ] , "targetContentIdentifier":"1"}"#
            let ending = try usher.run(arguments, input: Data(text.utf8))
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(
                ending.json()["activity"]?["activity"]?.text()
                    == #"{"activityType":"\#(Self.type)","x":[1.0],"targetContentIdentifier":"1","title":"Over it"}"#)
        }
    }

    @Test(arguments: [
        (["--title", "x"], "--type is missing"),
        (["--type", "example.clowntown.view-clwn"], "did you mean example.clowntown.view-clown?"),
        (["--type", "example.orders.view-order"], "declared by example.orders"),
        (["--type", type, "--user-info", "[1]"], "userInfo is an array"),
        (["--type", type, "--user-info", "{},\"title\":1"], "userInfo"),
        (["--type", type, "--eligible-for", "serch"], "did you mean search?"),
        (["--type", type, "--schema-version", "x"], "--schema-version takes a number"),
        (["--type", type, "--process", "x"], "--process takes a number"),
        (["--type", type, "--expires", "tomorrow"], "not a date"),
        (["--activity", "[]"], "no JSON object"),
        (["--activity", "{"], "no JSON"),
    ])
    func mistakes(_ arguments: [String], _ message: String) throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let ending = try usher.run(
                ["activity", "become-current", "--config", UsherProgram.sampleConfiguration, "--session", "clown-1"]
                    + arguments)
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            #expect(ending.errors.contains(message), "\(ending.errors)")
            #expect(try states(usher) == [])
        }
    }

    @Test func aLookWritesNothing() throws {
        try UsherProgram.run { usher throws in
            for command in [["list"], ["search", "x"]] {
                #expect(try usher.run(["activity"] + command).output == "[]\n")
            }
            #expect(!usher.exists("state"))
        }
    }

    /// Without a daemon, the command that decides checks the processes first.
    @Test func aProcessThatEndedIsSeen() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let window = try Self.window()
            let made = try become(
                usher, "--type", Self.type, "--target", Self.crusty, "--process", String(window.processIdentifier))
            #expect(made.status == 0, "\(made.errors)")
            func clown() throws -> String? {
                try usher("scene", "list").json().elements?.first { $0["session"]?.string == "clown-1" }?["state"]?
                    .string
            }
            #expect(try clown() == "connected")
            kill(window.processIdentifier, SIGKILL)
            window.waitUntilExit()
            #expect(try clown() == "disconnected")
            let config = ["--config", UsherProgram.sampleConfiguration]
            let line = Data(#"{"url":"\#(Self.crusty)"}"#.utf8)
            let dry = try usher.run(["dispatch", "--dry-run"] + config, input: line).json()
            #expect(dry["action"]?.string == "launch")
            #expect(dry["session"]?.string == "clown-1")
            let explained = try usher.run(["explain", "--json", Self.crusty] + config).json()
            #expect(explained["decision"]?["action"]?.string == "launch", "\(explained.text())")
            #expect(try usher("link", "suggest").output == "[]\n")
        }
    }

    /// The daemon notices the end of a process without a request, and that of one that ended before it started.
    @Test func theDaemonSeesAProcessEnd() throws {
        try UsherProgram.run { usher throws in
            try usher.connectClowns()
            let (before, window) = (try Self.window(), try Self.window())
            let connected = try usher(
                "scene", "connect", "--config", UsherProgram.sampleConfiguration, "--app", "example.clowntown",
                "--scene",
                "clown", "--target", "https://clowntown.example/clowns/bozo")
            #expect(connected.status == 0, "\(connected.errors)")
            let ended = try usher(
                "activity", "become-current", "--config", UsherProgram.sampleConfiguration, "--session", "clown-2",
                "--type", Self.type, "--target", "https://clowntown.example/clowns/bozo", "--process",
                "\(before.processIdentifier)")
            #expect(ended.status == 0, "\(ended.errors)")
            kill(before.processIdentifier, SIGKILL)
            before.waitUntilExit()
            defer {
                kill(window.processIdentifier, SIGKILL)
                window.waitUntilExit()
            }
            try usher.withDaemon(config: UsherProgram.sampleConfiguration) {
                let made = try become(
                    usher, "--type", Self.type, "--title", "Crusty", "--target", Self.crusty, "--process",
                    "\(window.processIdentifier)")
                #expect(made.status == 0, "\(made.errors)")
                #expect(try states(usher).sorted() == ["clown-1 current", "clown-2 kept"])
                kill(window.processIdentifier, SIGKILL)
                window.waitUntilExit()
                // `scene list` reads the store only: the daemon wrote the change.
                func sessions() throws -> [String] {
                    try usher("scene", "list").json().elements?.map {
                        "\($0["session"]?.string ?? "") \($0["state"]?.string ?? "")"
                    } ?? []
                }
                try waitUntil("the session is lost") { try sessions().contains("clown-1 disconnected") }
                #expect(try sessions().contains("main-1 connected"))
                #expect(try states(usher).sorted() == ["clown-1 kept", "clown-2 kept"])
            }
        }
    }
}
