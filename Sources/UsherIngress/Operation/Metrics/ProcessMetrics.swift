internal import Glibc
internal import UsherSystem

/// The kernel's data about this process, under the names that Prometheus's own libraries use.
enum ProcessMetrics {
    static func register(in registry: MetricsRegistry) {
        registry.counter("process_cpu_seconds_total", "User and system CPU time, in seconds.", read: processorSeconds)
        registry.gauge("process_resident_memory_bytes", "Resident memory.") {
            // statm, second field, in pages (proc(5)).
            let pages = text("/proc/self/statm")?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
            return pages.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
        }
        registry.gauge("process_open_fds", "Open file descriptors.", read: descriptors)
        registry.gauge("process_max_fds", "The limit of open file descriptors.") {
            var limit = rlimit()
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
            return limit.rlim_cur > UInt64(Int64.max) ? nil : Double(limit.rlim_cur)
        }
        let start = startTime()
        registry.gauge("process_start_time_seconds", "When the process began, since 1970.") { start }
    }

    private static func processorSeconds() -> Double? {
        var usage = rusage()
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return nil }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    private static func descriptors() -> Double? {
        // Without the descriptor of the folder itself.
        (try? FileSystem.names(in: "/proc/self/fd")).map { Double($0.count - 1) }
    }

    /// The boot's time, and the ticks since then.
    private static func startTime() -> Double? {
        guard let ticks = ProcessStatus(pid: getpid())?.startTime,
            let boot = text("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let since = Double(boot.dropFirst(6))
        else { return nil }
        return since + Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    static func text(_ path: String) -> String? {
        FileSystem.contents(of: path, limit: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }
}
