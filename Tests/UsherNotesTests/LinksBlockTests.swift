import Testing
import UsherEngine

@testable import UsherNotes

/// The file in which a note is edited, and what is read back from it.
struct LinksBlockTests {
    private static let crusty = LinksBlock.Link(id: "1", title: "Crusty", identifier: "https://a.example/crusty")
    private static let bare = LinksBlock.Link(id: "2", title: nil, identifier: "https://a.example/bare")

    private func read(_ file: String, _ links: [LinksBlock.Link] = [crusty, bare]) -> LinksBlock.Reading {
        LinksBlock.read(file, links: links)
    }

    /// What was done, in words.
    private func edits(_ lines: String..., of links: [LinksBlock.Link] = [crusty, bare]) -> [String] {
        let edits = read("text\n\n<!-- links -->\n" + lines.joined(separator: "\n") + "\n", links).links
        return edits.removed.map { "remove \($0)" } + edits.renamed.map { "rename \($0.id) \($0.title ?? "-")" }
            + edits.added.map { "add \($0.title ?? "-") \($0.identifier)" }
    }

    @Test func theFileIsTheTextAndALineALink() {
        #expect(
            LinksBlock.file(text: "one\ntwo", links: [Self.crusty, Self.bare]) == """
                one
                two

                <!-- links -->
                - [Crusty](https://a.example/crusty)
                - [https://a.example/bare](https://a.example/bare)

                """)
        #expect(LinksBlock.file(text: "one\n", links: []) == "one\n\n<!-- links -->\n")
    }

    @Test(
        arguments: [
            (#"a\b [c]"#, "x:1", #"- [a\\b \[c\]](x:1)"#), ("two\nlines\t!", "x:1", "- [two lines !](x:1)"),
            (nil, "x:a b", "- [x:a b](<x:a b>)"), ("t", "x:(1)", "- [t](<x:(1)>)"),
            ("t", "x:<1>", "- [t](<x:%3C1%3E>)"),
            ("t", "x:1\n2\r", "- [t](<x:1%0A2%0D>)"), ("t", "42", "- [t](42)"), ("", "x:1", "- [](x:1)"),
            ("é 東京", "https://a.example/%C3%A9", "- [é 東京](https://a.example/%C3%A9)"),
        ] as [(String?, String, String)])
    func lines(_ title: String?, _ identifier: String, _ line: String) {
        let link = LinksBlock.Link(id: "1", title: title, identifier: identifier)
        let file = LinksBlock.file(text: "t", links: [link])
        #expect(file == "t\n\n<!-- links -->\n\(line)\n")
        #expect(read(file, [link]).links.isEmpty && read(file, [link]).unreadable.isEmpty)
        #expect(edits(of: [link]) == ["remove 1"])
    }

    private static let same = [
        "- [Crusty](https://a.example/crusty)", "- [https://a.example/bare](https://a.example/bare)",
    ]

    @Test func whatCountsForNothing() {
        #expect(edits(Self.same[0], Self.same[1]) == [])
        #expect(edits(Self.same[1], Self.same[0]) == [])
        #expect(edits(Self.same[1], "", "  \t", Self.same[0], Self.same[1]) == [])
        #expect(edits("* [Crusty](<https://a.example/crusty>)", "https://a.example/bare") == [])
        #expect(edits("[Crusty](https://a.example/crusty)", "  -   https://a.example/bare  \r") == [])
        // Beside the line that it has, another title is a repeat.
        #expect(edits(Self.same[0], "- [Other](https://a.example/crusty)", Self.same[1]) == [])
    }

    @Test func whatIsDone() {
        #expect(edits(Self.same[0]) == ["remove 2"])
        #expect(edits() == ["remove 1", "remove 2"])
        #expect(edits("- [Krusty](https://a.example/crusty)", Self.same[1]) == ["rename 1 Krusty"])
        #expect(edits("https://a.example/crusty", Self.same[1]) == ["rename 1 -"])
        #expect(edits("- [](https://a.example/crusty)", Self.same[1]) == ["rename 1 -"])
        #expect(
            edits(Self.same[0], "- [Bare](https://a.example/bare)", "- [Bore](https://a.example/bare)")
                == ["rename 2 Bare"])
        #expect(
            edits("- [Crusty](https://a.example/krusty)", Self.same[1])
                == ["remove 1", "add Crusty https://a.example/krusty"])
        #expect(
            edits(Self.same[0], Self.same[1], "x:new", "* [N](x:new)", #"- [\[a\]](<x:a b>)"#)
                == ["add - x:new", "add [a] x:a b"])
        #expect(edits(Self.same[0], Self.same[1], "- [n](42)") == ["add n 42"])
    }

    @Test func twoLinksWithEqualLines() {
        // Of two apps.
        let links = ["1", "2"].map { LinksBlock.Link(id: $0, title: "t", identifier: "42") }
        #expect(edits("- [t](42)", "- [t](42)", of: links) == [])
        #expect(edits("- [t](42)", of: links) == ["remove 2"])
        #expect(edits("- [t](42)", "- [u](42)", of: links) == ["rename 2 u"])
    }

    @Test(arguments: [
        "no link", "- [Crusty](https://a.example/crusty", "- [Crusty https://a.example/crusty)", "- [a]b](x:1)",
        "- [t](x: 1)", "- [t]()", "-", "* *", "[", "- [t](<x:1)", "- [t](<x:1>2>)", "- [Crusty](x:1) more", "<x:1>",
        "- [t](x:\(String(repeating: "y", count: 17_000)))",
    ])
    func aLineThatIsNoLinkIsText(_ line: String) {
        let reading = read("text\n\n<!-- links -->\n\(line)\n- [Bore](https://a.example/bare)\nx:new\n")
        #expect(reading.text == "text\n" + line && reading.unreadable == [line])
        // Nothing is removed; the other lines count.
        #expect(reading.links.removed == [] && reading.links.renamed.map(\.id) == ["2"])
        #expect(reading.links.added.map(\.identifier) == ["x:new"])
    }

    @Test func withoutAMarkerAllIsText() {
        let reading = read("one\n- [Crusty](x:1)\n\n")
        #expect(reading.text == "one\n- [Crusty](x:1)" && !reading.hasMarker && reading.links.isEmpty)
        #expect(!read("").hasMarker && read("").text == "")
        #expect(!read("a <!-- links -->").hasMarker)
    }

    @Test func theLastMarkerCounts() {
        let text = "about\n<!-- links -->\n- [in](x:text)"
        let file = LinksBlock.file(text: text, links: [Self.crusty])
        #expect(read(file, [Self.crusty]).text == text && read(file, [Self.crusty]).links.isEmpty)
        #expect(read("a\n\n  <!-- links -->  \n", []).text == "a")
    }

    @Test func endsOfLines() {
        let file = LinksBlock.file(text: "one\n\ntwo", links: [Self.crusty, Self.bare])
        let reading = read(file.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n"))
        #expect(reading.text == "one\n\ntwo" && reading.links.isEmpty && reading.hasMarker)
        #expect(read("\n  a \n\n \n\t\n<!-- links -->").text == "\n  a ")
        #expect(LinksBlock.text(readBack: "a\r\nb\n\n") == "a\nb")
    }

    @Test func randomLinksAreReadBack() {
        var random = Xorshift()
        let pieces = [
            "[", "]", "\\", "(", ")", "<", ">", " ", "\t", "\n", "\r\n", "%", "%3C", "#", "-", "* ", "é", "e\u{301}",
            "東",
            "🤡", "\u{0}1", "\u{85}", "\u{2028}", "x:", "https://a.example/", "<!-- links -->", "](", "a", "b", "-->",
        ]
        func text(_ most: Int) -> String {
            (0..<random.next(most)).map { _ in pieces[random.next(pieces.count)] }.joined()
        }
        for _ in 0..<2000 {
            var links: [LinksBlock.Link] = []
            for id in 0..<random.next(5) {
                let identifier = "x\(id):" + text(8)
                links.append(.init(id: "\(id)", title: random.next(4) == 0 ? nil : text(8), identifier: identifier))
            }
            let note = "text " + text(12)
            let file = LinksBlock.file(text: note, links: links)
            let reading = LinksBlock.read(file, links: links)
            #expect(reading.text == LinksBlock.text(readBack: note), "\(file)")
            #expect(reading.links.isEmpty && reading.unreadable.isEmpty && reading.hasMarker, "\(file) \(links)")
            // Without the line of one, that one is removed.
            guard let gone = links.last else { continue }
            let shorter = file.split(separator: "\n", omittingEmptySubsequences: false).dropLast(2)
            let edits = LinksBlock.read(shorter.joined(separator: "\n"), links: links).links
            #expect(edits.removed == [gone.id] && edits.renamed.isEmpty && edits.added.isEmpty, "\(file)")
        }
    }
}

/// The same numbers in each run.
private struct Xorshift {
    private var state: UInt64 = 0x2545_F491_4F6C_DD1D

    mutating func next(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}
