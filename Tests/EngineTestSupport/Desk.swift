import Foundation
import TestSupport
import Testing
package import UsherActivation
import UsherEngine
import UsherFeatures
package import UsherLog
package import UsherScene
import UsherStore

/// A daemon that shows notifications, and everything that it recorded.
package final class Desk {
    package let fixture: DispatchFixture
    package let presenter: RecordingPresenter
    package let daemon: Daemon
    package let records = Locked<[DecisionRecord]>([])

    package init(
        _ fixture: DispatchFixture? = nil, _ presenter: RecordingPresenter = RecordingPresenter(),
        deliver: DeliveryRule = .notify, presence: (any UserPresence)? = nil, quiet: QuietRule = QuietRule(),
        windows: (any WindowSystem)? = nil
    ) throws {
        self.fixture = try fixture ?? DispatchFixture()
        self.fixture.app.deliver = deliver
        self.presenter = presenter
        daemon = try Daemon(self.fixture, presenter: presenter, presence: presence, quiet: quiet, windows: windows)
        daemon.engine.observe { [records] record in records.with { $0.append(record) } }
    }

    package func presses() -> [DecisionRecord] { records.with { $0.filter { $0.source == "notification" } } }

    /// Waits for as many records of presses.
    package func presses(_ count: Int) throws -> [DecisionRecord] {
        try waitUntil("there are \(count) presses") { presses().count >= count }
        return presses()
    }

    package func state(of record: DecisionRecord) throws -> String? {
        try daemon.store.delivery(record.id)?.notification?.state.rawValue
    }
}

/// Pushes as they arrive.
package enum Pushes {
    package typealias Fixture = DispatchFixture

    package static func push(_ more: String = "", alert: String? = #""hi""#, target: String? = Fixture.crusty) -> String
    {
        let members = [
            alert.map { #""alert":\#($0)"# }, target.map { #""target-content-id":"\#($0)""# },
            more.isEmpty ? nil : more,
        ].compactMap { $0 }
        return #"{"payload":{"aps":{\#(members.joined(separator: ","))}},"headers":{"apns-topic":"example.clowntown"}}"#
    }

    package static func collapsing(_ id: String, alert: String) -> String {
        let payload = #"{"aps":{"alert":"\#(alert)","target-content-id":"\#(Fixture.crusty)"}}"#
        return #"{"payload":\#(payload),"headers":{"apns-topic":"example.clowntown","apns-collapse-id":"\#(id)"}}"#
    }

    /// A kind of notification with three buttons.
    package static func order() -> NotificationCategory {
        var category = NotificationCategory(id: "ORDER", location: Fixture.location)
        category.desktopCategory = "im.received"
        category.actions = ["track", "bozo", "mute"].map { id in
            NotificationAction(id: id, title: id.capitalized, location: Fixture.location)
        }
        category.actions[1].target = TargetContentIdentifier(Fixture.bozo)
        category.actions[2].background = Fixture.command(
            "sh", "-c", #"echo "$1 $USHER_NOTIFICATION_ACTION" >> "$HOME/muted""#, "-", "{notification-action}")
        return category
    }
}
