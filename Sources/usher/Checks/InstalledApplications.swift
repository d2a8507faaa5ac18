internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherScene

/// Whether the applications that launches name by desktop entry or bus name are there on this machine.
///
/// A configuration may be another machine's, so nothing here is an error. Where it cannot be checked (no usherd beside
/// `usher`, no session bus), nothing is reported.
struct InstalledApplications {
    private let desktop: RemoteWindows

    init(_ context: Context) { desktop = context.windowSystems(context.environment).1 }

    func warnings(on loaded: LoadedConfiguration) -> [ConfigurationDiagnostic] {
        var warnings: [ConfigurationDiagnostic] = []
        for app in loaded.configuration.manifestApps {
            for launch in app.scenes.compactMap(\.launch) {
                // What a payload fills in is known when it comes.
                guard let name = launch.command.arguments.first, !name.utf8.contains(UInt8(ascii: "{")),
                    let absence = absence(of: name, launch.method)
                else { continue }
                warnings.append(loaded.notInstalled(launch.command, absence.message, help: absence.help))
            }
        }
        return warnings
    }

    private func absence(of name: String, _ place: LaunchHandler.Method) -> (message: String, help: String?)? {
        switch place {
        case .exec, .tmux: return nil
        case .desktop(let action):
            do throws(ActivationFailure) {
                guard let entry = try desktop.entries(name).first else { return nil }
                if let action, !entry.actions.contains(where: { $0.id == action }) {
                    let known = entry.actions.map(\.id).joined(separator: ", ")
                    return (
                        "the desktop entry \(name) has no action \(action) on this machine",
                        known.isEmpty ? "it has none at all" : "it has \(known)"
                    )
                }
                guard !desktop.isInstalled(entry: name) else { return nil }
                return (
                    "the desktop entry \(name) is there, and its program (TryExec) is not installed on this machine",
                    "install it: a request that launches this scene fails until then"
                )
            } catch {
                guard error.code == .entryUnknown || error.code == .entryBroken else { return nil }
                return (error.message, error.help)
            }
        case .dbus:
            guard (try? desktop.isProvided(name: name)) == false else { return nil }
            return (
                "no process owns the name \(name) on this machine's session bus, and no service file says how to start it",
                "install the application, or see that it runs before a request comes"
            )
        }
    }
}
