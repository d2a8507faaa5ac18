import Testing

@testable import UsherActivities

/// Items of JSON-LD.
struct LinkedDataTests {
    private static let call = #""supportsPhoneCalls":true"#
    private static func phone(_ name: String?, _ numbers: String...) -> String {
        let list = numbers.map { "\"\($0)\"" }.joined(separator: ",")
        return "{" + (name.map { #""namedLocation":"\#($0)","# } ?? "") + #""phoneNumbers":[\#(list)],\#(call)}"#
    }

    static let cases: [PageCase] = [
        .item("a telephone", #""name":"A","telephone":"555 1"#, [], ["page.json"]),
        .item("a name and a telephone", #""name":" A \n B","telephone":"tel:555-1""#, [phone("A B", "555-1")]),
        .item("legalName", #""name":"","legalName":"L","telephone":"5551""#, [phone("L", "5551")]),
        .item("the title", #""telephone":"5551""#, title: " T\n & U ", [phone("T & U", "5551")]),
        .item("no name at all", #""telephone":5551"#, [phone(nil, "5551")]),
        .item(
            "each number once", #""telephone":["555 1","tel:555 1"," 555  1 ","no",true,5.5,{"@value":"5552"}]"#,
            [phone(nil, "555 1", "5552")]),
        .item("an unusable telephone is none", #""name":"A","telephone":"ask us""#, []),
        .item(
            "an address",
            #""name":"A","address":{"@type":"PostalAddress","streetAddress":["S 1","2nd floor"],"addressLocality":"C","addressRegion":"R","postalCode":80331,"addressCountry":{"@type":"Country","name":"DE"}}"#,
            [
                #"{"namedLocation":"A","fullThoroughfare":"S 1, 2nd floor","city":"C","stateOrProvince":"R","postalCode":"80331","country":"DE","supportsNavigation":true}"#
            ]),
        .item(
            "a plain address", #""name":"A","address":["","S 1,  C"]"#,
            [#"{"namedLocation":"A","fullThoroughfare":"S 1, C","supportsNavigation":true}"#]),
        .item(
            "geo", #""name":"A","geo":{"latitude":"48.10","longitude":-11}"#,
            [#"{"namedLocation":"A","latitude":48.1,"longitude":-11,"supportsNavigation":true}"#]),
        .item(
            "own coordinates", #""name":"A","latitude":4.8e1,"longitude":"+11.5""#,
            [#"{"namedLocation":"A","latitude":48,"longitude":11.5,"supportsNavigation":true}"#]),
        .item(
            "a coordinate out of range", #""name":"A","telephone":"5551","geo":{"latitude":91,"longitude":11}"#,
            [phone("A", "5551")], ["page.coordinate"]),
        .item(
            "a coordinate that is no number",
            #""name":"A","telephone":"5551","geo":{"latitude":"48,1","longitude":11}"#, [phone("A", "5551")],
            ["page.coordinate"]),
        .item("a latitude alone", #""name":"A","latitude":48"#, []),
        .item(
            "a city alone", #""@type":"PostalAddress","addressLocality":"C""#,
            [#"{"city":"C","supportsNavigation":true}"#]),
        .item(
            "a country alone",
            #""offers":{"shippingDestination":{"@type":"DefinedRegion","addressCountry":"US","addressRegion":"NY"}}"#,
            []),
        .item(
            "at any depth, outer first",
            #""telephone":"5551","a":[{"b":{"telephone":"5552"}}],"c":{"telephone":"5553"}"#,
            [phone(nil, "5551"), phone(nil, "5552"), phone(nil, "5553")]),
        .item(
            "what belongs to an item",
            #""name":"A","contactPoint":[{"telephone":"5553"},{"telephone":"5552","areaServed":{"telephone":"5559"}}],"telephone":"5551","address":{"addressLocality":"C","telephone":"5554"}"#,
            [
                #"{"namedLocation":"A","city":"C","phoneNumbers":["5551","5553","5552","5554"],\#(call),"supportsNavigation":true}"#
            ]),
        .item(
            "a contact point of nothing else", #""name":"A","contactPoint":{"telephone":"5551"}"#, [phone(nil, "5551")]),
        .item(
            "a place of an event", #""@type":"Event","name":"E","location":{"name":"A","address":"S 1"}"#,
            [#"{"namedLocation":"A","fullThoroughfare":"S 1","supportsNavigation":true}"#]),
        .item(
            "references, before and after",
            #""@graph":[{"@id":"x#c","telephone":"5552"},{"name":"A","telephone":"5551","contactPoint":{"@id":"x#c"},"address":{"@id":"x#a"}},{"@id":"x#a","streetAddress":"S"}]"#,
            [
                #"{"namedLocation":"A","fullThoroughfare":"S","phoneNumbers":["5551","5552"],\#(call),"supportsNavigation":true}"#
            ]),
        PageCase(
            "one id in two blocks",
            [
                PageCase.block(#""@id":"x#a","name":"A","address":{"addressLocality":"C"}"#),
                PageCase.block(
                    #""@id":"https://s.example/x#a","name":"B","telephone":"5551","address":{"addressLocality":"D"}"#),
            ],
            url: "https://s.example/x",
            [#"{"namedLocation":"A","city":"C","phoneNumbers":["5551"],\#(call),"supportsNavigation":true}"#]),
        PageCase(
            "blank ids are a block's own",
            [PageCase.block(#""@id":"_:a","telephone":"5551""#), PageCase.block(#""@id":"_:a","telephone":"5552""#)],
            [phone(nil, "5551"), phone(nil, "5552")]),
        .item(
            "a cycle",
            #""@id":"x#a","telephone":"5551","contactPoint":{"@id":"x#b","telephone":"5552","contactPoint":{"@id":"x#a"}}"#,
            [phone(nil, "5551", "5552")]),
        .item("its own address", #""@id":"x#a","telephone":"5551","address":{"@id":"x#a"}"#, [phone(nil, "5551")]),
        .item(
            "a prefix and an address as names", #""schema:name":"A","http://schema.org/telephone":"5551""#,
            [phone("A", "5551")]),
        .item("a member twice", #""telephone":"5551","telephone":"5552""#, [phone(nil, "5552")]),
        .item("no entities", #""name":"A &amp; B","telephone":"5551""#, [phone("A &amp; B", "5551")]),
        .item(
            "equal items",
            #""@graph":[{"@type":"A","url":"https://a.example","telephone":"5551"},{"@type":"B","telephone":"5551"}]"#,
            [phone(nil, "5551")]),
        .item(
            "a person",
            #""@type":"Person","name":"P Q","givenName":"P","familyName":"Q","telephone":"5551","email":["mailto:p@q.example?subject=x","p@q.example"]"#,
            [
                #"{"phoneNumbers":["5551"],\#(call),"displayName":"P Q","givenName":"P","familyName":"Q","emailAddresses":["p@q.example"]}"#
            ]),
        .item(
            "a person with an address", #""@type":"schema:Person","name":"P","address":"S 1""#,
            [#"{"namedLocation":"P","fullThoroughfare":"S 1","supportsNavigation":true,"displayName":"P"}"#]),
        .item("a person with an e-mail address alone", #""@type":"Person","name":"P","email":"p@q.example""#, []),
        .item(
            "images", #""telephone":"5551","image":["",{"@type":"ImageObject","url":"../i.png"}]"#, base: "/c/",
            url: "https://s.example/a/b",
            [#"{"phoneNumbers":["5551"],\#(call),"thumbnailURL":"https://s.example/i.png"}"#]),
        .item("a relative image without a base", #""telephone":"5551","image":"i.png""#, [phone(nil, "5551")]),
        .item("a list and a set", #""telephone":{"@list":["5551"]},"name":{"@set":["A"]}"#, [phone("A", "5551")]),
    ]

    @Test(arguments: cases) func items(_ test: PageCase) {
        #expect(test.page.attributes == test.items)
        #expect(test.page.findingNames == test.findings)
    }

    @Test(arguments: [
        (#""https://schema.org""#, true), (#""http://schema.org/""#, true), (#""https://www.schema.org""#, true),
        (#"["x",{"a":"b"},"http://www.schema.org/"]"#, true), (#"{"@vocab":"http://schema.org/"}"#, true),
        (#"["x",{"@vocab":"https://schema.org"}]"#, true), (#"{"schema":"https://schema.org/"}"#, false),
        (#""https://schema.org/x""#, false), (#""https://schema.org.example""#, false), ("null", false), ("[]", false),
        (#""ftp://schema.org""#, false),
    ])
    func contexts(_ context: String, _ isRead: Bool) {
        let page = Page(Array(#"{"@context":\#(context),"telephone":"5551"}"#.utf8))
        #expect(page.items.count == (isRead ? 1 : 0))
        #expect(page.findingNames == (isRead ? [] : ["page.context"]))
    }

    @Test func eachElementOfAnArrayHasItsContext() {
        let page = Page(Array(#"[{"@context":"https://schema.org","telephone":"5551"},{"telephone":"5552"}]"#.utf8))
        #expect(page.attributes == [Self.phone(nil, "5551")])
        #expect(page.findingNames == ["page.context"])
    }

    @Test func typesAndAddresses() {
        let block = PageCase.block(
            #""@type":["http://schema.org/Cafe","schema:Store","https://other.example/T"],"telephone":"5551","url":"../x?a#b""#
        )
        let page = Page(Array(block.utf8), url: "https://s.example/a/b/c")
        #expect(page.items.first?.types == ["Cafe", "Store", "https://other.example/T"])
        #expect(page.items.first?.url == "https://s.example/a/x?a#b")
    }

    @Test func brokenBlocksLeaveTheOthers() {
        let page = Page.read(["{,}", PageCase.block(#""telephone":"5551""#), " "])
        #expect(page.items.count == 1)
        #expect(page.findingNames == ["page.json", "page.json"])
        #expect(page.findings.map(\.block) == [1, 3])
    }

    @Test(arguments: [
        "{", "", "null", "[]", #""x""#, #"{"data":{}}"#, #"{"@context":"https://schema.org","data":["{}"]}"#,
    ])
    func documentsWithoutData(_ document: String) {
        let page = Page(Array(document.utf8), url: "https://s.example/")
        #expect(page.items.isEmpty && page.title == nil && page.url == "https://s.example/")
        #expect(page.findings.count == (document.contains("@context") ? 0 : 1))
    }

    @Test func blocksInADocument() {
        let block = PageCase.block(#""telephone":"5551","url":"x""#)
        let page = Page(
            Array(#"{"title":7,"url":"https://s.example/","base":"b/","data":[\#(block),5,"[]"],"partial":true}"#.utf8))
        #expect(page.attributes == [Self.phone(nil, "5551")])
        #expect(
            page.items.first?.url == "https://s.example/b/x" && page.url == "https://s.example/" && page.title == nil)
        #expect(page.findings.map(\.block) == [2, 3, 3])
        #expect(page.findingNames == ["page.context", "page.context", "page.too-many"])
    }

    @Test(arguments: ["<!--", " \n<!-- \n", ""], ["-->", "\n-->\n", ""])
    func hiddenFromOldBrowsers(_ before: String, _ after: String) {
        #expect(Page.read([before + PageCase.block(#""telephone":"5551""#) + after]).items.count == 1)
    }

    @Test(arguments: [(62, true), (63, false), (10_000, false)])
    func levels(_ count: Int, _ isRead: Bool) {
        let deep = String(repeating: #"{"a":"#, count: count) + "1" + String(repeating: "}", count: count)
        for page in [
            Page.read([PageCase.block(#""telephone":"5551","a":[\#(deep)]"#)]),
            Page(Array(PageCase.block(#""telephone":"5551","a":[\#(deep)]"#).utf8)),
        ] {
            #expect(page.items.count == (isRead ? 1 : 0))
            #expect(page.findingNames == (isRead ? [] : ["page.too-deep"]))
        }
    }

    @Test(arguments: [100, 101])
    func hundredItems(_ count: Int) {
        let nodes = (0..<count).map { #"{"telephone":"\#(5000 + $0)"}"# }.joined(separator: ",")
        let page = Page.read([PageCase.block(#""@graph":[\#(nodes)]"#)])
        #expect(page.items.count == 100)
        #expect(page.findingNames == (count > 100 ? ["page.too-many"] : []))
    }

    @Test func hundredFindings() {
        let page = Page(
            Array(
                PageCase.block(
                    #""@graph":[\#(Array(repeating: #"{"latitude":99}"#, count: 101).joined(separator: ","))]"#
                ).utf8))
        #expect(page.findingNames == Array(repeating: "page.coordinate", count: 100))
    }
}
