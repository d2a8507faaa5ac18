import Testing

@testable import UsherActivities

/// Relative addresses, by the examples of RFC 3986, section 5.4.
struct ReferenceTests {
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
        ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("https://A.example/x/../y", "https://A.example/x/../y"),
    ])
    func references(_ reference: String, _ address: String) {
        let page = Page.read([PageCase.block(#""telephone":"5551","url":"\#(reference)""#)], url: "http://a/b/c/d;p?q")
        #expect(page.items.first?.url == address)
    }

    @Test(
        arguments: [
            (nil, nil, nil), ("https://b.example/d/", nil, "https://b.example/d/x"),
            ("/e/", "https://b.example/d/", "https://b.example/e/x"), ("/e/", nil, nil),
            (nil, "mailto:b@c.example", nil),
            (nil, "file:///d/e", "file:///d/x"), ("", "https://b.example/d/", "https://b.example/d/x"),
            ("mailto:b", "https://b.example/d/", "https://b.example/d/x"),
        ] as [(String?, String?, String?)])
    func bases(_ base: String?, _ url: String?, _ address: String?) {
        let page = Page.read([PageCase.block(#""telephone":"5551","url":"x""#)], url: url, base: base)
        #expect(page.items.first?.url == address)
    }

    @Test func veryManyAgainstALongAddress() {
        let url = "https://s.example/" + String(repeating: "a", count: 16 << 10) + "/"
        let nodes = (0..<5000).map { #"{"@id":"\#($0)","telephone":"\#(10_000 + $0 % 50)"}"# }
        let page = Page.read([PageCase.block(#""@graph":[\#(nodes.joined(separator: ","))]"#)], url: url)
        #expect(page.items.count == 50)
    }
}
