internal import UsherScene
internal import UsherSystem

/// Where the window of a program will be seen that is being started: on the desktop; where `focus` speaks of browsers, by the
/// account of these.
struct AwaitedWindows {
    private let system: any WindowSystem
    private let isOfBrowsers: Bool

    /// nil where nobody can tell.
    init?(_ windowSystem: any WindowSystem, _ rule: WindowRule?) {
        isOfBrowsers = rule?.isOfBrowsers ?? false
        if isOfBrowsers {
            guard let browsers = windowSystem.browsers else { return nil }
            system = browsers
        } else {
            guard windowSystem.isDesktop else { return nil }
            system = windowSystem
        }
    }

    /// nil where it does not answer.
    func now() -> WindowList? {
        try? change(after: WindowList(server: nil, windows: []), until: Deadline(inMilliseconds: 0), or: nil)
    }

    /// As `WindowSystem.change`. Several browsers that come and go are asked for what they told.
    func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        // Several together tell of no changes.
        guard isOfBrowsers, system is WindowSystems else {
            return try system.change(after: list, until: deadline, or: descriptor)
        }
        return try system.changeByAsking(after: list, until: deadline, or: descriptor)
    }
}

extension WindowSystem {
    /// What browsers tell of their windows; nil where none can tell anything.
    var browsers: (any WindowSystem)? {
        if isOfBrowsers { return self }
        let found = (self as? WindowSystems)?.systems.filter { $0.isOfBrowsers && $0.isAvailable } ?? []
        return found.count > 1 ? WindowSystems(found) : found.first
    }
}
