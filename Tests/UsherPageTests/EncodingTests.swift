import Testing
import UsherPage

struct EncodingTests {
    @Test(
        arguments: [
            ("", .utf8, true), ("<meta charset=utf-8>", .utf8, true), ("<META CHARSET=' Latin1 '>", .windows1252, true),
            ("<meta charset=ISO-8859-1>", .windows1252, true), ("<meta charset=us-ascii>", .windows1252, true),
            ("<meta charset=\"iso-8859-2\">", .latin2, true), ("<!-- <meta charset=iso-8859-2> -->", .utf8, true),
            ("<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>", .windows1252, true),
            ("<meta content='text/html; charset=\"latin2\"' http-equiv=content-type>", .latin2, true),
            ("<meta name=x content='charset=latin2'>", .utf8, true), ("<meta charset=koi8-r>", .utf8, false),
            ("<meta charset=utf-16>", .utf8, false),
            (String(repeating: " ", count: 1004) + "<meta charset=latin2>", .utf8, true),
            (String(repeating: " ", count: 1003) + "<meta charset=latin2>", .latin2, true),
        ] as [(String, PageEncoding, Bool)])
    func declarations(_ page: String, _ encoding: PageEncoding, _ isRead: Bool) {
        let page = PageCase.read(page)
        #expect(page.encoding == encoding)
        #expect(page.findingNames == (isRead ? [] : ["page.encoding"]))
    }

    @Test(
        arguments: [
            ("windows-1252", [0x80, 0x9F, 0xE9, 0x81], "€Ÿé\u{FFFD}"),
            ("iso-8859-2", [0xB1, 0xE6, 0xFF, 0xA1], "ąć˙Ą"),
            ("utf-8", [0xC3, 0xA9, 0xFF, 0xC3], "é\u{FFFD}\u{FFFD}"),
        ] as [(String, [UInt8], String)])
    func bytes(_ label: String, _ bytes: [UInt8], _ title: String) {
        let page = Page(Array("<meta charset=\(label)><title>".utf8) + bytes + Array("</title>".utf8))
        #expect(page.title == title)
    }

    @Test func byteOrderMarks() {
        let title = Array("<meta charset=latin1><title>é</title>".utf8)
        let marked = Page([0xEF, 0xBB, 0xBF] + title)
        #expect(marked.title == "é")
        #expect(marked.encoding == .utf8)
        let wide = Page([0xFF, 0xFE] + Array("<t".utf8).flatMap { [$0, 0] })
        #expect(wide.findingNames == ["page.encoding"])
        #expect(wide.findings.first?.line == 1)
    }

    @Test func wrongBytesInABlock() {
        let block = Array(
            #"<script type=application/ld+json>{"@context":"http://schema.org","telephone":"5551","name":""#.utf8)
        let page = Page(block + [0xE9] + Array("\"}</script>".utf8))
        #expect(
            page.attributes == [#"{"namedLocation":"\#u{FFFD}","phoneNumbers":["5551"],"supportsPhoneCalls":true}"#])
    }
}
