import Foundation
import Testing
import UsherActivation

@testable import UsherDesktop

/// `Exec` filled in, against GLib's own launching, and where we refuse what GLib lets through.
struct ExecLineTests {
    /// `DUMP` is a program that says its words; the words expected, in order.
    static let fillings: [(id: String, exec: String, uris: [String], output: [String])] = [
        ("no code", "DUMP a b", [], ["<a><b>"]),
        ("quotation marks", #"DUMP "a b" "" "c\"d\$e\`f\\g""#, [], [#"<a b><><c"d$e`f\g>"#]),
        ("apostrophes", "DUMP 'a b' 'c\\d'", [], [#"<a b><c\d>"#]),
        ("quotes within a word", #"DUMP a"b c"d'e f'g"#, [], ["<ab cde fg>"]),
        ("escapes outside of quotes", #"DUMP a\ b \"c\" d\\e"#, [], [#"<a b><"c"><d\e>"#]),
        ("a backslash that stays", #"DUMP "a\bc""#, [], [#"<a\bc>"#]),
        ("tabs and many spaces", "DUMP   a\tb  ", [], ["<a><b>"]),
        ("percent signs", "DUMP 100%% %%f", [], ["<100%><%f>"]),
        ("name", "DUMP %c --name=%c", [], ["<A Name><--name=A Name>"]),
        ("icon", "DUMP %i x", [], ["<--icon><face><x>"]),
        ("place", "DUMP %k", [], ["<FILE>"]),
        ("obsolete codes", "DUMP a%mb %D c%v", [], ["<ab><c>"]),
        ("URL", "DUMP %u", ["https://a.example/?q=1&r=%20;#x"], ["<https://a.example/?q=1&r=%20;#x>"]),
        ("URL absent", "DUMP a %u b", [], ["<a><b>"]),
        ("URL within a word", "DUMP --url=%u", ["https://a.example/"], ["<--url=https://a.example/>"]),
        ("URLs", "DUMP -- %U", ["https://a.example/", "x:y"], ["<--><https://a.example/><x:y>"]),
        ("one program a URL", "DUMP %u", ["x:1", "x:2"], ["<x:1>", "<x:2>"]),
        ("files", "DUMP %F", ["file:///a%20b", "file:///c"], ["<\u{2F}a b><\u{2F}c>"]),
        ("one program a file", "DUMP %f", ["file:///a", "file:///b"], ["</a>", "</b>"]),
        ("file as URL", "DUMP %u", ["file:///a%20b"], ["</a b>"]),
        ("shell characters", "DUMP ;rm $(id) `id` $HOME *", [], ["<;rm><$(id)><`id`><$HOME><*>"]),
        ("shell characters of a URL", "DUMP %u", ["x:;$(id)`id`'\"\\&|*"], ["<x:;$(id)`id`'\"\\&|*>"]),
        ("files without a code", "DUMP a", ["file:///a"], ["<a></a>"]),
        ("arguments of a shell", #"sh -c "exec \"\$0\" \"\$@\"" DUMP %U"#, ["x:$(id)", "y:b"], ["<x:$(id)><y:b>"]),
    ]

    @Test(arguments: fillings.map(\.id))
    func isFilledInAsGLibDoes(_ id: String) throws {
        let filling = try #require(Self.fillings.first { $0.id == id })
        let folder = EntryFolder()
        let dumper = try folder.dumper()
        let exec = filling.exec.replacingOccurrences(of: "DUMP", with: dumper)
        let file = try folder.entry("a.desktop", exec: exec, "Icon=face")
        let expected = filling.output.map { $0.replacingOccurrences(of: "FILE", with: file) }
        let commands = try ExecLine(exec).commands(
            ExecFilling(subjects: filling.uris, icon: "face", name: "A Name", path: file))
        let lines = try commands.map { command in
            let result = try Spawner.run(
                SpawnRequest(
                    program: command[0].hasPrefix("/") ? command[0] : "/bin/" + command[0], arguments: command,
                    captureLimit: 1 << 16), timeLimit: 30_000)
            return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
        #expect(lines == expected)
        #expect(GIOLaunch.run(file, filling.uris) == expected, "GLib does otherwise")
    }

    /// GLib leaves apostrophes in what is quoted already.
    @Test func codeInQuotationMarksIsAWord() throws {
        let line = try ExecLine(#"a "%u" "%c""#)
        let filling = ExecFilling(subjects: ["x:y z"], icon: nil, name: "A Name", path: "/p")
        #expect(try line.commands(filling) == [["a", "x:y z", "A Name"]])
    }

    static let broken: [(id: String, exec: String, place: Int, text: String)] = [
        ("empty", "", 1, "it is empty"), ("spaces", "   ", 1, "it is empty"),
        ("open quotation mark", #"a "b c"#, 3, "does not end"), ("open apostrophe", "a b'c", 4, "does not end"),
        ("backslash at the end", #"a b\"#, 4, "ends with a backslash"), ("percent at the end", "a b%", 4, "written %%"),
        ("unknown code", "a %x", 3, "%x is no field code"), ("no program", "%f a", 1, "the program is not named"),
        ("empty program", "\"\" a", 1, "the program is not named"), ("two codes", "a %f %U", 1, "more than one"),
        ("list within a word", "a --x=%F", 3, "word of its own"), ("icon within a word", "a x%i", 3, "word of its own"),
        ("comment", "a # b", 3, "begins with #"),
    ]

    @Test(arguments: broken.map(\.id))
    func brokenIsSaidWithItsPlace(_ id: String) throws {
        let row = try #require(Self.broken.first { $0.id == id })
        let problem = #expect(throws: ExecProblem.self) { try ExecLine(row.exec) }
        #expect(problem?.place == row.place)
        #expect(problem?.message.contains(row.text) == true, "\(problem?.message ?? "")")
        // The line is right, and what is asked of it is not.
        let isAnother = ["takes nothing", "no file", "file of another machine", "file with a NUL"].contains(id)
        #expect((problem?.help?.contains("leave {target} out") ?? false) == isAnother)
    }

    static let unsafe: [(id: String, exec: String, uri: String, text: String)] = [
        ("option", "a %u", "--evil", "reads as an option"), ("option among URLs", "a %U", "-x", "reads as an option"),
        ("commands of a shell", "sh -c %u", "x:y", "given to a shell"),
        ("commands of a shell behind others", "/usr/bin/env A=b /bin/bash -lc %u", "x:y", "given to a shell"),
        ("in a quotation of a shell", #"sh -c "open %u""#, "x:y", "stands in a quotation"),
        ("in apostrophes", "sh -c 'open %f'", "file:///x", "stands in a quotation"),
        ("in an escaped word", #"sh -c open\ %u"#, "x:y", "stands in a quotation"),
        ("code of Python", "python3 -c %u", "x:y", "given to python as code"),
        ("code of Python in quotation marks", #"python3 -c "print('%u')""#, "x:y", "stands in a quotation"),
        ("code of Python at once", "/usr/bin/python3.13 -Ic%u", "x:y", "given to python as code"),
        ("code of Python behind others", "env A=b nice -n 5 python3 -u -c %u", "x:y", "given to python as code"),
        ("code of Perl", "perl -we %u", "x:y", "given to perl as code"),
        ("code of Ruby", "ruby -e %u", "x:y", "given to ruby as code"),
        ("code of Node", "node --eval=%u", "x:y", "given to node as code"),
        ("code of Node in two words", "node --print %u", "x:y", "given to node as code"),
        ("code of Emacs", "emacs --eval %u", "x:y", "given to emacs as code"),
        ("what emacsclient evaluates", "emacsclient -e (setq) %u", "x:y", "given to emacsclient as code"),
        ("commands of Vim", "gvim -c %u", "x:y", "given to gvim as code"),
        ("commands of Vim with a plus", "vim +%u", "x:y", "given to vim as code"),
        ("awk's program", "awk %f", "file:///x", "given to awk as code"),
        ("sed's script", "sed -i %f", "file:///x", "given to sed as code"),
        ("a shell behind su", "su -c %u", "x:y", "given to su as code"),
        ("words that env splits", "env -S %u", "x:y", "given to env as"),
        ("a command of tmux", "tmux new-window %u", "x:y", "given to tmux"),
        ("a command of watch", "watch -n 1 %f", "file:///x", "given to watch"),
        ("a command elsewhere", "ssh host %u", "x:y", "given to ssh as a command"),
        ("a program in a terminal", "xterm -e %u", "x:y", "as the program to run"),
        ("a program in a terminal with a title", "xterm -T title -e %f", "file:///x", "as the program to run"),
        ("a program in a terminal behind two hyphens", "gnome-terminal -- %u", "x:y", "as the program to run"),
        ("a program in another terminal", "foot %u", "x:y", "as the program to run"),
        ("a shell in a terminal", "xterm -e sh -c %u", "x:y", "given to a shell"),
        ("a program of its own session", "setsid %f", "file:///x", "as the program to run"),
        ("a program with a time limit", "timeout -k 1 5 %u", "x:y", "as the program to run"),
        ("a program with variables", "env -u A B=c %f", "file:///x", "as the program to run"),
        ("a program without a code", "nohup", "file:///x", "a file is given to nohup as the program to run"),
        ("no file", "a %f", "https://a.example/", "takes local files"),
        ("file of another machine", "a %f", "file://other/x", "takes local files"),
        ("file with a NUL", "a %f", "file:///x%00y", "takes local files"),
        ("takes nothing", "a", "https://a.example/", "none of %f, %F, %u and %U"),
    ]

    @Test(arguments: unsafe.map(\.id))
    func unsafeFillingIsRefused(_ id: String) throws {
        let row = try #require(Self.unsafe.first { $0.id == id })
        let line = try ExecLine(row.exec)
        // As it is it can be started.
        _ = try line.commands(ExecFilling(subjects: [], icon: nil, name: "n", path: "/p"))
        let problem = #expect(throws: ExecProblem.self) {
            try line.commands(ExecFilling(subjects: [row.uri], icon: nil, name: "n", path: "/p"))
        }
        #expect(problem?.message.contains(row.text) == true, "\(problem?.message ?? "")")
    }

    /// What looks alike and is none: the address is an argument.
    static let harmless = [
        "python3 tool.py %u", "python3 -m tool %u", #"python3 -c "import sys; print(sys.argv[1])" %u"#,
        "perl -e 1 %u", "env A=b nice -n 5 firefox %u", "nohup firefox --new-tab %u", "timeout 5 curl -c jar %u",
        "xterm -e vim %u", "xterm -T title -e less %u", "foot -T title less %u", "gnome-terminal -- vim %u",
        "gnome-terminal --working-directory=%u", "vim -c start %u", "sed -e s/a/b/ %f", "awk -f tool.awk %f",
        "ssh %u", "emacsclient -c %F", "sudo -u me mpv %U", "gcc -c %f", "tar -cf %f", "tmuxinator start %u",
        "libreoffice -env:x %U",
    ]

    @Test(arguments: harmless) func anArgumentIsNoCode(_ exec: String) throws {
        let line = try ExecLine(exec)
        let commands = try line.commands(ExecFilling(subjects: ["file:///x"], icon: nil, name: "n", path: "/p"))
        #expect(commands.count == 1 && commands[0].joined(separator: " ").contains("/x"))
    }

    @Test func nothingTrapsOnAnyText() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array(" %\"'\\#fFuUickd%ab\t\n=-$;é\u{1F921}")
        for _ in 0..<5000 {
            let text = String(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
            guard let line = try? ExecLine(text) else { continue }
            _ = try? line.commands(
                ExecFilling(subjects: ["file:///a", "x:b"], icon: "", name: text, path: "/p"))
        }
    }
}
