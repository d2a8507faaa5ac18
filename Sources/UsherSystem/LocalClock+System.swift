internal import Glibc
public import UsherText

extension LocalClock {
    /// That of this process: by `$TZ` as it was at first, else by the machine's zone.
    public static let system = LocalClock { seconds in
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
        return Int64(unsafe parts.tm_gmtoff)
    }
}
