// Brings windows forward within one process, each read back, and says what one costs: what the daemon does, without the rest
// of it.
//
// usage: usher-focus sway|wlr|x11|tmux|shell|kwin    one handle (x11:0x400001) a line on standard input
//        usher-focus shell --raw                 the same by calls of the extension alone, without the window system
//        usher-focus sway|wlr|x11|tmux|kwin --fresh       the same, each as the first request after a start of the daemon finds it
//        usher-focus sway|wlr|x11|tmux|kwin HANDLE        that one, in a process of its own
//        usher-focus sway|wlr|x11|tmux|shell|kwin --handles   the handles of all windows
//        usher-focus sway|wlr|x11|tmux|kwin --list        lists all windows, a hundred times
//        usher-focus sway|wlr|x11|tmux|kwin --watch N     watches for N seconds, and says how many lists it was told
//
// Prints a line for each handle: nanoseconds from the call to its return, and `shown` or what was seen instead.

internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherBus
internal import UsherWindows

func makeSystem(_ name: String?, _ environment: [String: String]) -> (any WindowSystem)? {
    switch name {
    case "sway": SwayWindowSystem(environment: environment)
    case "wlr": ToplevelWindowSystem.wlr(environment: environment)
    case "x11": X11WindowSystem(environment: environment)
    case "tmux": TmuxWindowSystem(environment: environment)
    case "shell": ToplevelWindowSystem(ShellSource(SessionBus(environment: environment), environment: environment))
    case "kwin": ToplevelWindowSystem(KWinSource(environment: environment))
    default: nil
    }
}

func nanoseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
}

/// From the call of the extension to its report that the window has the keyboard.
func runRaw(_ environment: [String: String]) throws(ActivationFailure) {
    let (name, path) = ("org.usher.Shell", "/org/usher/Shell")
    let bus = SessionBus(environment: environment)
    let focused = Mutex<Set<Int64>>([])
    let change = DispatchSemaphore(value: 0)
    let observation = try bus.observe(BusMatch(sender: name, path: path, interface: name, member: "Changed")) { event in
        guard case .signal(let report) = event else { return }
        for window in report.arguments[1].elements ?? [] {
            guard let members = window.elements, let id = members[0].integer, let flags = members[9].uint32 else {
                continue
            }
            if flags & 2 != 0 { focused.withLock { _ = $0.insert(id) } }
        }
        change.signal()
    }
    defer { withExtendedLifetime(observation) {} }
    try bus.call(BusCall(name, path, name, "Windows"))
    let clock = ContinuousClock()
    while let handle = readLine(), let id = UInt64(handle.split(separator: ":").last ?? "") {
        focused.withLock { $0 = [] }
        let start = clock.now
        try bus.call(BusCall(name, path, name, "Request", [.string("activate"), .uint64(id), .string("")]))
        while !focused.withLock({ $0.contains(Int64(id)) }) {
            guard change.wait(timeout: .now() + .seconds(5)) == .success else { break }
        }
        print(nanoseconds(clock.now - start), focused.withLock { $0.contains(Int64(id)) } ? "shown" : "not seen")
    }
}

func run() throws(ActivationFailure) {
    let arguments = Array(CommandLine.arguments.dropFirst())
    var environment: [String: String] = [:]
    let names = [
        "SWAYSOCK", "DISPLAY", "XAUTHORITY", "TMUX", "TMUX_TMPDIR", "PATH", "HOME", "WAYLAND_DISPLAY",
        "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR",
    ]
    for name in names {
        if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
    }
    guard let system = makeSystem(arguments.first, environment) else {
        print("usage: usher-focus sway|wlr|x11|tmux|shell|kwin [--raw|--fresh|--list|--watch SECONDS|HANDLE]")
        exit(2)
    }
    let clock = ContinuousClock()
    func bring(_ handle: String, with system: any WindowSystem) throws(ActivationFailure) {
        let start = clock.now
        let seen = try system.focus(.handle(handle, server: nil))
        let taken = nanoseconds(clock.now - start)
        print(taken, seen.handle == handle ? "\(seen.view)" : "another window")
        fflush(nil)
    }
    switch arguments.dropFirst().first {
    case "--raw": try runRaw(environment)
    case "--fresh":
        while let handle = readLine() { try bring(handle, with: makeSystem(arguments.first, environment) ?? system) }
    case "--handles": for window in try system.windows().windows { print(window.handle) }
    case "--list":
        var times: [Int64] = []
        var count = 0
        for _ in 0..<100 {
            let start = clock.now
            count = try system.windows().windows.count
            times.append(nanoseconds(clock.now - start))
        }
        print("{\"windows\":\(count),\"median_ns\":\(times.sorted()[50])}")
    case "--watch":
        let seconds = arguments.count > 2 ? UInt32(arguments[2]) ?? 60 : 60
        let told = Atomic(0)
        let watch = system.watch { _ in told.add(1, ordering: .relaxed) }
        sleep(seconds)
        watch?.stop()
        print("{\"seconds\":\(seconds),\"lists\":\(told.load(ordering: .relaxed))}")
    case let handle?: try bring(handle, with: system)
    case nil: while let handle = readLine() { try bring(handle, with: system) }
    }
}

signal(SIGPIPE, SIG_IGN)
do {
    try run()
} catch {
    print("usher-focus: \(error)")
    exit(1)
}
