internal import UsherConfiguration
internal import UsherJSON
internal import UsherOperation
internal import UsherScene

/// `usher link open`: the content of a link in its window.
enum LinkOpenCommand {
    static let description = CommandDescription(
        "link open", "open a link: continue its activity, or show its content",
        operands: [.init("LINK")],
        discussion: [
            "The app is handed the activity that the link was made from. Moved content is found; deleted content is an",
            "error; where the app is gone, the link's web page is opened.",
        ],
        examples: [.init("usher link open 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "launches or focuses the window")],
        run: { (arguments, context) throws(CommandFailure) in
            let engine = try context.engine()
            let link = try ContentDoor(context, engine).answer(
                LinkShow(link: arguments.operands[0]))
            let configured = try context.loadConfiguration(of: engine)
            let isGone = link["app"]?.string.map { configured.configuration.app(id: $0) == nil } ?? false
            let line = Array(envelope(of: link, isAppGone: isGone).text(escaping: .minimal).utf8)
            return try DaemonDispatching(context, engine, source: "link").run(line)
        })

    /// What is dispatched: the activity as it was kept, with the web page that the link knows. A link without one is its
    /// target; while its app is gone, that is its web page.
    private static func envelope(of link: JSONValue, isAppGone: Bool) -> JSONValue {
        var members: [JSONValue.Member] = []
        if case .object(var activity)? = link["activity"] {
            let webpage = link["webpage"]?.string
            if let webpage, link["activity"]?["webpageURL"]?.string?.utf8.elementsEqual(webpage.utf8) != true {
                activity.removeAll { $0.name == "webpageURL" }
                activity.append(.init("webpageURL", .string(webpage)))
            }
            members.append(.init("userActivity", .object(activity)))
        } else {
            members.append(
                .init("url", .string((isAppGone ? link["webpage"]?.string : nil) ?? link["target"]?.string ?? "")))
        }
        if let app = link["app"]?.string { members.append(.init("app", .string(app))) }
        return .object(members)
    }
}
