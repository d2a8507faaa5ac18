internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation
internal import UsherText

extension ContentRoute {
    /// The verb that a request asks for, with its arguments; what they may be is judged where it is carried out.
    func request(_ request: HTTPRequest, _ target: RequestTarget) throws(ControlError) -> ContentRequest {
        switch (self, request.method) {
        case (.activities, "GET"): return try ContentRoute.activities(target)
        case (.activities, _): return try ContentBody(request, verbatim: "activity").request(.becomeCurrent)
        case (.activity(let id), _): return ContentRequest(.showActivity, ["activity": .string(id)])
        case (.sessionActivity(let id), "GET"): return ContentRequest(.showActivity, ["session": .string(id)])
        case (.sessionActivity(let id), "PATCH"):
            return try ContentBody(request, verbatim: "activity").request(.updateActivity, "session", id)
        case (.sessionActivity(let id), _): return ContentRequest(.resignActivity, ["session": .string(id)])

        case (.notes, "GET"): return try ContentRoute.notes(target)
        case (.notes, _): return try ContentBody(request).request(.newNote)
        case (.note(let id), "GET"): return ContentRequest(.showNote, ["note": .string(id)])
        case (.note(let id), "PATCH"): return try ContentBody(request).request(.editNote, "note", id)
        case (.note(let id), _): return ContentRequest(.deleteNote, ["note": .string(id)])
        case (.noteVerb(let id, let verb), _): return try ContentBody(request).request(verb.verb, "note", id)

        case (.links, "GET"):
            return ContentRequest(
                .listLinks,
                given: [
                    "note": try target.text("note"), "target": try target.text("target"),
                    "limit": try target.number("limit"), "before": try target.text("before"),
                ])
        case (.links, _): return try ContentBody(request).request(.addLink)
        case (.link(let id), "GET"): return ContentRequest(.showLink, ["link": .string(id)])
        case (.link(let id), _): return ContentRequest(.removeLink, ["link": .string(id)])
        case (.suggestions, _):
            let targets = target.values("target")
            guard !targets.isEmpty else { return ContentRequest(.suggestLinks) }
            return ContentRequest(.suggestLinks, ["targets": .array(targets.map { .string($0) })])

        case (.redirects, "GET"):
            return ContentRequest(
                .listRedirects, given: ["target": try target.text("target"), "limit": try target.number("limit")])
        case (.redirects, "POST"): return try ContentBody(request).redirect()
        case (.redirects, _):
            return ContentRequest(
                .restoreContent,
                given: ["target": try target.text("target"), "prefix": try target.set("prefix")])
        }
    }

    private static func activities(_ target: RequestTarget) throws(ControlError) -> ContentRequest {
        if let query = try target.text("q") {
            try target.search(takes: ["limit"])
            return ContentRequest(.searchActivities, given: ["query": query, "limit": try target.number("limit")])
        }
        if try target.value("limit") != nil { throw ContentRoute.withoutSearch("limit") }
        return ContentRequest(
            .listActivities,
            given: [
                "app": try target.text("app"), "session": try target.text("session"), "all": try target.set("all"),
            ])
    }

    private static func notes(_ target: RequestTarget) throws(ControlError) -> ContentRequest {
        if let query = try target.text("q") {
            try target.search(takes: ["limit"])
            return ContentRequest(.searchNotes, given: ["query": query, "limit": try target.number("limit")])
        }
        return ContentRequest(
            .listNotes,
            given: [
                "state": try target.text("state"), "limit": try target.number("limit"),
                "before": try target.text("before"),
            ])
    }

    private static func withoutSearch(_ name: String) -> ControlError {
        .argument("\(name) belongs to a search", at: "?\(name)", help: "give q too, or leave \(name) out")
    }
}

extension ContentRoute.NoteVerb {
    fileprivate var verb: ContentRequest.Verb {
        switch self {
        case .aside: .putNoteAside
        case .resume: .resumeNote
        case .done: .finishNote
        case .attachments: .attachToNote
        }
    }
}

extension RequestTarget {
    /// A parameter's value as an argument; nil where it is not there.
    fileprivate func text(_ name: String) throws(ControlError) -> JSONValue? {
        guard let value = try value(name) else { return Optional.none }
        return .string(value)
    }

    fileprivate func number(_ name: String) throws(ControlError) -> JSONValue? {
        guard let value = try value(name) else { return Optional.none }
        guard let number = Int(value) else {
            throw .argument("\(name) is \(QuotedText.text(value)), not a number", at: "?\(name)")
        }
        return .number(String(number))
    }

    /// True, or nothing.
    fileprivate func set(_ name: String) throws(ControlError) -> JSONValue? {
        try flag(name) ? .boolean(true) : Optional.none
    }

    /// Refuses parameters of a list beside `q`.
    fileprivate func search(takes names: [String]) throws(ControlError) {
        for item in query where item.name != "q" && !names.contains(item.name) {
            throw .argument("q and \(item.name) exclude each other", at: "?\(item.name)")
        }
    }
}
