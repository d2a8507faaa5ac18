// Brings X11 windows forward within one process, each read back, and says what one costs: the rest of `usher` left out.
//
// usage: usher-focus-x11               one handle (x11:0x400001) a line on standard input
//        usher-focus-x11 HANDLE        that one, in a process of its own
//        usher-focus-x11 --list        lists all windows, a hundred times
//        usher-focus-x11 --watch N     watches for N seconds, and says how many lists it was told
//
// Prints a line for each handle: nanoseconds from the call to its return, and `shown` or what was seen instead.

internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherWindows

func environment() -> [String: String] {
    var found: [String: String] = [:]
    for name in ["DISPLAY", "XAUTHORITY", "HOME"] {
        if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    return found
}

func nanoseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
}

func run() throws(ActivationFailure) {
    let windows = X11WindowSystem(environment: environment())
    let clock = ContinuousClock()
    func bring(_ handle: String) throws(ActivationFailure) {
        let start = clock.now
        let seen = try windows.focus(.handle(handle, server: nil))
        print(nanoseconds(clock.now - start), seen.view)
        fflush(nil)
    }
    switch CommandLine.arguments.dropFirst().first {
    case "--list":
        var times: [Int64] = []
        var count = 0
        for _ in 0..<100 {
            let start = clock.now
            count = try windows.windows().windows.count
            times.append(nanoseconds(clock.now - start))
        }
        print("{\"windows\":\(count),\"median_ns\":\(times.sorted()[50])}")
    case "--watch":
        let seconds = CommandLine.arguments.count > 2 ? UInt32(CommandLine.arguments[2]) ?? 60 : 60
        let told = Atomic(0)
        let watch = windows.watch { _ in told.add(1, ordering: .relaxed) }
        sleep(seconds)
        watch?.stop()
        print("{\"seconds\":\(seconds),\"lists\":\(told.load(ordering: .relaxed))}")
    case let handle?: try bring(handle)
    case nil: while let handle = readLine() { try bring(handle) }
    }
}

signal(SIGPIPE, SIG_IGN)
do {
    try run()
} catch {
    print("usher-focus: \(error)")
    exit(1)
}
