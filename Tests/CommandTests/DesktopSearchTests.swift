import Foundation
import TestSupport
import Testing
import UsherJSON

/// Searches of a desktop, answered by the built programs on a bus of the test's own, which starts the daemon. `gdbus` asks as
/// GNOME Shell and KRunner do.
@Suite("searches of the desktop")
struct DesktopSearchTests {
    static let shell = "org.gnome.Shell.SearchProvider2"
    static let runner = "org.kde.krunner1"

    /// A program, a bus of its own, and what they are to be called with.
    private struct Desk {
        let usher: UsherProgram

        /// Calls a method of the provider: what `gdbus` prints.
        func ask(_ method: String, _ arguments: String...) throws -> UsherProgram.Ending {
            let words = arguments.map { "\"\($0)\"" }.joined(separator: " ")
            return try usher.shell(
                "gdbus call --session --timeout 20 --dest org.usher.Usher --object-path /org/usher/Usher"
                    + " --method \(method) \(words)")
        }

        /// Makes an activity the current one of a new window; its id.
        @discardableResult
        func look(at page: String, _ title: String, _ members: String = #""isEligibleForSearch":true"#) throws -> String
        {
            let address = "https://pages.example/\(page)"
            let connected = try usher(
                "scene", "connect", "--app", "example.pages", "--scene", "page", "--target", address)
            #expect(connected.status == 0, "\(connected.errors)")
            let session = try usher("scene", "list", "--json").json().elements?
                .first { $0["target"]?.string == address }?["id"]?.string
            let made = try usher(
                "activity", "become-current", "--session", try #require(session), "--activity",
                #"{"activityType":"example.pages.read","title":"\#(title)","#
                    + #""targetContentIdentifier":"\#(address)",\#(members)}"#, "--json")
            #expect(made.status == 0, "\(made.errors)")
            return try #require(made.json()["activity"]?["id"]?.string)
        }

        func told() -> String { usher.text("told") }
    }

    private static let manifest = """
        id = "example.pages"
        name = "Pages"
        domains = ["pages.example"]
        activity-types = ["example.pages.read"]

        [handlers]
        continue = { exec = ["./note"] }

        [[scenes]]
        name = "page"
        opens = 'SELF BEGINSWITH "https://pages.example/"'
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        launch = { tmux = ["sleep", "600"], in = "pages" }
        """

    /// - Parameter settings: `usher.toml`.
    private func withDesk(_ settings: String = "", _ body: (Desk) throws -> Void) throws {
        try UsherProgram.run { program in
            var usher = program
            usher.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(usher.path("bus"))"
            try usher.write(Self.manifest, to: "config/usher/apps/pages.toml")
            try usher.writeProgram(
                "#!/bin/sh\ncat >>\"$HOME/told\"; echo >>\"$HOME/told\"\n", to: "config/usher/apps/note")
            try usher.write(settings, to: "config/usher/usher.toml")
            // As `make install` has it, but for the programs of this build. The daemon notes its process.
            try usher.write(
                """
                [D-BUS Service]
                Name=org.usher.Usher
                Exec=/bin/sh -c "echo $$ >'\(usher.path("daemon"))'; exec \(Repository.products)/usherd --socket \(usher.path("s"))"

                """, to: "services/org.usher.Usher.service")
            try usher.write(
                """
                <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
                 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
                <busconfig>
                  <type>session</type>
                  <listen>unix:path=\(usher.path("bus"))</listen>
                  <servicedir>\(usher.path("services"))</servicedir>
                  <policy context="default">
                    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
                  </policy>
                </busconfig>
                """, to: "bus.conf")
            let begun = try usher.shell(
                "env DBUS_VERBOSE=0 dbus-daemon --config-file=bus.conf --nopidfile --fork --print-pid=1 2>log")
            let bus = begun.output.split(separator: "\n").first.map(String.init) ?? ""
            defer {
                _ = try? usher.shell("kill \(bus) $(cat daemon); while kill -0 $(cat daemon); do sleep 0.02; done")
            }
            #expect(!bus.isEmpty, "\(begun.errors) \((try? usher.shell("cat log"))?.output ?? "")")
            try body(Desk(usher: usher))
        }
    }

    @Test("a search starts the daemon, finds what is eligible, and continues what was chosen")
    func search() throws {
        try withDesk { desk in
            let page = try desk.look(at: "1", "Crusty the clown")
            try desk.look(at: "2", "Crusty's secret", #""isEligibleForSearch":false"#)
            try desk.look(at: "3", "Crusty said nothing", #""needsSave":false"#)
            try desk.look(
                at: "4", "Crusty was here", #""isEligibleForSearch":true,"expirationDate":"2020-01-01T00:00:00Z""#)
            let removed = try desk.look(at: "5", "Crusty was fired")
            #expect(try desk.usher("content", "deleted", "https://pages.example/5").status == 0)
            // Nothing runs yet, and a look starts nothing.
            #expect(!desk.usher.exists("daemon"))
            let found = try desk.ask("\(Self.shell).GetInitialResultSet", "['crus', 'cl']")
            #expect(found.output == "(['\(page)'],)\n", "\(found.errors)")
            #expect(desk.usher.exists("daemon"))
            #expect(try desk.ask("\(Self.shell).GetInitialResultSet", "['crusty']").output == "(['\(page)'],)\n")
            #expect(
                try desk.ask("\(Self.shell).GetSubsearchResultSet", "['\(page)']", "['bozo']").output == "(@as [],)\n")
            #expect(try desk.ask("\(Self.shell).GetInitialResultSet", "@as []").output == "(@as [],)\n")
            let metas = try desk.ask("\(Self.shell).GetResultMetas", "['\(removed)', '\(page)', 'gone']").output
            #expect(
                metas == "([{'id': <'\(page)'>, 'name': <'Crusty the clown'>, 'description': <'Pages'>, "
                    + "'gicon': <'document-open-recent'>}],)\n")
            #expect(try desk.ask("\(Self.shell).ActivateResult", page, "['crus']", "0").output == "()\n")
            #expect(eventually { desk.told().contains("Crusty the clown") })
            let deliveries = try desk.usher("deliveries", "list", "--json").json()
            #expect(deliveries.elements?.first?["source"]?.string == "activity")
            #expect(try desk.ask("\(Self.shell).ActivateResult", "gone", "['crus']", "0").status != 0)
        }
    }

    @Test("KRunner's matches, what is forgotten, and what is excluded")
    func runner() throws {
        try withDesk("[suggestions]\nexclude-hosts = [\"pages.example\"]\n") { desk in
            let page = try desk.look(at: "1", "Crusty the clown")
            #expect(try desk.ask("\(Self.runner).Match", "crusty").output == "(@a(sssida{sv}) [],)\n")
            #expect(try desk.usher("activity", "search", "crusty", "--json").json().elements?.isEmpty == true)
            try desk.usher.write("", to: "config/usher/usher.toml")
            let expected =
                "([('\(page)', 'Crusty the clown', 'document-open-recent', 30, 0.80000000000000004, "
                + "{'subtext': <'Pages'>})],)\n"
            #expect(try eventually { try desk.ask("\(Self.runner).Match", "crusty").output == expected })
            #expect(try desk.ask("\(Self.runner).Actions").output == "(@a(sss) [],)\n")
            #expect(try desk.ask("\(Self.runner).Run", page, "").output == "()\n")
            #expect(eventually { desk.told().contains("Crusty the clown") })
            #expect(try desk.usher("forget", "--app", "example.pages").status == 0)
            #expect(try desk.ask("\(Self.runner).Match", "crusty").output == "(@a(sssida{sv}) [],)\n")
            #expect(try desk.ask("\(Self.shell).GetResultMetas", "['\(page)']").output == "(@aa{sv} [],)\n")
        }
    }

    @Test("the doctor says what of the desktop is missing, and a second daemon runs without the name")
    func doctor() throws {
        try withDesk { desk in
            var said = try desk.usher("doctor", "--json").json()
            #expect(said["suggestions"]?["session_bus"]?.boolean == true)
            #expect(said["suggestions"]?["media"]?.boolean == true)
            #expect(said["suggestions"]?["search"]?.boolean == true)
            #expect(said["suggestions"]?["reminders"]?.string?.contains("no notification server") ?? false)
            #expect(try desk.ask("\(Self.runner).Actions").status == 0)
            #expect(try desk.usher("doctor", "--json").json()["suggestions"]?["search"]?.boolean == true)

            var other = desk.usher
            other.environment["XDG_STATE_HOME"] = desk.usher.path("other")
            _ = try other.shell("usherd --socket \(desk.usher.path("o")) >other.log 2>&1 & echo $! >second")
            defer { _ = try? other.shell("kill $(cat second); while kill -0 $(cat second); do sleep 0.02; done") }
            let log = { desk.usher.text("other.log") }
            #expect(eventually { log().contains("search-name-taken") }, "\(log())")
            said = try other("doctor", "--json").json()
            #expect(said["sound"]?.boolean == true)
            #expect(said["findings"]?.elements?.map { $0["name"]?.string } == ["search.name-taken"])
            #expect(said["findings"]?.elements?.first?["severity"]?.string == "warning")

            var without = desk.usher
            without.environment["DBUS_SESSION_BUS_ADDRESS"] = nil
            without.environment["XDG_STATE_HOME"] = desk.usher.path("third")
            said = try without("doctor", "--json").json()
            #expect(said["findings"]?.elements?.isEmpty == true)
            #expect(said["suggestions"]?["search"]?.string == said["suggestions"]?["session_bus"]?.string)
            #expect(said["suggestions"]?["session_bus"]?.string?.contains("session bus") ?? false)
        }
    }
}
