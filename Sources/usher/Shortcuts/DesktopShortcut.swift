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
        let start: ApplicationStart
        do throws(ActivationFailure) {
            start = try desktop.launch(EntryLaunch(entry: entry.id, action: action.id, token: context.token))
        } catch {
            throw CommandFailure(.finding, "\(error.message) [\(error.code)]", help: error.help)
        }
        for warning in start.warnings {
            context.errors.warning("\(warning.message) [\(warning.code)]", help: warning.help)
        }
        if context.writesJSON {
            let process = start.process.map { JSONValue.number(String($0)) }
            context.output.write(
                JSONValue.object([
                    .init("app", .string(app.id)), .init("type", .string(type)), .init("pid", process ?? .null),
                    .init("command", .string(start.summary)),
                ]).text() + "\n")
        } else {
            context.errors.note("started: \(start.summary)")
        }
        return .handled
    }
}
