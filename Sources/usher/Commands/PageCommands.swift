internal import UsherActivities
internal import UsherJSON
internal import UsherScene
internal import UsherText

/// `usher page inspect`: the places and persons that a web page names.
enum PageInspectCommand {
    private static let url = Option("url", "URL", "the page's address, against which relative ones are resolved")

    static let description = CommandDescription(
        "page inspect", "the places and persons that a web page names",
        operands: [.init("FILE|-")],
        options: [url],
        discussion: [
            "Reads JSON-LD of schema.org, or what the browser extension says of a page: an object with data (blocks of JSON-LD, or",
            "their texts), url, title and base. Each item's attributes are what usher activity become-current --page gives an",
            "activity. Nothing is fetched. Ends with status 1 when there is no item.",
        ],
        examples: [
            .init(
                "echo '{\"@context\":\"https://schema.org\",\"name\":\"Krone\",\"telephone\":\"+49 89 1234\"}'"
                    + " | usher page inspect -",
                "JSON-LD from standard input"),
            .init(
                "usher page inspect Payloads/pages/restaurant.json --url https://clowntown.example/menu/",
                "a file, with the address of its page"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let input = try InputFile(arguments.operands[0])
        if input.isTerminal { context.errors.note("reading from the terminal; Control-D ends the input") }
        let page = try PageInput.read(input, url: arguments.value(url))
        if context.writesJSON {
            context.printJSON { page.write(to: &$0) }
        } else {
            context.output.write(text(page, context))
        }
        return page.items.isEmpty ? .finding : .handled
    }

    private static func text(_ page: Page, _ context: Context) -> String {
        var text = ""
        for item in page.items {
            let heading = item.types.isEmpty ? "item" : item.types.joined(separator: ", ")
            text += context.style.emphasise(Printable.escaped(heading)) + "\n"
            var rows = item.attributes.map { member in
                let value = member.value.elements.map { $0.compactMap(\.string).joined(separator: ", ") }
                return [member.name, Printable.escaped(value ?? member.value.string ?? member.value.text())]
            }
            if let url = item.url { rows.append(["url", Printable.escaped(url)]) }
            text += TextTable.text(rows, indent: 3)
        }
        if page.items.isEmpty { text += "no item: the page names no place and no person that can be called\n" }
        for finding in page.findings {
            text += context.style.color("warning", .yellow) + ": block \(finding.block): "
            text += Printable.escaped(finding.message)
            text += context.style.dim(" [\(finding.code.code) \(finding.code.name)]") + "\n"
        }
        return text
    }
}

/// Pages as commands take them.
enum PageInput {
    static func read(_ input: InputFile, url: String?) throws(CommandFailure) -> Page {
        if let url, !Page.isAbsolute(url) {
            throw .usage(
                "--url takes an absolute address, not \(QuotedText.text(url))", help: "such as https://site.example/")
        }
        let bytes = try input.readAll(
            limit: Page.sizeLimit, refusal: (.pageTooLarge, "give the part of it that names the place or person"))
        return Page(bytes, url: url)
    }
}
