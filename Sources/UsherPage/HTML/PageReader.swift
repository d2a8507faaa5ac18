/// An element with microdata, or one that others may refer to.
///
/// A page may have very many: what few elements have stands beside them.
struct MicrodataElement {
    /// The innermost such element around it; -1 is none. It stands before it.
    let parent: Int32
    /// Bytes from the start of the page; of at most some megabytes.
    private let start: Int32
    private var textStart: Int32 = 0
    private var textEnd: Int32 = 0
    var isScope = false
    var names: [String] = []
    var types: [String] = []
    /// The value of an attribute; nil where its text is its value.
    var value: String?

    init(parent: Int32, offset: Int) {
        self.parent = parent
        start = Int32(offset)
    }

    var offset: Int { Int(start) }

    /// Its text, in `PageReader.text`.
    var text: Range<Int> {
        get { Int(textStart)..<Int(textEnd) }
        set { (textStart, textEnd) = (Int32(newValue.lowerBound), Int32(newValue.upperBound)) }
    }

    fileprivate var readsText: Bool { !isScope && !names.isEmpty && value == nil }

    /// How an element is referred to, and to which it refers.
    struct Identity {
        var itemID: String?
        var references: [String] = []
        var id: String?
    }
}

/// Reads a page once: its title, its base, its blocks of JSON-LD and its elements with microdata.
///
/// There is no tree: the stack of open elements says which microdata element each one belongs to.
struct PageReader {
    /// A `<script type="application/ld+json">`.
    struct Block {
        /// Bytes from the start of the page.
        var offset: Int
        var text: Range<Int>
    }

    private(set) var title: String?
    /// The `href` of the first `<base>` that has one.
    private(set) var base: String?
    private(set) var blocks: [Block] = []
    private(set) var elements: [MicrodataElement] = []
    /// Of those elements that have one.
    private(set) var identities: [Int: MicrodataElement.Identity] = [:]
    /// The text of elements, one after the other.
    private(set) var text: [UInt8] = []
    /// Whether an element refers to others by their ids.
    private(set) var hasReferences = false

    private var tokenizer: HTMLTokenizer
    private var open = OpenElements()
    private let keepsIDs: Bool
    /// How many open elements have their text read.
    private var openTexts = 0
    /// How many templates are open: what is in them is not part of the page.
    private var templates = 0
    private var isFormOpen = false
    private var hasBody = false

    static func read(_ page: [UInt8], from offset: Int) -> PageReader {
        var reader = PageReader(offset: offset, keepsIDs: false)
        reader.readAll(page.span)
        guard reader.hasReferences else { return reader }
        // Ids are kept only where they are needed: a page may have very many.
        reader = PageReader(offset: offset, keepsIDs: true)
        reader.readAll(page.span)
        return reader
    }

    private init(offset: Int, keepsIDs: Bool) {
        tokenizer = HTMLTokenizer(offset: offset)
        self.keepsIDs = keepsIDs
    }

    private mutating func readAll(_ bytes: Span<UInt8>) {
        while true {
            tokenizer.readsSections = open.foreign != nil
            switch tokenizer.next(bytes) {
            case .end:
                pop(to: 0)
                return
            case .text: append(tokenizer.text, bytes)
            case .startTag: start(HTMLTag(tokenizer.nameKey), bytes)
            case .endTag: end(HTMLTag(tokenizer.nameKey))
            }
        }
    }

    private mutating func append(_ range: Range<Int>, _ bytes: Span<UInt8>) {
        guard openTexts > 0, templates == 0 else { return }
        CharacterReferences.decode(bytes, range, inAttribute: false, to: &text)
    }

    // MARK: Start tags

    private mutating func start(_ tag: HTMLTag, _ bytes: Span<UInt8>) {
        if let foreign = open.foreign, !(open.top!.tag.traits.contains(.integration)) {
            guard tag.traits.contains(.endsForeign) else {
                if !tokenizer.isSelfClosing { _ = open.push(tag, element: element, isForeign: true) }
                return
            }
            pop(to: foreign)
        }
        if open.top?.tag.known == .head, !tag.traits.contains(.head) { pop(to: open.count - 1) }
        if tag.traits.contains(.endsParagraph), tag.known != .li, tag.known != .dd, tag.known != .dt { endParagraph() }
        var parent = element
        switch tag.known {
        case .html: guard open.isEmpty else { return }
        case .head: guard !hasBody, open.count <= 1 else { return }
        case .body:
            guard !hasBody, open.count <= 1 else { return }
            hasBody = true
        case .svg, .math:
            if !tokenizer.isSelfClosing { _ = open.push(tag, element: element, isForeign: true) }
            return
        case .caption, .colgroup, .col, .section, .row, .cell:
            guard startPart(tag) else { return }
            parent = element
        case .table: if let table = open.table, isInTable { pop(to: table) }
        case .li: endItem([.li])
        case .dd, .dt: endItem([.dd, .dt])
        case .form:
            guard !isFormOpen else { return }
            isFormOpen = true
        case .a: if let index = open.index(of: tag, in: .usual) { endFormatting(at: index) }
        case .nobr, .button: if let index = open.index(of: tag, in: .usual) { pop(to: index) }
        case .option: if open.top?.tag.known == .option { pop(to: open.count - 1) }
        case .optgroup:
            while let known = open.top?.tag.known, known == .option || known == .optgroup { pop(to: open.count - 1) }
        case .rb, .rt, .rp:
            if let known = open.top?.tag.known, known == .rb || known == .rt || known == .rp { pop(to: open.count - 1) }
        default:
            if tag.traits.contains(.heading), open.top?.tag.traits.contains(.heading) == true {
                pop(to: open.count - 1)
            }
        }
        parent = element
        // What may not stand in a table stands before it.
        if isInTable, let table = open.table, !HTMLKeys.standsInTable(tag) {
            parent = table > 0 ? open.entries[table - 1].element : -1
        }
        open(tag, in: parent, bytes)
    }

