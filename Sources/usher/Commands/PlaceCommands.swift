internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherPayload
internal import UsherPlace
internal import UsherScene
internal import UsherText

/// `usher place parse`: the places that `geo:` URIs and links of map services name.
enum PlaceParseCommand {
    private static let cases = Option("cases", "FILE|-", "JSON Lines {\"uri\"}, or strings")

    static let description = CommandDescription(
        "place parse", "the place that a geo: URI or a link of a map service names",
        operands: [.init("URI", .any)], options: [cases],
        discussion: [
            "Reads geo: URIs (RFC 5870, with Android's q and z), and links of: \(Place.Service.names).",
            "Nothing is looked up: an address stays a query, and a short link names no place. The JSON of one URI is an object,",
            "of several an array. Exit status 2: a URI names no place; with --cases 1.",
        ],
        examples: [
            .init("usher place parse 'geo:48.2010,16.3695?q=Karlskirche'", "one place"),
            .init(
                "echo '{\"uri\":\"https://www.openstreetmap.org/#map=17/48.2010/16.3695\"}' | usher place parse --cases -",
                "many, a line each"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let uris = arguments.operands
        guard uris.isEmpty == arguments.has(cases) else {
            throw .usage("place parse takes URIs or --cases", help: "usage: usher place parse URI...")
        }
        if let path = arguments.value(cases) {
            return try context.answerLines(of: try InputFile(path)) { (line, _, json) throws(CommandFailure) in
                let answer = PlaceAnswer(line: line)
                answer.write(to: &json)
                return answer.error == nil
            }
        }
        let answers = uris.map(PlaceAnswer.init(uri:))
        if !context.writesJSON {
            for answer in answers { context.output.write(answer.text) }
        } else if answers.count == 1 {
            context.printJSON { answers[0].write(to: &$0) }
        } else {
            context.printArray(answers) { $0.write(to: &$1) }
        }
        let errors = answers.compactMap(\.error)
        if !errors.isEmpty { context.output.flush() }
        for error in errors { context.errors.report(CommandFailure(ControlError(error))) }
        return errors.isEmpty ? .handled : .usage
    }
}

/// What `place parse` says about one URI.
private struct PlaceAnswer {
    /// What was asked, and is passed through; what the answer names stands in its place.
    private var members: [JSONValue.Member] = []
    private var place: Place?
    private(set) var error: Diagnostic?

    init(uri: String) {
        members = [.init("uri", .string(uri))]
        read(uri)
    }

    /// - Parameter line: `{"uri"}`, or the bare string.
    init(line: Result<[UInt8], PayloadError>) {
        do throws(PayloadError) {
            let value = try PlaceAnswer.value(of: line.get())
            members = value.string == nil ? value.members ?? [] : [.init("uri", value)]
        } catch {
            self.error = Diagnostic(error)
            return
        }
        guard let uri = members.first(where: { $0.name == "uri" })?.value.string else {
            error = Diagnostic(
                .placeUnknown, "the line has no text as uri", at: "/uri", help: "write {\"uri\": \"geo:…\"}")
            return
        }
        read(uri)
    }

    private static func value(of line: [UInt8]) throws(PayloadError) -> JSONValue {
        try Result { () throws(JSONError) in try JSONValue(parsing: line) }.mapError { PayloadError($0) }.get()
    }

    private mutating func read(_ uri: String) {
        do throws(Diagnostic) {
            place = try Place(uri)
        } catch {
            self.error = error
        }
    }

    func write(to json: inout JSONWriter) {
        let known = Place.memberNames + ["error"]
        json.beginObject()
        if !members.contains(where: { $0.name == "uri" }) { json.nullMember("uri") }
        for member in members {
            if known.contains(member.name) {
                write(member.name, to: &json)
            } else {
                json.member(member.name, member.value)
            }
        }
        for name in known where !members.contains(where: { $0.name == name }) { write(name, to: &json) }
        json.endObject()
    }

    private func write(_ name: String, to json: inout JSONWriter) {
        json.key(name)
        if name != "error" {
            Place.write(name, of: place, to: &json)
        } else if let error {
            error.write(to: &json)
        } else {
            json.null()
        }
    }

    /// For people: the URI, and what is known of the place. Nothing where there is an error.
    var text: String {
        guard let place else { return "" }
        let rows = Place.memberNames.compactMap { name -> [String]? in
            var json = JSONWriter()
            Place.write(name, of: place, to: &json)
            guard let value = try? JSONValue(parsing: json.bytes) else { return nil }
            switch value {
            case .null, .boolean(false): return nil
            case .object(let members) where members.isEmpty: return nil
            case .string(let text): return [name, Printable.escaped(text)]
            default: return [name, value.text()]
            }
        }
        let uri = members.first?.value.string ?? ""
        return Printable.escaped(uri) + "\n" + TextTable.text(rows, indent: 2)
    }
}
