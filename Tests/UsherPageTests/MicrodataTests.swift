import Testing
import UsherPage

/// Items of microdata, and to which item a property belongs.
struct MicrodataTests {
    private static let call = #""supportsPhoneCalls":true"#

    static let cases: [PageCase] = [
        PageCase(
            "values by element",
            """
            <div itemscope itemtype="https://schema.org/Cafe https://schema.org/Bar"><meta itemprop=name content="A &amp; B">
            <a itemprop=telephone href="tel:+49%2089"></a><a itemprop=telephone href="tel:+49 89 1">call</a>
            <data itemprop=telephone value=5552>x</data><time itemprop=telephone datetime=5553>x</time>
            <img itemprop=image src=i.png><div itemprop=geo itemscope><meta itemprop=latitude content="48.5">
            <span itemprop=longitude> 11 </span></div></div>
            """, url: "https://s.example/",
            [
                #"{"namedLocation":"A & B","latitude":48.5,"longitude":11,"phoneNumbers":["+49 89 1","5552","5553"],\#(call),"supportsNavigation":true,"thumbnailURL":"https://s.example/i.png"}"#
            ]),
        PageCase(
            "a content attribute goes before the text, unless it is blank",
            "<div itemscope><b itemprop=telephone content='+5551'>call us</b><b itemprop=telephone content=' '>5552</b><b itemprop=telephone content=5553></b></div>",
            [#"{"phoneNumbers":["+5551","5552","5553"],\#(call)}"#]),
        PageCase(
            "paragraphs and list items end by themselves",
            "<div itemscope><p itemprop=name>A<p itemprop=telephone>5551<ul><li itemprop=telephone>5552<li itemprop=telephone>5553</ul></div>",
            [#"{"namedLocation":"A","phoneNumbers":["5551","5552","5553"],\#(call)}"#]),
        PageCase(
            "so do items",
            "<ul><li itemscope><b itemprop=telephone>5551</b><li itemscope><b itemprop=telephone>5552</b></ul>",
            [#"{"phoneNumbers":["5551"],\#(call)}"#, #"{"phoneNumbers":["5552"],\#(call)}"#]),
        PageCase(
            "and rows",
            "<table><tr itemscope><td itemprop=name>A<td itemprop=telephone>5551<tr itemscope><td itemprop=telephone>5552</table>",
            [#"{"namedLocation":"A","phoneNumbers":["5551"],\#(call)}"#, #"{"phoneNumbers":["5552"],\#(call)}"#]),
        PageCase(
            "a table in a table",
            "<table itemscope><tr><td><table><tr><td>x</table><td itemprop=telephone>5551</table><b itemprop=telephone>5552</b>",
            [#"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase(
            "empty elements",
            "<div itemscope><br><img><input><link itemprop=x href=y><b itemprop=telephone>5551<br/>2</b></div>",
            [#"{"phoneNumbers":["5551 2"],\#(call)}"#]),
        PageCase(
            "end tags without a start",
            "<div itemscope></span></b></p></td></table></li><b itemprop=telephone>5551</b></div>",
            [#"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase(
            "crossed tags",
            "<div itemscope><b><i itemprop=telephone>5551</b></i><span itemprop=telephone>5552<div></span>1</div></span></div>",
            [#"{"phoneNumbers":["5551","55521"],\#(call)}"#]),
        PageCase(
            "an item in an item",
            "<div itemscope><b itemprop=telephone>5551</b><div itemprop=address itemscope><i itemprop=streetAddress>S</i><i itemprop=telephone>5552</i></div><div itemprop=x itemscope><i itemprop=telephone>5553</i></div></div>",
            [
                #"{"fullThoroughfare":"S","phoneNumbers":["5551","5552"],\#(call),"supportsNavigation":true}"#,
                #"{"phoneNumbers":["5553"],\#(call)}"#,
            ]),
        PageCase(
            "itemref",
            "<p id=a><b itemprop=telephone>5550</b></p><div itemscope itemref='b none a'><b itemprop=telephone>5551</b></div><i id=b itemprop=telephone>5552</i><i id=b itemprop=telephone>5559</i>",
            [#"{"phoneNumbers":["5550","5551","5552"],\#(call)}"#]),
        PageCase(
            "itemref in a circle",
            "<div id=a itemscope itemref=b><b itemprop=telephone>5551</b></div><div id=b itemprop=address itemscope itemref=a><b itemprop=telephone>5552</b></div>",
            [#"{"phoneNumbers":["5551","5552"],\#(call)}"#]),
        PageCase(
            "several names", "<div itemscope><b itemprop='x  name telephone'>5551</b></div>",
            [#"{"namedLocation":"5551","phoneNumbers":["5551"],\#(call)}"#]),
        PageCase(
            "names in full", "<div itemscope><b itemprop=http://schema.org/telephone>5551</b></div>",
            [#"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase("not in a template", "<template><div itemscope><b itemprop=telephone>5551</b></div></template>", []),
        PageCase(
            "on the page's own element", "<html itemscope><body><p itemprop=telephone>5551",
            [#"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase("a property of nothing", "<p itemprop=telephone>5551", []),
        PageCase(
            "an equal item of JSON-LD",
            PageCase.block(#""telephone":"5551""#) + "<p itemscope><b itemprop=telephone>5551</b>",
            [#"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase(
            "after JSON-LD", "<p itemscope><b itemprop=telephone>5551</b>" + PageCase.block(#""telephone":"5552""#),
            [#"{"phoneNumbers":["5552"],\#(call)}"#, #"{"phoneNumbers":["5551"],\#(call)}"#]),
        PageCase(
            "a bad coordinate", "\n<p itemscope><b itemprop=telephone>5551</b><b itemprop=latitude>north</b>",
            [#"{"phoneNumbers":["5551"],\#(call)}"#], ["page.coordinate"]),
    ]

    @Test(arguments: cases) func items(_ test: PageCase) {
        let page = PageCase.read(test.page, url: test.url)
        #expect(page.attributes == test.items)
        #expect(page.findingNames == test.findings)
    }

    @Test func types() {
        let page = PageCase.read(Self.cases[0].page)
        #expect(page.items.first?.types == ["Cafe", "Bar"])
        #expect(page.items.first?.syntax == .microdata)
    }
}
