import Testing

/// Microdata as the browser extension says it: every item is a node of its own with a name, and those in it are referred to.
struct MicrodataTests {
    private static let call = #""supportsPhoneCalls":true"#

    static let cases: [PageCase] = [
        PageCase(
            "values in arrays, an item in an item",
            PageCase.graph(
                #"{"@id":"_:0","@type":["https://schema.org/Cafe","https://schema.org/Bar"],"name":["A & B"],"telephone":["tel:+49%2089","tel:+49 89 1","5552"],"image":["i.png"],"geo":[{"@id":"_:1"}]}"#,
                #"{"@id":"_:1","@type":[],"latitude":["48.5"],"longitude":[" 11 "]}"#), url: "https://s.example/",
            [
                #"{"namedLocation":"A & B","latitude":48.5,"longitude":11,"phoneNumbers":["+49 89 1","5552"],\#(call),"supportsNavigation":true,"thumbnailURL":"https://s.example/i.png"}"#
            ]),
        PageCase(
            "an address that is no item",
            PageCase.graph(
                #"{"@id":"_:0","address":["S 1C"],"streetAddress":["S 1"],"addressLocality":["C"]}"#),
            [#"{"fullThoroughfare":"S 1","city":"C","supportsNavigation":true}"#]),
        PageCase(
            "what belongs to an item, and what does not",
            PageCase.graph(
                #"{"@id":"_:0","telephone":["5551"],"address":[{"@id":"_:1"}],"x":[{"@id":"_:2"}]}"#,
                #"{"@id":"_:1","streetAddress":["S"],"telephone":["5552"]}"#, #"{"@id":"_:2","telephone":["5553"]}"#),
            [
                #"{"fullThoroughfare":"S","phoneNumbers":["5551","5552"],\#(call),"supportsNavigation":true}"#,
                #"{"phoneNumbers":["5553"],\#(call)}"#,
            ]),
        PageCase(
            "what is in something that belongs to an item, unless it has an id that others know",
            PageCase.graph(
                #"{"@id":"_:0","telephone":["5551"],"contactPoint":[{"@id":"_:1"}]}"#,
                ##"{"@id":"_:1","telephone":["5552"],"areaServed":[{"@id":"_:2"},{"@id":"#c"}]}"##,
                #"{"@id":"_:2","telephone":["5553"]}"#, ##"{"@id":"#c","telephone":["5554"]}"##),
            [#"{"phoneNumbers":["5551","5552"],\#(call)}"#, #"{"phoneNumbers":["5554"],\#(call)}"#]),
        PageCase(
            "a circle",
            PageCase.graph(
                #"{"@id":"_:0","telephone":["5551"],"address":[{"@id":"_:1"}]}"#,
                #"{"@id":"_:1","telephone":["5552"],"address":[{"@id":"_:1"},{"@id":"_:0"}]}"#),
            [#"{"phoneNumbers":["5551","5552"],\#(call)}"#]),
        PageCase(
            "an address of several items",
            PageCase.graph(
                #"{"@id":"_:0","name":["A"],"address":[{"@id":"_:2"}]}"#,
                #"{"@id":"_:1","name":["B"],"address":[{"@id":"_:2"}]}"#, #"{"@id":"_:2","addressLocality":["C"]}"#),
            [
                #"{"namedLocation":"A","city":"C","supportsNavigation":true}"#,
                #"{"namedLocation":"B","city":"C","supportsNavigation":true}"#,
            ]),
        PageCase(
            "an item that was not read any more",
            PageCase.graph(#"{"@id":"_:0","telephone":["5551"],"geo":[{"@id":"_:1"}]}"#),
            [#"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase(
            "names in full", PageCase.graph(#"{"@id":"_:0","http://schema.org/telephone":["5551"]}"#),
            [#"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase(
            "an equal item of JSON-LD",
            [PageCase.block(#""telephone":"5551""#), PageCase.graph(#"{"@id":"_:0","telephone":["5551"]}"#)],
            [#"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase(
            "one id in JSON-LD and microdata",
            [
                PageCase.block(##""@id":"#a","name":"A","telephone":"5551""##),
                PageCase.graph(##"{"@id":"https://s.example/x#a","name":["B"],"addressLocality":["C"]}"##),
            ], url: "https://s.example/x",
            [#"{"namedLocation":"A","city":"C","phoneNumbers":["5551"],\#(call),"supportsNavigation":true}"#]),
        PageCase(
            "a bad coordinate", PageCase.graph(#"{"@id":"_:0","telephone":["5551"],"latitude":["north"]}"#),
            [#"{"phoneNumbers":["5551"],\#(call)}"#], ["page.coordinate"]),
    ]

    @Test(arguments: cases) func items(_ test: PageCase) {
        #expect(test.page.attributes == test.items)
        #expect(test.page.findingNames == test.findings)
    }
}
