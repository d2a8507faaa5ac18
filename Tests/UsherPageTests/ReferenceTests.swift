import Testing
import UsherPage

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
        let page = PageCase.read(
            PageCase.block(#""telephone":"5551","url":"\#(reference)""#), url: "http://a/b/c/d;p?q")
        #expect(page.items.first?.url == address)
    }

    @Test func bases() {
        let block = PageCase.block(#""telephone":"5551","url":"x""#)
        func url(_ page: String, _ url: String?) -> String? { PageCase.read(page, url: url).items.first?.url }
        #expect(url(block, nil) == nil)
        #expect(url("<base href='https://b.example/d/'>" + block, nil) == "https://b.example/d/x")
        #expect(
            url("<base target=x><base href=/e/><base href=/f/>" + block, "https://b.example/d/")
                == "https://b.example/e/x")
        #expect(url("<base href=/e/>" + block, nil) == nil)
    }
}
