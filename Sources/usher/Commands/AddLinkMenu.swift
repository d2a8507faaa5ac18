internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// The add-link menu: what the user does now, to choose from by number on a terminal; the system's current activity first.
struct AddLinkMenu {
    private let context: Context

    init(_ context: Context) { self.context = context }

    /// The id of the activity that was chosen.
    func choose(from door: ContentDoor) throws(CommandFailure) -> String {
        guard ProcessEnvironment.isTerminal(0), ProcessEnvironment.isTerminal(2) else {
            throw .refusal(
                .linkSource, "it is not said what the link leads to",
                help: "--target ID, --from-current or --activity ID; on a terminal the current activities are offered")
        }
        let answer = try door.answer(ActivityList())
        let now = Instant.now
        let activities = (answer.elements ?? answer["activities"]?.elements ?? []).filter { activity in
            activity["state"]?.string == "current"
                && (activity["expires"]?.string.flatMap { Instant(text: $0) }).map { $0 > now } ?? true
                && ["target", "persistent", "webpage"].contains { activity[$0]?.string != nil }
        }
        guard !activities.isEmpty else {
            throw .refusal(
                .activityNone, "there is no current activity to link to",
                help: "an app makes one current with usher activity become-current; --target names content by its id")
        }
        context.errors.write(text(activities))
        // The line, without its end; nil at the end of input.
        let word = readLine().map { line in line.filter { !$0.isWhitespace } } ?? ""
        guard let number = Int(word), activities.indices.contains(number - 1),
            let id = activities[number - 1]["id"]?.string
        else {
            throw .refusal(
                .linkSource,
                word.isEmpty
                    ? "nothing was chosen: no link was made" : "there is no \(QuotedText.text(word)) in the list",
                help: "a number from 1 to \(activities.count)")
        }
        return id
    }

    private func text(_ activities: [JSONValue]) -> String {
        var rows: [[String]] = []
        for (index, activity) in activities.enumerated() {
            let isSystems = activity["is_current"]?.boolean == true
            rows.append([
                "\(index + 1)", TerminalText.escape(activity["title"]?.string ?? "untitled"),
                TerminalText.escape(activity["app"]?.string ?? ""),
                isSystems ? "looked at now" : TerminalText.escape(activity["session"]?.string ?? ""),
            ])
        }
        return TextTable.text(rows, indent: 1) + "link to which? "
    }
}