    /// The microdata element that is open.
    private var element: Int32 { open.top?.element ?? -1 }

    /// Whether the open element is a table, or a part of one without content of its own.
    private var isInTable: Bool {
        switch open.top?.tag.known {
        case .table, .section, .row: true
        default: false
        }
    }

    private mutating func endParagraph() {
        if let index = open.index(of: .p, in: .button) { pop(to: index) }
    }

    private mutating func endItem(_ kinds: [HTMLTag.Known]) {
        if let item = open.item, kinds.contains(open.entries[item].tag.known) { pop(to: item) }
        endParagraph()
    }

    /// Makes room for a part of a table; false where there is no table.
    private mutating func startPart(_ tag: HTMLTag) -> Bool {
        guard let table = open.table else { return false }
        var outer = table
        switch tag.known {
        case .row: outer = open.part(.section, of: table) ?? table
        case .cell: outer = open.part(.row, of: table) ?? open.part(.section, of: table) ?? table
        case .col: if open.top?.tag.known == .colgroup { outer = open.count - 1 }
        default: break
        }
        pop(to: outer + 1)
        return true
    }

    /// Opens an element, and reads it whole where it has no tags in it.
    private mutating func open(_ tag: HTMLTag, in parent: Int32, _ bytes: Span<UInt8>) {
        let offset = tokenizer.tagStart
        let added = templates == 0 ? microdata(tag, in: parent, bytes) : nil
        if templates == 0, tag.known == .base, base == nil { base = tokenizer.attribute(.href, bytes) }
        if tag.known == .br, openTexts > 0 { text.append(0x20) }
        if tag.known == .script {
            let isData = templates == 0 && isLinkedData(bytes)
            let range = tokenizer.rawText(of: "script", isScript: true, bytes)
            if isData { blocks.append(Block(offset: offset, text: range)) }
            return
        }
        if tag.known == .plaintext {
            let range = tokenizer.rest(bytes)
            return append(range, bytes)
        }
        if !tag.traits.isDisjoint(with: [.rawText, .plainText]) {
            let range = tokenizer.rawText(of: tag.rawName, isScript: false, bytes)
            if tag.known == .title, title == nil, templates == 0 {
                var title: [UInt8] = []
                CharacterReferences.decode(bytes, range, inAttribute: false, to: &title)
                self.title = String(decoding: title, as: UTF8.self)
            }
            guard tag.traits.contains(.readable), templates == 0 else { return }
            let start = text.count
            if added != nil { openTexts += 1 }
            append(range, bytes)
            if let added {
                openTexts -= 1
                elements[added].text = start..<text.count
            }
            return
        }
        guard !tag.traits.contains(.void) else { return }
        let readsText = added.map { elements[$0].readsText } ?? false
        if readsText, let added { elements[added].text = text.count..<text.count }
        guard open.push(tag, element: added.map(Int32.init) ?? parent, endsText: readsText) else { return }
        if readsText { openTexts += 1 }
        if tag.known == .template { templates += 1 }
    }

    private func isLinkedData(_ bytes: Span<UInt8>) -> Bool {
        guard let type = tokenizer.attribute(.type, bytes) else { return false }
        let essence = type.prefix { $0 != ";" }
        return WhiteSpace.collapsed(String(essence)).lowercased() == "application/ld+json"
    }

