// Looks suggestions up in a store, within one process, and says what one costs: the rest of `usher` left out.
//
// usage: usher-suggestions STATE [ROUNDS]    with one identifier a line on standard input
//
// Each identifier is looked up by itself, as at a change of focus, in a transaction of its own. The store is opened for
// writing, as the daemon has it. Prints a JSON object; `Benchmarks/links` checks it.

internal import Glibc
internal import UsherNotes
internal import UsherScene
internal import UsherStore

/// What a file looks like from outside; another one after a write.
struct Mark: Equatable {
    var size = 0
    var seconds = 0
    var nanoseconds = 0

    init(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return }
        (size, seconds, nanoseconds) = (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
}

func run() throws(StoreError) {
    let arguments = CommandLine.arguments
    guard arguments.count > 1, let rounds = arguments.count > 2 ? Int(arguments[2]) : 1, rounds > 0 else {
        print("usage: usher-suggestions STATE [ROUNDS] < identifiers")
        exit(2)
    }
    var identifiers: [TargetContentIdentifier] = []
    while let line = readLine() { identifiers.append(TargetContentIdentifier(line)) }

    let clock = ContinuousClock()
    let start = clock.now
    let store = try Store(directory: arguments[1], access: .readWrite, features: [.notes])
    // The first look compiles the statements and reads the upper pages of the index.
    _ = try store.suggestions(for: [TargetContentIdentifier("of nothing")])
    let opened = clock.now - start
    let files = ["usher.db", "usher.db-wal"].map { arguments[1] + "/" + $0 }
    let before = files.map { Mark(of: $0) }

    var found = 0
    var times: [Int64] = []
    times.reserveCapacity(identifiers.count * rounds)
    for _ in 0..<rounds {
        for identifier in identifiers {
            let began = clock.now
            found += try store.suggestions(for: [identifier]).count
            times.append((clock.now - began).components.attoseconds / 1_000_000_000)
        }
    }
    let wrote = files.map { Mark(of: $0) } != before
    times.sort()
    func part(_ share: Double) -> Int64 { times.isEmpty ? 0 : times[Int(Double(times.count - 1) * share)] }
    print(
        "{\"look_ups\":\(times.count),\"found\":\(found),\"wrote\":\(wrote)"
            + ",\"open_ns\":\(opened.components.attoseconds / 1_000_000_000)"
            + ",\"median_ns\":\(part(0.5)),\"p99_ns\":\(part(0.99)),\"greatest_ns\":\(part(1))"
            + ",\"mean_ns\":\(times.reduce(0, +) / Int64(max(times.count, 1)))}")
    store.close()
}

do {
    try run()
} catch {
    print("usher-suggestions: \(error)")
    exit(1)
}
