internal import Glibc
internal import UsherSystem

/// Milliseconds that only go forward; no moment is `Milliseconds.max`.
typealias Milliseconds = UInt64

enum Clock {
    /// Coarse: a few milliseconds late, and cheap.
    static var now: Milliseconds { MonotonicClock.coarseMilliseconds() }

    /// From seconds of a setting, whatever they are.
    static func milliseconds(_ seconds: Double) -> Milliseconds {
        seconds > 0 ? Milliseconds(min(seconds, 1e9) * 1000) : 0
    }
}

/// The `Date` line of answers, made once a second. RFC 9110, 5.6.7.
struct DateLine {
    private var second: time_t = -1
    private(set) var bytes: [UInt8] = []

    mutating func refresh() {
        let now = time(nil)
        guard now != second else { return }
        second = now
        bytes = Array("Date: \(Self.text(now))\r\n".utf8)
    }

    private static func text(_ time: time_t) -> String {
        var time = time
        var parts = unsafe tm()
        unsafe _ = gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return unsafe "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
