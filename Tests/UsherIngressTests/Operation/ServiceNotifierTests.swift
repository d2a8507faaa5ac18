import Glibc
import Testing
import UsherIngress
import UsherLog
import UsherSystem
import UsherText

@Suite("Words to the service manager")
struct ServiceNotifierTests {
    @Test("each state is one datagram of assignments", arguments: [false, true])
    func states(isAbstract: Bool) throws {
        let manager = try DatagramReceiver(isAbstract: isAbstract)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name], process: getpid()))
        #expect(notifier.ready(status: "two\nREADY=1"))
        #expect(try manager.next() == "READY=1\nSTATUS=two\\u{a}READY=1")
        #expect(notifier.keepAlive())
        #expect(try manager.next() == "WATCHDOG=1")
        #expect(notifier.stopping())
        #expect(try manager.next() == "STOPPING=1")
    }

    @Test("a reload says when it began, on the manager's clock")
    func reloading() throws {
        let manager = try DatagramReceiver(isAbstract: true)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name], process: 1))
        let before = MonotonicClock.microseconds()
        #expect(notifier.reloading())
        let lines = try manager.next().split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let time = try #require(lines.last?.split(separator: "=").last.flatMap { Int64($0) })
        #expect(time >= before && time <= MonotonicClock.microseconds())
        #expect(notifier.ready())
        #expect(try manager.next() == "READY=1")
    }

    @Test(
        "without a manager there is no notifier",
        arguments: [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "vsock:2:1"]])
    func absent(environment: [String: String]) {
        #expect(ServiceNotifier(environment: environment, process: 1) == nil)
    }

    @Test("a manager that is gone is an answer, and no error")
    func gone() throws {
        let paths = ["/nonexistent/notify", "@nobody-\(getpid())", "/" + String(repeating: "x", count: 200)]
        for path in paths {
            let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": path], process: 1))
            #expect(!notifier.ready())
        }
    }

    @Test(
        "the watchdog's interval is half of what is allowed",
        arguments: [
            ("30000000", nil, 15_000_000), ("30000000", "7", 15_000_000), ("30000000", "8", nil), ("0", nil, nil),
            ("-5", nil, nil), ("soon", nil, nil), ("1", nil, 1),
        ] as [(String, String?, Int64?)])
    func watchdog(microseconds: String, process: String?, interval: Int64?) throws {
        var environment = ["NOTIFY_SOCKET": "@x", "WATCHDOG_USEC": microseconds]
        environment["WATCHDOG_PID"] = process
        #expect(
            try #require(ServiceNotifier(environment: environment, process: 7)).watchdogInterval
                == interval.map { .microseconds($0) })
    }
}
