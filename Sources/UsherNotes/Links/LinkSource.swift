internal import UsherActivities
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// What a link is made from: an identifier, or an activity with up to three of them.
struct LinkSource {
    var app: String?
    var title: String?
    /// In the order of preference.
    var identifiers: [Store.LinkIdentifier]
    /// nil where it is an identifier alone.
    var activity: Store.StoredActivity?

    /// The same of what the user looks at: of a page with selected text, it leads to that text.
    init(
        showing activity: Store.StoredActivity, in service: OperationContext, _ warnings: inout [String]
    ) throws(ControlError) {
        try self.init(activity, in: service, &warnings)
        try addSelection(of: activity, in: service)
    }

    /// What the user looks at: an activity, or a document that was in front later; nil where there is neither.
    init?(currentIn service: OperationContext, _ warnings: inout [String]) throws(ControlError) {
        let current = try CurrentActivities(service).content()
        if let document = current.document, let target = document.target {
            self.init(
                app: document.app, title: document.title,
                identifiers: [try LinkSource.identifier(.targetContentIdentifier, target.text, at: "/target")])
        } else if let activity = current.activity {
            try self.init(showing: activity, in: service, &warnings)
        } else {
            return nil
        }
    }

    /// What an activity is about, with fresh user info: its app's save command may run for it.
    init(
        _ found: Store.StoredActivity, in service: OperationContext, _ warnings: inout [String]
    ) throws(ControlError) {
        // What cannot be linked is not saved for it either.
        _ = try LinkSource.identifiers(of: found)
        try LinkSource.checkType(of: found, in: service.configuration)
        let saved = try ActivitySaving(service).fresh(found)
        if let warning = saved.warning { warnings.append(warning) }
        let activity = saved.activity
        self.init(
            app: activity.app, title: activity.title, identifiers: try LinkSource.identifiers(of: activity),
            activity: activity)
    }

    init(
        app: String? = nil, title: String? = nil, identifiers: [Store.LinkIdentifier],
        activity: Store.StoredActivity? = nil
    ) {
        self.app = app
        self.title = title
        self.identifiers = identifiers
        self.activity = activity
    }

    /// The link to be made. Looks at the file that it leads to.
    func link(of note: Store.NoteName) -> Store.NewLink {
        Store.NewLink(
            note: note, app: app, title: title, identifiers: identifiers, document: activity?.document,
            file: Store.LinkIdentifier.file(of: identifiers))
    }

    /// Refuses a type that the app of the activity does not declare: no app would continue such an activity.
    private static func checkType(
        of activity: Store.StoredActivity, in configuration: Configuration
    ) throws(ControlError) {
        guard !PageActivities.isPage(activity.type) else { return }
        let declaring = configuration.apps.filter { app in
            app.activityTypes.contains { $0.value.hasSameBytes(as: activity.type) }
        }
        guard !declaring.contains(where: { $0.id.hasSameBytes(as: activity.app) }) else { return }
        let app = configuration.app(id: activity.app)
        throw ControlError(
            .activityUndeclaredType,
            app == nil
                ? "the app \(activity.app) of the activity is not configured"
                : declaring.isEmpty
                    ? "no app declares the activity type \(QuotedText.text(activity.type))"
                    : "\(activity.app) does not declare the activity type \(QuotedText.text(activity.type))",
            at: "/activity",
            help: "add it to activity-types in the app's manifest"
                + (app.map { " (\($0.location))" } ?? ""))
    }

    /// Of a page with selected text, the link leads to that text. The page itself stays the last identifier, by which
    /// the note is suggested.
    private mutating func addSelection(
        of activity: Store.StoredActivity, in service: OperationContext
    ) throws(ControlError) {
        guard PageActivities.isPage(activity.type), let page = activity.webpage, let id = activity.session
        else { return }
        let found = try service.storing(try service.sessions.session(id: id))
        guard let session = found, let selection = service.readSelection(session),
            let address = TextFragment.address(of: page, selection: selection)
        else { return }
        let place = try LinkSource.identifier(.targetContentIdentifier, address, at: "/target")
        // The activity is what is opened later.
        let patch = JSONValue.object([.init("targetContentIdentifier", .string(address))])
        self.activity?.document = try ActivityDocument(activity.document).merging(Array(patch.text().utf8)).content
            .document
        identifiers.removeAll { $0.kind == .targetContentIdentifier }
        identifiers.insert(place, at: 0)
        if !identifiers.contains(where: { $0.kind == .webpageURL }) {
            identifiers.append(try LinkSource.identifier(.webpageURL, page, at: "/webpage"))
        }
    }

    /// An identifier, exactly as it is to be stored.
    static func identifier(
        _ kind: Store.LinkIdentifier.Kind, _ text: String, at place: String
    ) throws(ControlError) -> Store.LinkIdentifier {
        let isPage = kind == .webpageURL
        return Store.LinkIdentifier(
            kind, try TargetContentIdentifier(argument: text, "a \(kind.name)", isPage: isPage, at: place))
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
}
