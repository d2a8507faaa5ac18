import Foundation

/// For how long the threads of a process would sleep if nothing happened, as the kernel tells it in
/// `/proc/PID/task/TID/syscall`.
///
/// A test asks this instead of counting context switches: those also come from a busy machine, and from what others do.
package enum ThreadWaits {
    /// Calls `body` on another thread as soon as the calling one waits for something: for a while it has made no step.
    package static func whenCallerWaits(_ body: @escaping @Sendable () -> Void) {
        let manager = FileManager.default
        let task = (try? manager.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
        Thread.detachNewThread {
            var (last, isSame) = ("", 0)
            _ = eventually {
                let call = (try? String(contentsOfFile: "/proc/\(task)/syscall", encoding: .utf8)) ?? ""
                isSame = call == last && call.first?.isNumber == true ? isSame + 1 : 0
                last = call
                return isSame == 3
            }
            body()
        }
    }

    /// Milliseconds by thread id, of the threads of this name or of all: `.max` without a limit, 0 where a thread runs, or waits
    /// in a way that is not known here.
    package static func limits(process: String = "self", name: String? = nil) -> [String: Int] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        var found: [String: Int] = [:]
        for task in tasks {
            let folder = "/proc/\(process)/task/\(task)"
            guard let thread = try? String(contentsOfFile: folder + "/comm", encoding: .utf8),
                let call = try? String(contentsOfFile: folder + "/syscall", encoding: .utf8)
            else { continue }
            if let name, thread != name + "\n" { continue }
            let isPoll = (try? String(contentsOfFile: folder + "/wchan", encoding: .utf8))?.hasPrefix("poll_") == true
            found[task] = limit(call.split(whereSeparator: \.isWhitespace), isPoll: isPoll)
        }
        return found
    }

    private static func limit(_ call: [Substring], isPoll: Bool) -> Int {
        guard call.count > 6, let number = Int(call[0]) else { return 0 }
        let arguments = call[1...6].map { UInt64($0.dropFirst(2), radix: 16) ?? 0 }
        #if arch(x86_64)
            let (poll, futex, epollWaits, restart) = (7, 202, [232, 281], 219)
        #else
            let (poll, futex, epollWaits, restart) = (73, 98, [22], 128)
        #endif
        switch number {
        case poll: return pollLimit(arguments[2])
        // What poll(2) becomes that a signal has interrupted; its arguments stay.
        case restart where isPoll: return pollLimit(arguments[2])
        case futex: return arguments[3] == 0 ? .max : 0
        case _ where epollWaits.contains(number): return milliseconds(arguments[3])
        default: return 0
        }
    }

    private static func pollLimit(_ argument: UInt64) -> Int {
        #if arch(x86_64)
            milliseconds(argument)
        #else
            // ppoll(2): a pointer.
            argument == 0 ? .max : 0
        #endif
    }

    /// An int in a register, whose upper half may hold anything; negative, or as long as it can be: without limit.
    private static func milliseconds(_ argument: UInt64) -> Int {
        let value = Int32(truncatingIfNeeded: argument)
        return value < 0 || value == .max ? .max : Int(value)
    }
}
