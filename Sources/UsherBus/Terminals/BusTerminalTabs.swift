internal import Glibc
public import UsherActivation
public import UsherSystem
internal import UsherText

/// Tabs of terminals, by the session bus.
public struct BusTerminalTabs: TerminalTabs {
    private let bus: SessionBus

    /// In milliseconds, for one question.
    private static let patience = 1000
    private static let actions = "org.gtk.Actions"

    public init(_ bus: SessionBus) { self.bus = bus }

    // MARK: - Interfaces of terminals

    public func select(_ step: TerminalStep) -> TabSelection? {
        switch step.holder.name {
        case "konsole": selectInKonsole(step)
        case "tilix": selectInTilix(step)
        default: nil
        }
    }

    /// A Konsole knows its tabs as sessions of its windows. A tab may have been moved, so `KONSOLE_DBUS_WINDOW` proves nothing.
    private func selectInKonsole(_ step: TerminalStep) -> TabSelection? {
        guard let service = step.variable("KONSOLE_DBUS_SERVICE"), isOwned(service, by: step.holder.pid),
            let session = step.variable("KONSOLE_DBUS_SESSION").flatMap({ Int32($0.drop { !$0.isNumber }) })
        else { return nil }
        let window = "org.kde.konsole.Window"
        let deadline = Deadline(inMilliseconds: 2 * Self.patience)
        // Windows are numbered from 1; those that were closed leave gaps.
        for number in 1...40 where !deadline.isOver {
            let path = "/Windows/\(number)"
            guard let list = ask(service, path, window, "sessionList")?.first?.elements,
                list.contains(where: { $0.string == "\(session)" })
            else { continue }
            _ = ask(service, path, window, "setCurrentSession", [.int32(session)])
            guard ask(service, path, window, "currentSession")?.first?.integer == Int64(session) else {
                return .requested
            }
            let id = ask(service, "/konsole/MainWindow_\(number)", "org.kde.konsole.KMainWindow", "winId")
            return .selected(window: id?.first?.integer)
        }
        return nil
    }

    private func selectInTilix(_ step: TerminalStep) -> TabSelection? {
        let service = "com.gexperts.Tilix"
        guard let terminal = step.variable("TILIX_ID"), isOwned(service, by: step.holder.pid) else { return nil }
        let arguments: [BusValue] = [
            .string("activate-terminal"), .array([.variant(.string(terminal))], of: "v"), .options([]),
        ]
        return ask(service, "/com/gexperts/Tilix", Self.actions, "Activate", arguments) == nil ? nil : .requested
    }

    /// Only GNOME Terminal has to be walked: it has a request for a tab, and tells no terminal's tab.
    public func walk(_ step: TerminalStep, until deadline: Deadline, _ isThere: () -> Bool) -> Bool {
        let service = step.variable("GNOME_TERMINAL_SERVICE") ?? "org.gnome.Terminal"
        guard step.holder.name.hasSameBytes(as: "gnome-terminal-"), isOwned(service, by: step.holder.pid) else {
            return false
        }
        let action: BusValue = .string("active-tab")
        for window in 1...30 where !deadline.isOver {
            let path = "/org/gnome/Terminal/window/\(window)"
            func shown() -> Int64? {
                ask(service, path, Self.actions, "Describe", [action])?.first?.elements?.last?.elements?.first?.integer
            }
            func show(_ tab: Int64) {
                let state: BusValue = .variant(.int32(Int32(truncatingIfNeeded: tab)))
                _ = ask(service, path, Self.actions, "SetState", [action, state, .options([])])
            }
            guard let before = shown() else { continue }
            for tab in 0..<40 where !deadline.isOver {
                show(Int64(tab))
                guard shown() == Int64(tab) else { break }
                if isThere() { return true }
            }
            show(before)
        }
        return false
    }

    private func isOwned(_ service: String, by process: Int32) -> Bool { (try? bus.owner(of: service)) == process }

    private func ask(
        _ service: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) -> [BusValue]? {
        var call = BusCall(service, path, interface, member, arguments)
        (call.timeLimit, call.startsService) = (Self.patience, false)
        return try? bus.call(call)
    }

    // MARK: - Assistive technologies

    public func tabs(of process: Int32) -> [any PublishedTab] {
        guard let address = ask("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")?.first?.string,
            !address.isEmpty
        else { return [] }
        var search = AccessibleSearch(SessionBus(address: .success(address)))
        return search.tabs(of: process)
    }
}
