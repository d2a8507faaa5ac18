import Foundation
import Testing

/// Command lines that cannot be understood: one clear error, status 2, nothing on standard output.
struct UsageErrorTests {
    struct Case: CustomTestStringConvertible {
        var arguments: [String]
        var message: String

        init(_ arguments: String, _ message: String) {
            self.arguments = arguments.split(separator: " ").map(String.init)
            self.message = message
        }

        /// With blanks in them.
        init(words: [String], _ message: String) { (arguments, self.message) = (words, message) }

        var testDescription: String { "usher " + arguments.joined(separator: " ") }
    }

    static let cases = [
        Case("", "usage: usher COMMAND"),
        Case("scene", "usage: usher scene COMMAND"),
        Case("chekc", "did you mean check?"),
        Case(words: ["scene list"], "there is no command \"scene list\""),
        Case("scene lsit", "did you mean list?"),
        Case("link move u:a u:b", "did you mean usher content moved?"),
        Case("link delete 1", "did you mean usher content deleted, or usher link remove for the id of a link?"),
        Case("log", "did you mean usher deliveries list, or usher hook log?"),
        Case("focus 1", "did you mean usher scene focus?"), Case("windows", "did you mean usher scene list?"),
        Case("sessions", "did you mean usher scene list?"), Case("send x", "did you mean usher dispatch?"),
        Case("list", "did you mean usher scene list, or usher deliveries list?"),
        Case("help windows", "did you mean usher scene list?"),
        Case("link add --note 1 https://a.example/b", "help: did you mean --target https://a.example/b?"),
        Case(
            "deliveries list --state failed",
            "there is none in \"failed\" [U6303 control.argument]\nhelp: did you mean --only f"),
        Case("note list --state aside", "help: did you mean --only aside?"),
        Case("dispatch {\"aps\":{}}", "help: JSON is read from a file, or from standard input: echo '{"),
        Case(
            "dispatch https://clowntown.example/x",
            "help: a target is opened, and explained, without a file: usher open"),
        Case("explain --payload {\"aps\":{}}", "help: JSON is read from a file"),
        Case(
            words: ["notification", "schedule", "--in", "1h", "Have a break"],
            "there is no file \"Have a break\" [U6501 usage.file]\nhelp: a text is written so: '{\"aps\""),
        Case("notification times --at 9am", "\"9am\" is no time [U8901 schedule.time]\nhelp: write \"09:00\""),
        Case("notification times --at 2h", "help: a duration goes with --in: --in 2h"),
        Case("notification times --in 09:00", "help: a time goes with --at: --at \"09:00\""),
        Case(
            words: ["notification", "times", "--at", "day 09:00"],
            "help: a rule goes with --every: --every \"day 09:00\""),
        Case(words: ["notification", "times", "--every", "daily 9am"], "help: write \"day 09:00\""),
        Case(words: ["notification", "times", "--in", "2 hours"], "help: write 2h"),
        Case(words: ["deliveries", "list", "--since", "yesterday 9 am"], "help: write \"yesterday 09:00\""),
        Case("link restore u:a", "did you mean usher content restore?"),
        Case("help link redirects", "did you mean usher content list?"),
        Case("predicate evaluate", "there is no command predicate \"evaluate\""),
        Case("--jsno scene list", "there is no option \"--jsno\""),
        Case("scene list --jsno", "did you mean --json?"),
        Case("scene --prefres x connect", "did you mean --prefers?"),
        Case("scene list -j", "there is no option \"-j\""),
        Case("scene list --target x", "usher scene list has no option \"--target\""),
        Case("--target x scene list", "usher scene list has no option \"--target\""),
        Case("scene list --app", "--app needs a value"),
        Case("scene list --app --json", "--app needs a value, and --json is an option"),
        Case("scene list --app one --app two", "--app is given twice"),
        Case("--state a scene list --state b", "--state is given twice"),
        Case("scene list --json=yes", "--json takes no value"),
        Case("scene list --state=", "--state needs a path"),
        Case("scene list extra", "usher scene list takes no operand"),
        Case("scene activate", "usher scene activate needs SESSION"),
        Case("scene activate one two", "there is one operand too many: \"two\""),
        Case("scene list --log-level loud", "--log-level cannot be \"loud\""),
        Case("scene list --log-format jsno", "did you mean json?"),
        Case("check --format xml", "--format cannot be \"xml\""),
        Case("payload inspect --format apn -", "did you mean apns?"),
        Case(
            "deliveries show nothing",
            "there is no delivery \"nothing\" [U6308 control.no-such-delivery]\nhelp: usher deliveries list"),
        Case(
            "explain --delivery nothing",
            "there is no delivery \"nothing\" [U6308 control.no-such-delivery]\nhelp: usher deliveries list"),
        Case("deliveries list --limit 0", "--limit cannot be \"0\""),
        Case("deliveries list --limit many", "--limit cannot be \"many\""),
        Case("deliveries list --only finished", "--only cannot be \"finished\""),
        Case("help scene lits", "did you mean scene list?"),
        Case("scene raise x", "did you mean usher scene focus?"),
        Case("reminder add x", "did you mean usher remind?"),
        Case("perform order-crusty", "a shortcut item: usher shortcut perform TYPE"),
        Case("explain", "explain takes one of TARGET"),
        Case("check --config nowhere", "nowhere [U5001 config.not-found]"),
        Case("open x", "[U5001 config.not-found]"),
        Case("completion csh", "[U6303 control.argument]"),
        Case("link add --target x", "which note? --note is missing [U6303 control.argument]"),
        Case("dispatch nowhere", "cannot read nowhere: No such file or directory [U6501 usage.file]"),
        Case("dispatch /", "/ is a folder [U6501 usage.file]"),
        Case("reload", "usherd does not run for this state folder [U6502 usage.missing]"),
        Case("notification remove a", "of which list? give --pending or --delivered [U6303 control.argument]"),
        Case("scene connect --from - --app x", "--from and --app do not go together"),
        Case("predicate print", "usher predicate print needs TEXT"),
        Case("payload inspect /nowhere/at-all.json", "cannot open /nowhere/at-all.json"),
        Case("predicate eval /nowhere/at-all.jsonl", "cannot open /nowhere/at-all.jsonl"),
    ]

