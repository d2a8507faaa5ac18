import Glibc

/// The wall clock.
package enum SystemClock {
    /// Since 1970.
    package static func microseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }
}
