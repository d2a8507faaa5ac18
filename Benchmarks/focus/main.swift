// Brings windows forward, one after the other, within one process, and says what one costs: what the daemon does, without
// the rest of it.
//
// usage: usher-focus sway|x11|tmux ROUNDS [fresh]    with one handle a line on standard input
//
// Each call comes back when the window was seen to be in front. `fresh` makes a window system anew for each call, as the
// first request after a start of the daemon finds it. Prints a JSON object; `Benchmarks/windows-sway` checks it.

internal import Glibc
internal import UsherActivation
internal import UsherWindows

func makeSystem(_ name: String, _ environment: [String: String]) -> (any WindowSystem)? {
    switch name {
    case "sway": SwayWindowSystem(environment: environment)
    case "x11": X11WindowSystem(environment: environment)
    case "tmux": TmuxWindowSystem(environment: environment)
    default: nil
    }
}

func run() throws(ActivationFailure) {
    let arguments = CommandLine.arguments
    var environment: [String: String] = [:]
    for name in ["SWAYSOCK", "DISPLAY", "TMUX", "TMUX_TMPDIR", "PATH", "HOME"] {
        if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
    }
    guard arguments.count > 2, let rounds = Int(arguments[2]), rounds > 0,
        var system = makeSystem(arguments[1], environment)
    else {
        print("usage: usher-focus sway|x11|tmux ROUNDS [fresh] < handles")
        exit(2)
    }
    let isFresh = arguments.count > 3
    var handles: [String] = []
    while let line = readLine() { handles.append(line) }
    let server = try system.windows().server

    let clock = ContinuousClock()
    var times: [Int64] = []
    var shown = 0
    for _ in 0..<rounds {
        for handle in handles {
            if isFresh { system = makeSystem(arguments[1], environment) ?? system }
            let began = clock.now
            let sighting = try system.focus(.handle(handle, server: server))
            times.append((clock.now - began).components.attoseconds / 1_000_000_000)
            if sighting.view == .shown, sighting.handle == handle { shown += 1 }
        }
    }
    times.sort()
    func part(_ share: Double) -> Int64 { times.isEmpty ? 0 : times[Int(Double(times.count - 1) * share)] }
    print(
        "{\"focused\":\(times.count),\"shown\":\(shown),\"last\":\"\(handles.last ?? "")\""
            + ",\"median_ns\":\(part(0.5)),\"p90_ns\":\(part(0.9)),\"greatest_ns\":\(part(1))}")
}

do {
    try run()
} catch {
    print("error: \(error)")
    exit(1)
}
