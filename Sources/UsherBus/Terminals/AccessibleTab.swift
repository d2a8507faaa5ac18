internal import UsherActivation
internal import UsherSystem
internal import UsherText

/// A tab that a program publishes (AT-SPI 2.46, `org.a11y.atspi`), with the connection to the bus of assistive technologies.
struct AccessibleTab: PublishedTab {
    let name: String
    fileprivate let bus: SessionBus
    fileprivate let place: AccessiblePlace
    fileprivate let parent: AccessiblePlace
    /// Among the children of its parent.
    fileprivate let index: Int32

    var id: String { place.service + place.path }

    func select() -> Bool {
        // Qt's tabs have no selection, and are pressed.
        bus.ask(parent, "org.a11y.atspi.Selection", "SelectChild", [.int32(index)])?.first?.boolean
            ?? bus.ask(place, "org.a11y.atspi.Action", "DoAction", [.int32(0)])?.first?.boolean ?? false
    }

    func isSelected() -> Bool {
        /// `ATSPI_STATE_SELECTED`.
        let selected: Int64 = 23
        guard let states = bus.ask(place, "org.a11y.atspi.Accessible", "GetState")?.first?.elements?.first?.integer
        else {
            return false
        }
        return states >> selected & 1 == 1
    }
}

/// An object of a program.
struct AccessiblePlace {
    var service: String
    var path: String
}

/// Looks for tabs in what a program publishes, within bounds.
struct AccessibleSearch {
    private static let deepest = 9
    private static let mostChildren = 40
    /// Questions, and milliseconds, that a search may take.
    private static let mostQuestions = 2000
    private static let limit = 2000

    /// Numbers of `AtspiRole`.
    private static let pageTab: UInt32 = 37
    /// Check menu item, menu, menu bar, menu item, pop-up menu, push button, scroll bar, terminal, toggle button, tool bar: no
    /// tab is in them.
    private static let leaves: Set<UInt32> = [8, 33, 34, 35, 41, 43, 48, 60, 62, 63]

    private let bus: SessionBus
    private var left = mostQuestions
    private let deadline = Deadline(inMilliseconds: limit)
    private var found: [AccessibleTab] = []

    init(_ bus: SessionBus) { self.bus = bus }

    mutating func tabs(of process: Int32) -> [AccessibleTab] {
        let root = "/org/a11y/atspi/accessible/root"
        for program in children(of: AccessiblePlace(service: "org.a11y.atspi.Registry", path: root)) {
            guard (try? bus.owner(of: program.service)) == process else { continue }
            search(AccessiblePlace(service: program.service, path: root), depth: 0)
        }
        return found
    }

    private mutating func search(_ place: AccessiblePlace, depth: Int) {
        guard depth < Self.deepest else { return }
        for (index, child) in children(of: place).prefix(Self.mostChildren).enumerated() {
            guard let role = ask(child, "Accessible", "GetRole")?.first?.uint32 else { continue }
            if role == Self.pageTab {
                found.append(
                    AccessibleTab(
                        name: name(of: child), bus: bus, place: child, parent: place, index: Int32(index)))
            } else if !Self.leaves.contains(role) {
                search(child, depth: depth + 1)
            }
        }
    }

    private mutating func children(of place: AccessiblePlace) -> [AccessiblePlace] {
        let list = ask(place, "Accessible", "GetChildren")?.first?.elements ?? []
        return list.compactMap { child in
            guard let parts = child.elements, parts.count == 2, let service = parts[0].string,
                let path = parts[1].string
            else { return nil }
            return AccessiblePlace(service: service, path: path)
        }
    }

    private mutating func name(of place: AccessiblePlace) -> String {
        let property: [BusValue] = [.string("org.a11y.atspi.Accessible"), .string("Name")]
        left -= 1
        guard left >= 0, !deadline.isOver else { return "" }
        return bus.ask(place, "org.freedesktop.DBus.Properties", "Get", property)?.first?.string ?? ""
    }

    private mutating func ask(_ place: AccessiblePlace, _ interface: String, _ member: String) -> [BusValue]? {
        left -= 1
        guard left >= 0, !deadline.isOver else { return nil }
        return bus.ask(place, "org.a11y.atspi." + interface, member)
    }
}

extension SessionBus {
    /// In milliseconds, for one question.
    fileprivate static let accessiblePatience = 500

    fileprivate func ask(
        _ place: AccessiblePlace, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) -> [BusValue]? {
        var call = BusCall(place.service, place.path, interface, member, arguments)
        (call.timeLimit, call.startsService) = (Self.accessiblePatience, false)
        return try? self.call(call)
    }
}
