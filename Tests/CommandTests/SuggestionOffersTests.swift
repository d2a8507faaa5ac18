import Foundation
import TestSupport
import Testing
import UsherJSON

/// What the built daemon offers to an app whose scene takes focus: over its socket, and to `show`.
@Suite("suggestions at a change of focus")
struct SuggestionOffersTests {
    private static func app(_ name: String, _ members: String, _ scene: String = "") -> String {
        """
        id = "example.\(name)"
        name = "\(name.capitalized)"
        \(members)
        [[scenes]]
        name = "\(name)"
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        launch = { exec = ["true"], handle = "none" }
        \(scene)
        """
    }

    /// Asks for records, and appends each line that comes to a file.
    private static let follower = """
        import socket, sys
        daemon = socket.socket(socket.AF_UNIX)
        daemon.connect(sys.argv[1])
        daemon.sendall(b'{"id":1,"command":"records","arguments":{}}\\n')
        with open(sys.argv[2], "a", buffering=1) as lines:
            for line in daemon.makefile():
                lines.write(line if line.strip() else "")

        """

    private func content(_ usher: UsherProgram, _ name: String) -> String {
        (try? String(contentsOfFile: usher.path(name), encoding: .utf8)) ?? ""
    }

    private func run(_ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { usher in
            let apps = "config/usher/apps/"
            try usher.write(
                Self.app("guide", #"activity-types = ["example.guide.item"]"#), to: apps + "guide.toml")
            try usher.write(
                Self.app(
                    "taxi", "schemes = [\"taxi\"]\nsuggestions = [\"place\"]\ndirections-modes = [\"ride-share\"]",
                    #"show = { exec = ["./keep"] }"#), to: apps + "taxi.toml")
            try usher.write(
                Self.app("other", #"schemes = ["other"]"#, #"show = { exec = ["./keep"] }"#), to: apps + "other.toml")
            try usher.writeProgram(
                "#!/bin/sh\nif [ \"$USHER_SUGGESTION_FILE\" ]; then cat \"$USHER_SUGGESTION_FILE\"; else echo none; fi"
                    + " >\"$HOME/$USHER_APP.new\"; mv \"$HOME/$USHER_APP.new\" \"$HOME/$USHER_APP\"\n",
                to: apps + "keep")
            try usher.write(Self.follower, to: "follow.py")
            for app in ["guide", "taxi", "other"] {
                let made = try usher(
                    "scene", "connect", "--app", "example.\(app)", "--scene", app, "--target", "\(app):1")
                #expect(made.status == 0, "\(made.errors)")
            }
            try body(usher)
        }
    }

    private func look(at place: String, _ usher: UsherProgram) throws {
        let made = try usher(
            "activity", "become-current", "--session", "guide-1", "--type", "example.guide.item", "--target", "u:1",
            "--attributes", #"{"namedLocation":"\#(place)","city":"Clowntown"}"#)
        #expect(made.status == 0, "\(made.errors)")
    }

    @Test("a connection that follows records gets the event of an app that takes places, and of no other")
    func events() throws {
        try run { usher in
            try usher.withDaemon(config: usher.path("config/usher")) {
                let follower = try usher.shell("python3 follow.py \(usher.path("s")) lines >/dev/null 2>&1 & echo $!")
                defer { _ = try? usher.shell("kill \(follower.output)") }
                try look(at: "The Big Top", usher)
                // Until it follows, nothing is looked up. Each change of focus comes after one of another window.
                try waitUntil("something is offered") {
                    for session in ["other-1", "guide-1", "taxi-1"] { try usher("scene", "activate", session) }
                    return eventually(within: 1) {
                        let lines = content(usher, "lines")
                        return lines.contains("suggestion") && lines.hasSuffix("\n")
                    }
                }
                let lines = content(usher, "lines").split(separator: "\n").filter { $0.contains("suggestion") }
                for line in lines {
                    let event = try JSONValue(parsing: Array(line.utf8))
                    #expect(event["event"]?.string == "suggestion" && event["session"]?.string == "taxi-1")
                    #expect(event["suggestion"]?["label"]?.string == "Get a ride to The Big Top")
                    #expect(event["suggestion"]?["source"]?["app"]?.string == "example.guide")
                }
                #expect(!lines.isEmpty)
                // What is forgotten is offered no more; what is looked at after that is.
                #expect(try usher("forget", "--app", "example.guide").status == 0)
                try usher("scene", "activate", "taxi-1")
                try look(at: "Karlskirche", usher)
                try waitUntil("the other place is offered") {
                    try usher("scene", "activate", "taxi-1")
                    return eventually(within: 1) {
                        let lines = content(usher, "lines")
                        return lines.contains("Karlskirche") && lines.hasSuffix("\n")
                    }
                }
                let after = content(usher, "lines").split(separator: "\n").drop { !$0.contains("Karlskirche") }
                #expect(!after.contains { $0.contains("Big Top") })
            }
        }
    }

    @Test("show has the suggestion as a file, where the app takes places and there is one")
    func file() throws {
        try run { usher in
            func shown(_ app: String) throws -> String {
                try? FileManager.default.removeItem(atPath: usher.path("example.\(app)"))
                #expect(try usher("open", "\(app):1").status == 0)
                return content(usher, "example.\(app)")
            }
            #expect(try shown("taxi") == "none\n")
            try look(at: "The Big Top", usher)
            let offered = try JSONValue(parsing: Array(try shown("taxi").utf8))
            let listed = try usher("suggest", "place", "--for", "example.taxi", "--json").json().elements?.first
            #expect(offered["title"]?.string == "The Big Top")
            #expect(offered["attributes"]?.text() == listed?["attributes"]?.text())
            #expect(try shown("other") == "none\n")
            #expect(try usher.shell("grep -rl 'Big Top' \(usher.path("state"))").output.contains("payloads/"))
            // No file of it is left, nor anything in the store.
            let forgotten = try usher("forget", "--app", "example.guide")
            #expect(forgotten.status == 0 && forgotten.errors.contains("1 window keeps its target and title"))
            #expect(try usher.shell("grep -rl 'Big Top' \(usher.path("state"))").output == "")
            #expect(try shown("taxi") == "none\n")
        }
    }
}
