/// The stack of open elements: what an end tag ends, each answer in constant time however deep a page is.
struct OpenElements {
    struct Entry {
        var tag: HTMLTag
        /// The microdata element that it is, or that it stands in; -1 is none.
        var element: Int32
        /// Whether the text of `element` ends with it.
        var endsText = false
        /// Whether it is part of SVG or MathML.
        var isForeign = false
        /// Whether it was ended while elements in it stay open.
        var isRemoved = false
        /// The open element before it that has the same name.
        fileprivate var previous: Int32
        fileprivate var tops: Tops
    }

    /// Where the innermost element of each kind is; -1 is none.
    fileprivate struct Tops {
        var special: Int32 = -1
        var item: Int32 = -1
        var scope: Int32 = -1
        var table: Int32 = -1
        var list: Int32 = -1
        var button: Int32 = -1
        var heading: Int32 = -1
        var html: Int32 = -1
    }

    /// What bounds the search for an element to end.
    enum Scope { case usual, list, button, table }

    private(set) var entries: [Entry] = []
    private var tops = Tops()
    private var last = InnermostElements()

    /// Deeper elements are taken for empty ones. Browsers stop at 512.
    private static let limit = 1 << 16

    var top: Entry? { entries.last }
    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Returns false where it is too deep.
    mutating func push(_ tag: HTMLTag, element: Int32, endsText: Bool = false, isForeign: Bool = false) -> Bool {
        guard entries.count < OpenElements.limit else { return false }
        let index = Int32(entries.count)
        entries.append(
            Entry(
                tag: tag, element: element, endsText: endsText, isForeign: isForeign, previous: last[tag],
                tops: tops))
        last[tag] = index
        if isForeign {
            if tag.traits.contains(.integration) { bound(index) }
            return true
        }
        tops.html = index
        if tag.traits.contains(.special) { tops.special = index }
        if tag.traits.contains(.boundsItem) { tops.item = index }
        if tag.traits.contains(.heading) { tops.heading = index }
        if tag.traits.contains(.list) { tops.list = index }
        if tag.known == .button { tops.button = index }
        if tag.traits.contains(.boundsScope) { bound(index) }
        if tag.known == .table || tag.known == .template || tag.known == .html { tops.table = index }
        return true
    }

    private mutating func bound(_ index: Int32) {
        tops.scope = index
        tops.list = index
        tops.button = index
    }

    mutating func pop() -> Entry? {
        guard let entry = entries.popLast() else { return nil }
        tops = entry.tops
        if !entry.isRemoved { last[entry.tag] = entry.previous }
        return entry
    }

    /// Takes an element out; those in it stay open. It must be the innermost of its name.
    mutating func remove(at index: Int) {
        entries[index].isRemoved = true
        entries[index].endsText = false
        last[entries[index].tag] = entries[index].previous
    }

    // MARK: Questions

    /// Where the innermost open element of this name is.
    func index(of tag: HTMLTag) -> Int? {
        let index = last[tag]
        return index >= 0 ? Int(index) : nil
    }

    /// The same, where it can be ended from here.
    func index(of tag: HTMLTag, in scope: Scope) -> Int? {
        guard let index = index(of: tag), index >= Int(bound(scope)) else { return nil }
        return index
    }

    private func bound(_ scope: Scope) -> Int32 {
        switch scope {
        case .usual: tops.scope
        case .list: tops.list
        case .button: tops.button
        case .table: tops.table
        }
    }

    /// The innermost heading, where it can be ended from here.
    var heading: Int? { tops.heading >= 0 && tops.heading >= tops.scope ? Int(tops.heading) : nil }

    /// The innermost element that bounds the search for a list item: the item itself where there is one.
    var item: Int? { tops.item >= 0 ? Int(tops.item) : nil }

    /// Whether an element that is special stands in the one at `index`.
    func hasSpecial(in index: Int) -> Bool { Int(tops.special) > index }

    /// The innermost table.
    var table: Int? {
        guard tops.table >= 0, entries[Int(tops.table)].tag.known == .table else { return nil }
        return Int(tops.table)
    }

    /// Where the innermost elements of SVG or MathML begin; nil where the page is in HTML.
    var foreign: Int? { top?.isForeign == true ? Int(tops.html) + 1 : nil }

    /// The innermost element of a table of this kind, within the innermost table.
    func part(_ kind: HTMLTag.Known, of table: Int) -> Int? {
        for tag in OpenElements.parts[kind] ?? [] {
            if let index = index(of: tag), index > table { return index }
        }
        return nil
    }

    private static let parts: [HTMLTag.Known: [HTMLTag]] = [
        .section: ["tbody", "thead", "tfoot"].map { HTMLTag(HTMLTokenizer.key($0)) },
        .row: [HTMLTag(HTMLTokenizer.key("tr"))],
    ]
}

/// Where the innermost open element of each name is; -1 is none. Names with a meaning need no search.
private struct InnermostElements {
    private var known = [Int32](repeating: -1, count: HTMLTag.count)
    private var others: [UInt64: Int32] = [:]

    subscript(tag: HTMLTag) -> Int32 {
        get { tag.number >= 0 ? known[tag.number] : others[tag.key] ?? -1 }
        set { if tag.number >= 0 { known[tag.number] = newValue } else { others[tag.key] = newValue } }
    }
}
