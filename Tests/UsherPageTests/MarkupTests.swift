import Testing
import UsherPage

/// Which scripts and titles of a page count, and where each ends.
struct MarkupTests {
    private static let json = #"{"@context":"https://schema.org","telephone":"5551"}"#
    private static let open = #"<script type="application/ld+json">"#

    @Test(arguments: [
        ("usual", open + json + "</script>"),
        ("parameters and case", #"<SCRIPT class=x TYPE=' Application/LD+JSON ; charset=utf-8'>"# + json + "</Script >"),
        ("no quotes", "<script type=application/ld+json>" + json + "</script>"),
        ("not closed", open + json),
        ("hidden from old browsers", open + "\n<!-- \n" + json + "\n-->\n</script>"),
        ("after a comment", "<!-- x --!>" + open + json + "</script>"),
        ("after an empty comment", "<!-->" + open + json + "</script>"),
        ("after a bogus comment", "<?php x ?></ x><!x>" + open + json + "</script>"),
        ("after CDATA of HTML", "<![CDATA[x>" + open + json + "</script>"),
        ("after a script in a script", "<script><!-- <script></script> --></script>" + open + json + "</script>"),
        ("after a script with a comment", "<script>if (a<!--b) c</script>" + open + json + "</script>"),
        ("in noscript", "<noscript>" + open + json + "</script></noscript>"),
        ("after less-than signs", "a < b <3 <" + open + json + "</script>"),
        ("after a strange attribute", #"<p a='>' ="x" b=">"/ c>"# + open + json + "</script>"),
        ("after drawings", "<svg><style><title></svg>" + open + json + "</script>"),
    ])
    func read(_ name: String, _ page: String) {
        #expect(PageCase.read(page).items.count == 1, "\(name)")
        #expect(PageCase.read(page).findings.isEmpty, "\(name)")
    }

    @Test(arguments: [
        ("in a comment", "<!--" + open + json + "</script>-->"),
        ("in a comment with dashes", "<!-- > -- >" + open + json + "</script>"),
        ("in a template", "<template>" + open + json + "</script></template>"),
        ("in a style", "<style>" + open + json + "</script></style>"),
        ("in a title", "<title>" + open + json + "</script></title>"),
        ("in a textarea", "<textarea>" + open + json + "</script></textarea>"),
        ("in a frame", "<iframe>" + open + json + "</script></iframe>"),
        ("in a script", "<script>'" + open + json + "'</script>"),
        ("in a script in a comment", "<script><!--" + open + json + "</script>--></script>"),
        ("in plain text", "<plaintext>" + open + json + "</script>"),
        ("in an attribute", "<p title='" + open + json + "</script>'>"),
        ("another type", "<script type=application/json>" + json + "</script>"),
        ("no type", "<script>" + json + "</script>"),
        ("a drawing's", "<svg>" + open + json + "</script></svg>"),
    ])
    func notRead(_ name: String, _ page: String) {
        #expect(PageCase.read(page).items.isEmpty, "\(name)")
    }

    @Test(arguments: [
        ("<title> A\n &amp; B </title><title>C</title>", "A & B"), ("<p>x", nil), ("<title> </title>", nil),
        ("<svg><title>x</title></svg><title>T</title>", "T"), ("<TITLE>T", "T"),
        ("<title>&eacute;&#233;&#xE9;&#x80;&#0;</title>", "ééé€\u{FFFD}"),
        ("<title>&amp &ampx &notit; &unknown; &</title>", "& &x ¬it; &unknown; &"),
        ("<title>a<b>c</titlex></title>", "a<b>c</titlex>"),
        ("<template><title>x</title></template>", nil), ("<title>&NotEqualTilde;&fjlig;</title>", "≂̸fj"),
    ])
    func titles(_ page: String, _ title: String?) {
        #expect(PageCase.read(page).title == title)
    }

    @Test(arguments: ["<div>", "<p>", "<b>", "<svg>", "<table><td>", "<li>", "<a>x</b>", "<!--", "</div>", "<x y='"])
    func deepAndLong(_ part: String) {
        let page = PageCase.read(String(repeating: part, count: 10_000) + Self.open + Self.json + "</script>")
        #expect(page.findings.isEmpty)
    }
}