    @Test func foldersThatOthersCouldChangeAreNotUsed() throws {
        try UsherProgram.run { usher throws in
            try usher.write("", to: "open/x")
            chmod(usher.path("open"), 0o777)
            for arguments in [
                ["scene", "list"], ["deliveries", "list"], ["note", "new", "x"], ["status"], ["browser", "host"],
                ["doctor"],
            ] {
                let ending = try usher.run(arguments + ["--state", "open"])
                #expect(ending.status == 2, "\(arguments)")
                #expect(
                    ending.errors.contains(
                        "mode 0777) can be changed by other users [U6316 control.unsafe-folder]\nhelp: chmod go-w "),
                    "\(arguments): \(ending.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: usher.path("open")) == ["x"])
            }
            let daemon = try usher.shell("usherd --config \(UsherProgram.sampleConfiguration) --state open")
            #expect(daemon.status == 2 && daemon.errors.contains("can be changed by other users"), "\(daemon.errors)")
            let socket = try usher.shell(
                "usherd --config \(UsherProgram.sampleConfiguration) --state state --socket open/usherd.sock")
            #expect(
                socket.status == 2 && socket.errors.contains("or name another folder with --socket"), "\(socket.errors)"
            )
        }
    }

    @Test(arguments: cases)
    func isReported(_ usage: Case) throws {
        try UsherProgram.run { usher throws in
            let ending = try usher.run(usage.arguments)
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            #expect(ending.errors.contains(usage.message), "\(ending.errors)")
            let code = /^usher: [^\n]* \[U[0-9]{4} [a-z.-]+\]\n/
            #expect(ending.errors.prefixMatch(of: code) != nil, "\(ending.errors)")
            #expect(!usher.exists("state"), "a command line in error must not make a store")
        }
    }

    @Test func portThatIsUsed() throws {
        try UsherProgram.run { usher throws in
            let line = """
                import socket, subprocess, sys
                with socket.create_server(("127.0.0.1", 0)) as server:
                    place = "127.0.0.1:%d" % server.getsockname()[1]
                    sys.exit(subprocess.call(["usherd", "--config", sys.argv[1], "--socket", "s", "--listen", place]))
                """
            try usher.write(line, to: "used.py")
            let ending = try usher.shell("python3 used.py \(UsherProgram.sampleConfiguration)")
            #expect(ending.status == 2, "\(ending.status)")
            #expect(
                ending.errors.contains("Address already in use\nhelp: another program listens there"),
                "\(ending.errors)")
        }
    }

    @Test func argumentThatIsNotUTF8() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher.shell(#"usher predicate print "$(printf 'SELF == "\377"')""#)
            #expect(ending.status == 2)
            #expect(ending.errors.contains("argument 3 is not UTF-8"))
        }
    }

    @Test func controlCharactersAreEscaped() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("scene", "\u{1B}]0;gotcha\u{7}")
            #expect(!ending.errors.unicodeScalars.contains("\u{1B}"))
            #expect(ending.errors.contains("\\u{1b}]0;gotcha"))
        }
    }
}