    /// Notes an element with microdata; its index, or nil where it has none.
    private mutating func microdata(_ tag: HTMLTag, in parent: Int32, _ bytes: Span<UInt8>) -> Int? {
        let isScope = tokenizer.has(.itemscope)
        let isProperty = tokenizer.has(.itemprop)
        guard isScope || isProperty || (keepsIDs && tokenizer.has(.id)) else { return nil }
        func words(_ attribute: HTMLTokenizer.Attribute) -> [String] {
            guard let text = tokenizer.attribute(attribute, bytes) else { return [] }
            let bytes = text.utf8Span.span
            let isOne = !bytes.isEmpty && !bytes.indices.contains { HTMLTokenizer.isSpace(bytes[$0]) }
            if isOne { return [text] }
            return text.utf8.split(whereSeparator: HTMLTokenizer.isSpace).map { String(Substring($0)) }
        }
        var element = MicrodataElement(parent: parent, offset: tokenizer.tagStart)
        var identity = MicrodataElement.Identity()
        element.isScope = isScope
        if isProperty { element.names = words(.itemprop) }
        if isScope {
            element.types = words(.itemtype)
            identity.itemID = tokenizer.attribute(.itemid, bytes)
            identity.references = words(.itemref)
            if !identity.references.isEmpty { hasReferences = true }
        } else if isProperty, let attribute = HTMLKeys.valueAttribute(tag.key) {
            element.value = tokenizer.attribute(attribute, bytes)
        } else if isProperty {
            // Not HTML's way, but a common one: what is written for readers has another form, or is none at all.
            element.value = tokenizer.attribute(.content, bytes)
            if element.value?.utf8.allSatisfy(HTMLTokenizer.isSpace) == true { element.value = nil }
        }
        if keepsIDs { identity.id = tokenizer.attribute(.id, bytes) }
        if identity.itemID != nil || identity.id != nil || !identity.references.isEmpty {
            identities[elements.count] = identity
        }
        elements.append(element)
        return elements.count - 1
    }

    // MARK: End tags

    private mutating func end(_ tag: HTMLTag) {
        if let foreign = open.foreign, let index = open.index(of: tag), index >= foreign { return pop(to: index) }
        switch tag.known {
        case .html, .body: return
        case .head: if open.top?.tag.known == .head { pop(to: open.count - 1) }
        case .p: endParagraph()
        case .br: if openTexts > 0 { text.append(0x20) }
        case .li: if let index = open.index(of: tag, in: .list) { pop(to: index) }
        case .form: endForm(tag)
        case .table, .section, .row, .cell, .caption:
            if let index = open.index(of: tag, in: .table) { pop(to: index) }
        case .colgroup: if open.top?.tag.known == .colgroup { pop(to: open.count - 1) }
        case .template: if let index = open.index(of: tag) { pop(to: index) }
        default:
            if tag.traits.contains(.heading) {
                if let index = open.heading { pop(to: index) }
            } else if tag.traits.contains(.formatting) {
                if let index = open.index(of: tag, in: .usual) { endFormatting(at: index) }
            } else if !tag.traits.isDisjoint(with: [.special, .boundsScope]) {
                if let index = open.index(of: tag, in: .usual) { pop(to: index) }
            } else if let index = open.index(of: tag), !open.hasSpecial(in: index) {
                pop(to: index)
            }
        }
    }

    /// A form ends without the elements that were left open in it.
    private mutating func endForm(_ tag: HTMLTag) {
        guard isFormOpen, let index = open.index(of: tag, in: .usual) else { return }
        isFormOpen = false
        if index == open.count - 1 { pop(to: index) } else { remove(at: index) }
    }

    /// So do `<b>` and the like when a block was opened in them.
    private mutating func endFormatting(at index: Int) {
        if open.hasSpecial(in: index) { remove(at: index) } else { pop(to: index) }
    }

    private mutating func remove(at index: Int) {
        endText(of: open.entries[index])
        open.remove(at: index)
    }

    /// Ends all elements from an index on.
    private mutating func pop(to count: Int) {
        while open.count > count, let entry = open.pop() {
            endText(of: entry)
            if entry.tag.known == .template, !entry.isForeign { templates -= 1 }
            if entry.tag.known == .form, !entry.isRemoved, !entry.isForeign { isFormOpen = false }
        }
    }

    private mutating func endText(of entry: OpenElements.Entry) {
        guard entry.endsText else { return }
        let start = elements[Int(entry.element)].text.lowerBound
        elements[Int(entry.element)].text = start..<text.count
        openTexts -= 1
    }
}

/// Names of elements, as the tokenizer makes them.
private enum HTMLKeys {
    /// The attribute that is an element's value as a property
    /// (https://html.spec.whatwg.org/multipage/microdata.html#values).
    static func valueAttribute(_ key: UInt64) -> HTMLTokenizer.Attribute? { values[key] }

    private static let values: [UInt64: HTMLTokenizer.Attribute] = {
        var values: [UInt64: HTMLTokenizer.Attribute] = [:]
        func add(_ attribute: HTMLTokenizer.Attribute, _ names: String) {
            for name in names.split(separator: " ") { values[HTMLTokenizer.key(String(name))] = attribute }
        }
        add(.content, "meta")
        add(.href, "a area link")
        add(.src, "audio embed iframe img image source track video")
        add(.data, "object")
        add(.value, "data meter")
        add(.datetime, "time")
        return values
    }()

    private static let inTable = Set(["style", "script", "template", "form", "input"].map(HTMLTokenizer.key))

    /// Whether an element stays where it is directly inside a table.
    static func standsInTable(_ tag: HTMLTag) -> Bool {
        switch tag.known {
        case .caption, .colgroup, .col, .section, .row, .cell: true
        default: inTable.contains(tag.key)
        }
    }
}
