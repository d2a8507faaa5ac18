import StoreTestSupport
import Testing
import UsherScene

@testable import UsherStore

/// What the store keeps of notifications that were shown.
@Suite struct NotificationsTests {
    let folder = TemporaryDirectory()

    /// A finished delivery whose notification is shown under this number.
    private func show(
        _ store: Store, _ id: String, _ number: UInt32, server: String = "one", collapse: String? = nil
    ) throws {
        var delivery = Store.NewDelivery(
            id: id, senderID: "sender", source: "webhook", format: "apns", accepted: 7, input: [1, 2],
            app: "example.clowntown", target: "t")
        delivery.expires = 9
        delivery.collapse = collapse
        try store.record(delivery, state: .done, record: "{}")
        try store.write { (state) throws(StoreError) in
            try state.insert(
                Store.StoredNotification(
                    delivery: id, app: "example.clowntown", collapse: collapse, server: server, number: number, shown: 5
                ))
        }
    }

    private func state(_ store: Store, _ id: String) throws -> String? {
        try store.delivery(id)?.notification?.state.rawValue
    }

    @Test func aPressIsADeliveryOnce() throws {
        let store = try folder.open()
        try show(store, "a", 1)
        #expect(try store.press("track", onNumber: 1, of: "one", as: "b") == .accepted(of: "a"))
        #expect(try store.press("track", onNumber: 1, of: "one", as: "c") == .repeated(of: "a"))
        #expect(try store.press("track", onNumber: 1, of: "two", as: "d") == .unknown)
        #expect(try store.press("track", onNumber: 2, of: "one", as: "e") == .unknown)
        let press = try #require(try store.delivery("b"))
        #expect(press.parent == "a" && press.response == "track" && press.state == .accepted)
        #expect(press.source == "notification" && press.format == "apns" && press.input == [1, 2])
        #expect(press.app == "example.clowntown" && press.target == "t")
        // The sender's wishes were about its own delivery.
        #expect(press.senderID == nil && press.expires == nil && press.collapse == nil)
        #expect(press.delivery.parent == "a" && press.delivery.response == "track")
        #expect(try store.deliveries().map(\.id) == ["b", "a"])
        let shown = try #require(try store.delivery("a")?.notification)
        #expect(shown.state == .pressed && shown.response == "track" && shown.ended != nil)
        #expect(try store.delivery("a")?.parent == nil)
    }

    @Test(arguments: Store.NotificationState.allCases)
    func whatMayStillBePressed(_ end: Store.NotificationState) throws {
        let store = try folder.open()
        try show(store, "a", 1)
        if end != .shown {
            #expect(try store.endNotification(number: 1, of: "one", as: end) == "a")
            #expect(try store.endNotification(number: 1, of: "one", as: .expired) == nil, "it has its end")
        }
        let result = try store.press("default", onNumber: 1, of: "one", as: "b")
        let isOver: Set<Store.NotificationState> = [.pressed, .replaced, .lost]
        #expect(result == (isOver.contains(end) ? .repeated(of: "a") : .accepted(of: "a")))
    }

    @Test func aNumberMeansItsNewest() throws {
        let store = try folder.open()
        try show(store, "a", 1, collapse: "x")
        let first = try store.shownNotification(collapse: "x", app: "example.clowntown")
        #expect(first?.number == 1 && first?.server == "one")
        #expect(try store.shownNotification(collapse: "x", app: "example.other") == nil)
        try show(store, "b", 1, collapse: "x")
        #expect(try state(store, "a") == "replaced" && state(store, "b") == "shown")
        #expect(try store.press("default", onNumber: 1, of: "one", as: "c") == .accepted(of: "b"))
        #expect(try store.shownNotification(collapse: "x", app: "example.clowntown") == nil)
    }

    @Test func aServerTakesWhatItShowedAlong() throws {
        let store = try folder.open()
        for (index, server) in ["one", "two", "two", "three"].enumerated() {
            try show(store, "\(index)", UInt32(index), server: server)
        }
        _ = try store.endNotification(number: 0, of: "one", as: .dismissed)
        #expect(try store.loseNotifications(except: "two") == 1)
        #expect(try (0..<4).map { try state(store, "\($0)") } == ["dismissed", "shown", "shown", "lost"])
        #expect(try store.loseNotifications(except: nil) == 2)
        #expect(try store.loseNotifications(except: nil) == 0)
    }

    @Test func itIsForgottenWithItsDelivery() throws {
        let store = try folder.open()
        try show(store, "a", 1)
        try store.write { (state) throws(StoreError) in _ = try state.forget(delivery: "a") }
        #expect(try !store.hasNotification(number: 1, of: "one"))
        #expect(try store.press("default", onNumber: 1, of: "one", as: "b") == .unknown)
        try store.check()
    }
}
