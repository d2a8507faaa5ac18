/// What a page has that is read only on request.
public struct PageContent: Sendable, Hashable {
    /// What is asked for.
    public enum Part: String, Sendable { case selection, data }

    /// The address of the page that was read; empty where the extension does not say it.
    public var address: String
    /// The selected text; empty where nothing is selected.
    public var selection: String
    /// Texts of JSON-LD: the page's own, and one that the extension makes of its microdata.
    public var data: [String]
    public var title: String?
    /// What addresses in the data are relative to; nil where it is the page's own address.
    public var base: String?
    /// Whether the page has more data than was read.
    public var isPartial: Bool

    public init(
        address: String = "", selection: String = "", data: [String] = [], title: String? = nil, base: String? = nil,
        isPartial: Bool = false
    ) {
        self.address = address
        self.selection = selection
        self.data = data
        self.title = title
        self.base = base
        self.isPartial = isPartial
    }
}
