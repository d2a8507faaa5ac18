/// What the name of an element means where tags are missing (https://html.spec.whatwg.org/#tree-construction).
struct HTMLTag {
    /// Elements with rules of their own.
    enum Known: UInt8 {
        case other, html, head, body, base, meta, title, script, template, svg, math
        case p, li, dd, dt, a, nobr, form, button, option, optgroup, br, image, plaintext, rb, rt, rtc, rp
        case table, caption, colgroup, col, section, row, cell, input
    }

    struct Traits: OptionSet {
        let rawValue: UInt32

        static let void = Traits(rawValue: 1)
        /// Its start tag ends an open paragraph.
        static let endsParagraph = Traits(rawValue: 1 << 1)
        static let special = Traits(rawValue: 1 << 2)
        /// End tags inside it end nothing outside it.
        static let boundsScope = Traits(rawValue: 1 << 3)
        static let list = Traits(rawValue: 1 << 4)
        static let heading = Traits(rawValue: 1 << 5)
        static let formatting = Traits(rawValue: 1 << 6)
        /// May stand in the head.
        static let head = Traits(rawValue: 1 << 7)
        /// Its text has no tags in it.
        static let rawText = Traits(rawValue: 1 << 8)
        /// Its text has no tags, but character references in it.
        static let plainText = Traits(rawValue: 1 << 9)
        /// Its text is part of what is read.
        static let readable = Traits(rawValue: 1 << 10)
        /// A list item does not look beyond it.
        static let boundsItem = Traits(rawValue: 1 << 11)
        /// Ends SVG and MathML around it.
        static let endsForeign = Traits(rawValue: 1 << 12)
        /// HTML can stand in it, inside SVG or MathML.
        static let integration = Traits(rawValue: 1 << 13)
    }

    /// The name as the tokenizer makes it.
    let key: UInt64
    let known: Known
    let traits: Traits
    /// Its place among the names with a meaning here; -1 for all other names.
    let number: Int

    /// How many names have a meaning here.
    static var count: Int { tags.count }

    init(_ key: UInt64) {
        self = HTMLTag.tags[key] ?? HTMLTag(key: key, known: .other, traits: [], number: -1)
    }

    private init(key: UInt64, known: Known, traits: Traits, number: Int) {
        self.number = number
        self.key = key
        self.known = known
        self.traits = traits
    }

    static let br = HTMLTag(HTMLTokenizer.key("br"))
    static let p = HTMLTag(HTMLTokenizer.key("p"))

    /// The name of an element with raw or plain text.
    var rawName: String { HTMLTag.rawNames[key] ?? "" }

    private static let rawNames: [UInt64: String] = Dictionary(
        uniqueKeysWithValues: ["script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "title"].map {
            (HTMLTokenizer.key($0), $0)
        })

    private static let tags: [UInt64: HTMLTag] = {
        var traits: [String: Traits] = [:]
        func add(_ trait: Traits, _ names: String) {
            for name in names.split(separator: " ") { traits[String(name), default: []].formUnion(trait) }
        }
        add(
            .void,
            "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr")
        add(
            .endsParagraph,
            "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header "
                + "hgroup main menu nav ol p search section summary ul pre listing form plaintext table hr xmp h1 h2 h3 "
                + "h4 h5 h6 li dd dt")
        add(
            [.special, .boundsItem],
            "applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd "
                + "details dir dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head "
                + "header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed "
                + "noframes noscript object ol param plaintext pre script search section select source style summary "
                + "table tbody td template textarea tfoot th thead title tr track ul wbr xmp")
        add(.special, "address div p")
        add(.boundsScope, "applet caption html table td th marquee object template")
        add(.list, "ol ul")
        add(.heading, "h1 h2 h3 h4 h5 h6")
        add(.formatting, "a b big code em font i nobr s small strike strong tt u")
        add(.head, "base basefont bgsound link meta title noscript noframes style script template head")
        add(.rawText, "script style xmp iframe noembed noframes")
        add(.plainText, "title textarea")
        add(.readable, "title textarea xmp")
        add(
            .endsForeign,
            "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu "
                + "meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var")
        add(.integration, "foreignobject desc title mi mo mn ms mtext")
        let known: [String: Known] = [
            "html": .html, "head": .head, "body": .body, "base": .base, "meta": .meta, "title": .title,
            "script": .script, "template": .template, "svg": .svg, "math": .math, "p": .p, "li": .li, "dd": .dd,
            "dt": .dt, "a": .a, "nobr": .nobr, "form": .form, "button": .button, "option": .option,
            "optgroup": .optgroup, "br": .br, "image": .image, "plaintext": .plaintext, "rb": .rb, "rt": .rt,
            "rtc": .rtc, "rp": .rp, "table": .table, "caption": .caption, "colgroup": .colgroup, "col": .col,
            "tbody": .section, "thead": .section, "tfoot": .section, "tr": .row, "td": .cell, "th": .cell,
            "input": .input,
        ]
        for name in known.keys where traits[name] == nil { traits[name] = [] }
        var tags: [UInt64: HTMLTag] = [:]
        for (name, traits) in traits {
            let key = HTMLTokenizer.key(name)
            tags[key] = HTMLTag(key: key, known: known[name] ?? .other, traits: traits, number: tags.count)
        }
        return tags
    }()
}
