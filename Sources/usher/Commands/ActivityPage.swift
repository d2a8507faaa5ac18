internal import UsherJSON
internal import UsherPage
internal import UsherScene

/// `--page` of `usher activity become-current|update`: what a web page gives an activity.
struct ActivityPage {
    static let page = Option("page", "FILE|-", "a web page: its first place or person gives the attributes")
    static let url = Option("url", "URL", "the page's address, and the activity's web page")
    static let options = [page, url]

    /// Members of a user activity; all other options go before them.
    private(set) var members: [JSONValue.Member] = []
    private(set) var warning: String?

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard let path = arguments.value(ActivityPage.page) else {
            guard !arguments.has(ActivityPage.url) else {
                throw .usage("--url is the address of a page", help: "give --page FILE too, or --webpage URL")
            }
            return
        }
        let url = arguments.value(ActivityPage.url)
        let page = try PageInput.read(try InputFile(path), url: url)
        if let title = page.title { members.append(.init("title", .string(title))) }
        if let url { members.append(.init("webpageURL", .string(url))) }
        let item = page.items.first { $0.isPlace } ?? page.items.first
        if let attributes = item.flatMap({ ActivityPage.attributes($0, of: page) }) {
            members.append(.init("contentAttributeSet", .object(attributes)))
        } else {
            let code = DiagnosticCode.pageNoItem
            warning = "the page names no place and no person: the activity gets no attributes [\(code)]"
        }
    }

    /// With a name, which an activity's attributes must have: that of the item, else its street or city, else the page's
    /// address. The page's title is among the item's names. Nil where there is none.
    private static func attributes(_ item: PageItem, of page: Page) -> [JSONValue.Member]? {
        func text(_ name: String) -> String? { item.attributes.first { $0.name == name }?.value.string }
        let names = item.isPlace ? ["namedLocation"] : ["namedLocation", "displayName", "givenName", "familyName"]
        guard !names.contains(where: { text($0) != nil }) else { return item.attributes }
        guard let name = ["displayName", "fullThoroughfare", "city"].lazy.compactMap(text).first ?? page.url else {
            return nil
        }
        return [.init("namedLocation", .string(name))] + item.attributes
    }
}
