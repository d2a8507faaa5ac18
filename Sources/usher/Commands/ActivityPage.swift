internal import UsherActivities
internal import UsherJSON
internal import UsherScene

/// `--page` of `usher activity become-current|update`: what a web page gives an activity.
struct ActivityPage {
    static let page = Option(
        "page", "FILE|-", "JSON-LD, or what usher page inspect takes: the first place or person gives the attributes")
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
        let page = try PageInput.read(try InputFile(path), url: arguments.value(ActivityPage.url))
        if let title = page.title { members.append(.init("title", .string(title))) }
        if let url = page.url { members.append(.init("webpageURL", .string(url))) }
        if let attributes = page.activityAttributes {
            members.append(.init("contentAttributeSet", .object(attributes)))
        } else {
            let code = DiagnosticCode.pageNoItem
            warning = "the page names no place and no person: the activity gets no attributes [\(code)]"
        }
    }
}
