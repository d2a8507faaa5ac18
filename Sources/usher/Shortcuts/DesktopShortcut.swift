internal import UsherActivation
internal import UsherEngine
internal import UsherJSON
internal import UsherScene

/// An action of a desktop entry that an app's manifest launches: a shortcut item that the application itself declares.
struct DesktopShortcut {
    var app: App
    var entry: DesktopEntry
    var action: DesktopEntry.Action

    /// `org.gnome.TextEditor:new-window`, as `type` of a shortcut item.
    var type: String { "\(DesktopEntry.name(entry.id)):\(action.id)" }

    /// Those of some apps, and why entries could not be read. Nothing is read where no app names an entry.
    static func all(_ apps: [App], _ context: Context) -> (found: [DesktopShortcut], failures: [ActivationFailure]) {
        let desktop = context.windowSystems(context.environment).1
        var found: [DesktopShortcut] = []
        var failures: [ActivationFailure] = []
        for app in apps {
            var seen: Set<String> = []
            for name in app.scenes.compactMap(\.desktopEntry) where seen.insert(name).inserted {
                do throws(ActivationFailure) {
                    for entry in try desktop.entries(name) {
                        found += entry.actions.map { DesktopShortcut(app: app, entry: entry, action: $0) }
                    }
                } catch {
                    failures.append(error)
                }
            }
        }
        return (found, failures)
    }

    /// Starts it as choosing it in a launcher does.
    func perform(_ context: Context) throws(CommandFailure) -> ExitStatus {
        let desktop = context.windowSystems(context.environment).1
        let start = try Result { () throws(ActivationFailure) in
            try desktop.launch(EntryLaunch(entry: entry.id, action: action.id, token: context.token))
        }.mapError { CommandFailure(.finding, "\($0.message) [\($0.code)]", help: $0.help) }.get()
        context.warn(of: start.warnings)
        if context.writesJSON {
            let answer: JSONValue = [
                "app": .string(app.id), "type": .string(type),
                "pid": start.process.map { .number(String($0)) } ?? .null, "command": .string(start.summary),
            ]
            context.print(json: answer)
        } else {
            context.errors.note("started: \(start.summary)")
        }
        return .handled
    }
}
