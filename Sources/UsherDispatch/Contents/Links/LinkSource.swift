internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// What a link is made from: an identifier, or an activity with up to three of them.
struct LinkSource {
    var app: String?
    var title: String?
    /// In the order of preference.
    var identifiers: [Store.LinkIdentifier] = []
    /// nil where it is an identifier alone.
    var activity: Store.StoredActivity?

    /// An identifier, exactly as it is to be stored.
    static func identifier(
        _ kind: Store.LinkIdentifier.Kind, _ text: String, at place: String
    ) throws(ControlError) -> Store.LinkIdentifier {
        let name = kind.name
        guard !text.utf8.isEmpty else { throw refusal("a \(name) cannot be empty", place, help: empty) }
        guard text.utf8.count <= TargetContentIdentifier.maximumLength else {
            throw refusal(
                "a \(name) has at most \(TargetContentIdentifier.maximumLength) bytes, not \(text.utf8.count)", place,
                help: tooLong)
        }
        guard !text.utf8.contains(0) else { throw refusal("a \(name) cannot hold a NUL character", place, help: nul) }
        let identifier = TargetContentIdentifier(text)
        if kind == .webpageURL, !identifier.isWebAddress {
            throw refusal(
                "\(QuotedText.text(text)) is not an address of the web", place,
                help: "a web page's address begins with https:// or http://")
        }
        return Store.LinkIdentifier(kind, identifier)
    }

    /// The identifiers that an activity has.
    static func identifiers(of activity: Store.StoredActivity) throws(ControlError) -> [Store.LinkIdentifier] {
        let given: [(Store.LinkIdentifier.Kind, String?)] = [
            (.targetContentIdentifier, activity.target), (.persistentIdentifier, activity.persistent),
            (.webpageURL, activity.webpage),
        ]
        var identifiers: [Store.LinkIdentifier] = []
        for case (let kind, let text?) in given {
            identifiers.append(try identifier(kind, text, at: "/activity"))
        }
        guard !identifiers.isEmpty else {
            throw ControlError(
                .linkNoIdentifier,
                "the activity \(QuotedText.text(activity.title ?? activity.type)) has no identifier: nothing would lead"
                    + " back to it", at: "/activity",
                help: "the app has to give it a targetContentIdentifier, a persistentIdentifier or a webpageURL")
        }
        return identifiers
    }

    // What is done about it, here and for links of a new note.
    static let empty = "give the identifier that the app knows its content by, or leave it out"
    static let tooLong = "content has a short name in its app: link to that, and keep long texts in the note"
    static let nul = "no app can be given such an identifier: it was probably cut out of something else"

    private static func refusal(_ message: String, _ place: String, help: String? = nil) -> ControlError {
        ControlError(.linkIdentifier, message, at: place, help: help)
    }
}
