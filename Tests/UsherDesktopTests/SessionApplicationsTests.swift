import Foundation
import Synchronization
import TestSupport
import Testing
import UsherBus
import UsherScene

@testable import UsherActivation
@testable import UsherDesktop

/// Desktop entries: found, read and started.
struct SessionApplicationsTests {
    @Test(arguments: ["org.example.Editor", "org.example.Editor.desktop"])
    func entryIsReadInTheUsersLanguage(_ name: String) throws {
        let folder = EntryFolder()
        try folder.write(
            """
            [Desktop Entry]
            Type=Application
            Name=Editor
            Name[de]=Schreiber
            Name[fr]=Éditeur
            Comment=Writes
            Icon=pen
            Exec=editor %U
            StartupWMClass=Editor
            Terminal=true
            DBusActivatable=true
            Actions=new;gone;nameless;

            [Desktop Action new]
            Name=New Window
            Name[de]=Neues Fenster
            Exec=editor --new
            [Desktop Action nameless]
            Exec=editor
            """, "org.example.Editor.desktop")
        func entry(_ environment: [String: String]) throws -> DesktopEntry {
            try #require(try folder.applications(environment).entries(name).first)
        }
        let plain = try entry([:])
        #expect(
            plain
                == DesktopEntry(
                    id: "org.example.Editor.desktop", name: "Editor", comment: "Writes", icon: "pen",
                    path: folder.applications + "/org.example.Editor.desktop", exec: "editor %U", windowClass: "Editor",
                    isTerminal: true, isActivatable: true, actions: [.init(id: "new", name: "New Window")]))
        #expect(try entry(["LANG": "de_DE.UTF-8"]).name == "Schreiber")
        #expect(try entry(["LANG": "de_DE.UTF-8"]).actions.first?.name == "Neues Fenster")
        #expect(try entry(["LANG": "de_DE.UTF-8", "LC_ALL": "fr_CA"]).name == "Éditeur")
        #expect(try entry(["LANG": "en_GB.UTF-8", "LANGUAGE": "it:fr"]).name == "Éditeur")
        #expect(try entry(["LANG": "C.UTF-8", "LANGUAGE": "fr"]).name == "Editor")
    }

    @Test func whatIsShown() throws {
        let folder = EntryFolder()
        try folder.entry("plain.desktop", exec: "true")
        try folder.entry("quiet.desktop", exec: "true", "NoDisplay=true")
        try folder.entry("hidden.desktop", exec: "true", "Hidden=true")
        try folder.entry("gone.desktop", exec: "gone", "TryExec=/nowhere/gone")
        try folder.entry("there.desktop", exec: "true", "TryExec=true")
        try folder.entry("kde.desktop", exec: "true", "OnlyShowIn=KDE;")
        try folder.entry("not-kde.desktop", exec: "true", "NotShowIn=KDE;")
        try folder.entry("kde/deep/one.desktop", exec: "true")
        try folder.write("[Desktop Entry]\nType=Link\nName=x\nURL=x:y\n", "link.desktop")
        try folder.write("nonsense", "broken.desktop")
        // The first folder counts, also where it hides.
        try folder.entry("\(folder.path)/shared/applications/hidden.desktop", exec: "true")
        try folder.entry("\(folder.path)/shared/applications/shared.desktop", exec: "true")
        mkfifo(folder.applications + "/pipe.desktop", 0o600)
        let shown = try folder.applications().entries(nil).map(\.id)
        #expect(
            shown == ["kde-deep-one.desktop", "not-kde.desktop", "plain.desktop", "shared.desktop", "there.desktop"])
        #expect(
            try folder.applications(["XDG_CURRENT_DESKTOP": "X:KDE"]).entries(nil).map(\.id)
                == ["kde-deep-one.desktop", "kde.desktop", "plain.desktop", "shared.desktop", "there.desktop"])
        let installed = [
            "plain", "quiet", "hidden", "gone", "there", "kde-deep-one", "shared", "link", "broken", "pipe", "none", "",
            "../plain", "a\0b",
        ]
        .filter { folder.applications().isInstalled(entry: $0) }
        #expect(installed == ["plain", "quiet", "there", "kde-deep-one", "shared"])
    }

    static let failures:
        [(id: String, entry: String, action: String?, text: String, code: DiagnosticCode, place: String)] = [
            ("absent", "absent", nil, "", .entryUnknown, "absent"),
            ("hidden", "a", nil, "Type=Application\nName=a\nExec=true\nHidden=true", .entryUnknown, "a.desktop"),
            ("no Exec", "a", nil, "Type=Application\nName=a", .entryBroken, "a.desktop: [Desktop Entry] has no Exec"),
            ("no program named", "a", nil, "Type=Application\nExec=\n", .entryBroken, "has no Exec"),
            (
                "bad Exec", "a", nil, "Type=Application\nName=a\n\nExec = foo \"bar", .entryBroken,
                "a.desktop:5: Exec, character 5:"
            ),
            (
                "bad Exec of an action", "a", "x",
                "Type=Application\nExec=true\nActions=x\n[Desktop Action x]\nName=x\nExec=true %y",
                .entryBroken, "a.desktop:7: Exec, character 6: %y is no field code"
            ),
            ("no action", "a", "y", "Type=Application\nExec=true", .entryNoAction, "no action y"),
            ("a link", "a", nil, "Type=Link", .entryBroken, "a.desktop:2: its Type is Link"),
            (
                "program absent", "a", nil, "Type=Application\nExec=usher-nowhere x", .entryNoProgram,
                "Exec names usher-nowhere"
            ),
            (
                "TryExec absent", "a", nil, "Type=Application\nExec=true\nTryExec=usher-nowhere", .entryNoProgram,
                "TryExec names usher-nowhere"
            ),
            ("no key file", "a", nil, "oh no", .entryBroken, "a.desktop: "),
            (
                "working directory absent", "a", nil, "Type=Application\nExec=true\nPath=/nowhere", .cannotStart,
                "/nowhere"
            ),
        ]

    @Test(arguments: failures.map(\.id))
    func whatCannotBeStartedIsSaid(_ id: String) throws {
        let wanted = try #require(Self.failures.first { $0.id == id })
        let folder = EntryFolder()
        try folder.write("[Desktop Entry]\n\(wanted.text)\n", "a.desktop")
        let failure = #expect(throws: ActivationFailure.self) {
            try folder.applications().launch(EntryLaunch(entry: wanted.entry, action: wanted.action))
        }
        #expect(failure?.code == wanted.code)
        #expect(failure?.message.contains(wanted.place) == true, "\(failure?.message ?? "")")
    }

    /// The id is listed, and no name leads to its file.
    @Test func entryThatNoNameLeadsToIsNotSuggested() throws {
        let folder = EntryFolder()
        let name = "an-entry-of-a-rather-long-name"
        try folder.write("[Desktop Entry]\nType=Application\nExec=true\n", "\(name).desktop.desktop")
        let failure = #expect(throws: ActivationFailure.self) {
            try folder.applications().launch(EntryLaunch(entry: name, action: nil))
        }
        #expect(failure?.code == .entryUnknown)
    }

    /// A program that writes down its arguments, and runs until it is stopped.
    private static func witness(_ folder: EntryFolder, _ name: String = "bin/witness") throws -> String {
        try folder.write(
            """
            #!/bin/sh
            { printf '<%s>' "$@"; echo
              echo "pwd=$PWD"; echo "startup=$DESKTOP_STARTUP_ID"; echo "token=$XDG_ACTIVATION_TOKEN"
              echo "more=$MORE secret=$SECRET"
              echo "descriptors=$(ls -l /proc/$$/fd | grep -cE 'leak|socket:|anon_inode')"
              cut -d' ' -f1,6 /proc/$$/stat
            } >"\(folder.path)/seen.new"
            mv "\(folder.path)/seen.new" "\(folder.path)/seen"
            """, folder.path + "/" + name, executable: true)
    }

    private static func seen(_ folder: EntryFolder) throws -> [String] {
        let file = folder.path + "/seen"
        #expect(eventually { FileManager.default.fileExists(atPath: file) })
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func programHasWhatItIsGivenAndNothingElse() throws {
        let folder = EntryFolder()
        _ = try Self.witness(folder)
        try folder.entry("a.desktop", exec: "witness %u", "Path=/usr")
        let leak = open(folder.path + "/leak", O_RDWR | O_CREAT, 0o600)
        defer { close(leak) }
        let start = try folder.applications(["SECRET": "s"]).launch(
            EntryLaunch(
                entry: "a", uris: ["x:$(id)"], environment: [EnvironmentVariable("MORE", "1")], token: "t-1"))
        let pid = try #require(start.process)
        #expect(
            try Self.seen(folder) == [
                "<x:$(id)>", "pwd=/usr", "startup=t-1", "token=t-1", "more=1 secret=", "descriptors=0", "\(pid) \(pid)",
            ])
        #expect(start.summary == "witness 'x:$(id)'")
    }

    @Test func noTokenIsInherited() throws {
        let folder = EntryFolder()
        _ = try Self.witness(folder)
        try folder.entry("a.desktop", exec: "witness", "Actions=b\n[Desktop Action b]\nName=B\nExec=witness an action")
        _ = try folder.applications(["XDG_ACTIVATION_TOKEN": "old", "DESKTOP_STARTUP_ID": "old"]).launch(
            EntryLaunch(entry: "a", action: "b"))
        #expect(try Self.seen(folder).prefix(4).suffix(2) == ["startup=", "token="])
        #expect(try Self.seen(folder).first == "<an><action>")
    }

    static let terminals = [
        (name: "mine", variable: Optional("mine"), words: "<-e>"),
        (name: "xdg-terminal-exec", variable: nil, words: ""),
        (name: "x-terminal-emulator", variable: nil, words: "<-e>"), (name: "foot", variable: nil, words: ""),
        (name: "xterm", variable: Optional("gone"), words: "<-e>"),
    ]

    @Test(arguments: terminals.map(\.name))
    func terminalIsFound(_ name: String) throws {
        let terminal = try #require(Self.terminals.first { $0.name == name })
        let folder = EntryFolder()
        _ = try Self.witness(folder, "only/" + name)
        try folder.write("#!/bin/sh\n", folder.path + "/only/tool", executable: true)
        for tool in ["sh", "ls", "grep", "tr", "cut", "mv"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/only/\(tool)", withDestinationPath: "/bin/" + tool)
        }
        try folder.entry("a.desktop", exec: "tool 'a b' %u", "Terminal=true")
        var environment = ["PATH": folder.path + "/only"]
        environment["TERMINAL"] = terminal.variable
        let start = try folder.applications(environment).launch(EntryLaunch(entry: "a", uris: ["x:y"]))
        #expect(try Self.seen(folder).first == "\(terminal.words)<\(folder.path)/only/tool><a b><x:y>")
        #expect(start.process != nil)
    }

    @Test func noTerminalIsSaid() throws {
        let folder = EntryFolder()
        try folder.write("#!/bin/sh\n", folder.path + "/only/tool", executable: true)
        try folder.entry("a.desktop", exec: "tool", "Terminal=true")
        let failure = #expect(throws: ActivationFailure.self) {
            try folder.applications(["PATH": folder.path + "/only"]).launch(EntryLaunch(entry: "a"))
        }
        #expect(failure?.code == .entryNoTerminal)
    }

    @Test func changesAreSeenAtOnce() throws {
        let folder = EntryFolder()
        let applications = folder.applications()
        #expect(!applications.isInstalled(entry: "late"))
        try folder.entry("late.desktop", exec: "true", name: "One")
        #expect(try applications.entries("late").first?.name == "One")
        try folder.entry("late.desktop", exec: "true", name: "Two")
        #expect(try applications.entries("late").first?.name == "Two")
        try FileManager.default.removeItem(atPath: folder.applications + "/late.desktop")
        #expect(!applications.isInstalled(entry: "late"))
    }

    // MARK: - By bus name

    @Test func activatableEntryIsCalled() throws {
        let bus = try PrivateBus()
        let heard = Mutex<[BusMessage]>([])
        let program = SessionBus(environment: bus.environment)
        try program.serve("org.example.Editor") { call in
            heard.withLock { $0.append(call) }
            return .values([])
        }
        let folder = EntryFolder()
        try folder.entry(
            "org.example.Editor.desktop", exec: "/nowhere/editor",
            "DBusActivatable=true\nActions=new\n[Desktop Action new]\nName=New\nExec=/nowhere/editor")
        let applications = folder.applications(bus: SessionBus(environment: bus.environment))
        let start = try applications.launch(EntryLaunch(entry: "org.example.Editor", uris: ["x:y"], token: "t"))
        #expect(start == ApplicationStart(process: getpid(), summary: "dbus org.example.Editor Open x:y"))
        _ = try applications.launch(EntryLaunch(entry: "org.example.Editor", action: "new"))
        _ = try applications.launch(EntryLaunch(entry: "org.example.Editor"))
        #expect(heard.withLock { $0.map(\.member) } == ["Open", "ActivateAction", "Activate"])
        #expect(heard.withLock { $0[0].arguments[1]["activation-token"] } == .string("t"))
        withExtendedLifetime(program) {}
    }

    @Test func aTargetThatNoProgramCanBeGivenIsAnErrorOnTheBusToo() throws {
        let bus = try PrivateBus()
        let heard = Mutex(0)
        let program = SessionBus(environment: bus.environment)
        try program.serve("org.example.Editor") { _ in
            heard.withLock { $0 += 1 }
            return .values([])
        }
        let folder = EntryFolder()
        try folder.entry("org.example.Editor.desktop", exec: "/nowhere/editor", "DBusActivatable=true")
        let activator = Activator(
            windowSystem: DryRunWindowSystem(),
            applications: folder.applications(bus: SessionBus(environment: bus.environment)),
            environment: folder.environment, stateDirectory: nil)
        let handler = LaunchHandler(
            method: .desktop(action: nil),
            command: Command(
                arguments: ["org.example.Editor"], location: SourceLocation(path: "test.toml", line: 1, column: 1)))
        func report(of target: String) -> ActivationReport {
            activator.startApplication(
                ActivationTask(
                    delivery: "d", nonce: "n", app: "a", scene: "s", session: nil, handle: nil, target: target,
                    title: nil, payload: [], action: .launch, reason: .opens), handler
            ).report
        }
        #expect(
            report(of: "a\0b").failure?.message.hasPrefix("the environment variable USHER_TARGET holds a NUL") == true)
        #expect(heard.withLock { $0 } == 0)
        #expect(report(of: "ab").failure == nil)
        #expect(heard.withLock { $0 } == 1)
        withExtendedLifetime(program) {}
    }

    @Test(arguments: ["no process owns the name", "its service fails", "no bus"])
    func commandLineIsStartedWhereTheNameCannotBeCalled(_ id: String) throws {
        let bus = try PrivateBus(services: id == "its service fails" ? ["org.example.Editor": "/bin/false"] : [:])
        let folder = EntryFolder()
        _ = try Self.witness(folder)
        try folder.entry("org.example.Editor.desktop", exec: "witness %u", "DBusActivatable=true")
        let start = try folder.applications(bus: id == "no bus" ? nil : SessionBus(environment: bus.environment))
            .launch(
                EntryLaunch(entry: "org.example.Editor", uris: ["x:y"]))
        #expect(start.warnings.map(\.code) == [.entryNotActivated])
        #expect(try Self.seen(folder).first == "<x:y>")
        #expect(start.process != nil)
    }

    @Test func errorOfTheProgramIsNoReasonToStartItTwice() throws {
        let bus = try PrivateBus()
        let program = SessionBus(environment: bus.environment)
        try program.serve("org.example.Editor") { _ in .error("org.example.No", "no") }
        let folder = EntryFolder()
        _ = try Self.witness(folder)
        try folder.entry("org.example.Editor.desktop", exec: "witness", "DBusActivatable=true")
        let failure = #expect(throws: ActivationFailure.self) {
            try folder.applications(bus: SessionBus(environment: bus.environment)).launch(
                EntryLaunch(entry: "org.example.Editor"))
        }
        #expect(failure?.code == .busRefused)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/seen"))
        withExtendedLifetime(program) {}
    }
}
