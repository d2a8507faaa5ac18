internal import Glibc

/// The program code in memory.
public enum CodePages {
    /// Gives the pages of program code back to the system; what is needed again is mapped again from the file, which the page
    /// cache still has. An idle daemon then holds only what idling takes.
    ///
    /// Code alone (`r-xp` of files, proc(5)): it is never written, while read-only data may have been, by the dynamic linker.
    public static func release() {
        for line in (ProcessMetrics.text("/proc/self/maps") ?? "").split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].drop(while: { $0 == " " }).hasPrefix("/") else {
                continue
            }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, ends[0] < ends[1] else { continue }
            // It is advice: whether it is taken changes nothing but how much is in memory.
            _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}
