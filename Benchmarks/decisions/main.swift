// Decides which of many windows shows a target, and says what a decision costs: the rest of `usher` left out.
//
// usage: usher-decisions MIX SESSIONS [DECISIONS]
//
// MIX is `equal` (each session prefers and shows its own target), `mixed` (a fifth each of ==, IN of three, BEGINSWITH, LIKE
// and an OR of 200) or `unindexed` (no condition has a literal that it can be looked up by: NOT and !=). Prints a JSON object.
// Every answer is compared with what the way in which the sessions were made lets expect.

internal import Glibc
internal import UsherPredicate
internal import UsherResolution
internal import UsherScene

struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

let place = SourceLocation(path: "benchmark", line: 1, column: 1)

/// The page of a clown, of a length that pages have.
func address(_ number: Int) -> String {
    let digits = String(number)
    return "https://clowntown.example/clowns/c" + String(repeating: "0", count: 7 - digits.utf8.count) + digits
}

/// Bytes of memory that this process has.
func residentBytes() -> Int {
    let file = unsafe open("/proc/self/statm", O_RDONLY)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = unsafe read(file, &bytes, bytes.count)
    let words = bytes.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
    return words.count > 1 ? (Int(String(decoding: words[1], as: UTF8.self)) ?? 0) * 4096 : 0
}

func cpuNanoseconds() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

struct Case {
    var target: TargetContentIdentifier
    /// The session that is expected; nil where a new one is made.
    var session: Int?
}

func condition(_ mix: String, _ number: Int) throws(PredicateError) -> ScenePredicate {
    // Beyond the sessions' own numbers, and different in each session.
    func other(_ index: Int) -> String { address(2_000_000 + (number * 200 + index) % 7_000_000) }
    let own = address(number)
    switch mix == "mixed" ? number % 5 : mix == "unindexed" ? 5 : 0 {
    case 0: return try ScenePredicate(parsing: "SELF == \"\(own)\"")
    case 1: return try ScenePredicate(parsing: "SELF IN {\"\(other(0))\", \"\(own)\", \"\(other(1))\"}")
    case 2: return try ScenePredicate(parsing: "SELF BEGINSWITH \"\(own)\"")
    case 3: return try ScenePredicate(parsing: "SELF LIKE \"*\(own.dropFirst(20))*\"")
    case 4:
        let terms = (0..<200).map { "SELF == \"\($0 == 100 ? own : other($0))\"" }
        return try ScenePredicate(parsing: terms.joined(separator: " OR "))
    default: return try ScenePredicate(parsing: "NOT SELF != \"\(own)\"")
    }
}

func sessions(_ mix: String, _ count: Int) throws(PredicateError) -> [SceneSession] {
    var sessions: [SceneSession] = []
    sessions.reserveCapacity(count)
    for number in 0..<count {
        let predicate = try condition(mix, number)
        // As read from a store: a target that is its condition's text shares it.
        let target = predicate.equalText ?? address(number)
        sessions.append(
            SceneSession(
                id: "clown-\(number)", app: "example.clowntown", scene: "clown",
                target: TargetContentIdentifier(target),
                conditions: ActivationConditions(
                    canActivate: .init(predicate, origin: .session),
                    prefersToActivate: .init(predicate, origin: .session)),
                used: Int64(number % 977), created: Int64(number)))
    }
    return sessions
}

func cases(_ sessions: Int, _ decisions: Int) -> [Case] {
    var random = Generator(state: 7)
    return (0..<decisions).map { index in
        let number = Int.random(in: 0..<sessions, using: &random)
        // Nine of ten have a window.
        return index % 10 == 9
            ? Case(target: TargetContentIdentifier(address(1_500_000 + number % 400_000)), session: nil)
            : Case(target: TargetContentIdentifier(address(number)), session: number)
    }
}

func run() throws(PredicateError) {
    let arguments = CommandLine.arguments
    guard arguments.count > 2, ["equal", "mixed", "unindexed"].contains(arguments[1]), let count = Int(arguments[2]),
        count > 0, count <= 1_000_000, let decisions = arguments.count > 3 ? Int(arguments[3]) : 200_000, decisions > 0
    else {
        print("usage: usher-decisions equal|mixed|unindexed SESSIONS [DECISIONS]")
        exit(2)
    }
    var app = App(id: "example.clowntown", name: "Clown Town", location: place)
    app.domains = [Located("clowntown.example", at: place)]
    app.scenes = [SceneConfiguration(name: "clown", location: place)]
    let cases = cases(count, min(decisions, 100_000))
    let empty = residentBytes()
    var made = try sessions(arguments[1], count)
    let start = cpuNanoseconds()
    var resolver = Resolver(Snapshot(configuration: Configuration(apps: [app]), sessions: SessionTable(made)))
    let indexed = cpuNanoseconds() - start
    made = []
    let bytes = residentBytes() - empty

    var wrong = 0
    func decide(_ count: Int) {
        for index in 0..<count {
            let asked = cases[index % cases.count]
            let resolution = resolver.resolve(ActivationRequest(target: asked.target))
            if resolution.session != asked.session.map({ "clown-\($0)" }) || resolution.scene != "clown" { wrong += 1 }
        }
    }
    decide(min(decisions, 1_000))
    let beforeDecisions = cpuNanoseconds()
    decide(decisions)
    let each = Double(cpuNanoseconds() - beforeDecisions) / Double(decisions)

    // Each takes the condition of another one.
    let changed = (0..<min(count, 100_000)).compactMap { number -> SceneSession? in
        let table = resolver.snapshot.sessions
        var session = table.session(id: "clown-\(number)", app: app.id)
        session?.used = Int64(10_000 + number)
        if let other = table.session(id: "clown-\((number + 5) % count)", app: app.id) {
            session?.conditions = other.conditions
        }
        return session
    }
    let beforeChanges = cpuNanoseconds()
    for session in changed { resolver.update(session) }
    let change = (cpuNanoseconds() - beforeChanges) / max(changed.count, 1)
    print(
        "{\"mix\":\"\(arguments[1])\",\"sessions\":\(count),\"decisions\":\(decisions),\"wrong\":\(wrong)"
            + ",\"decision_ns\":\(Int(each)),\"decisions_per_second\":\(Int(1e9 / each))"
            + ",\"change_ns\":\(change),\"index_ms\":\(indexed / 1_000_000)"
            + ",\"session_bytes\":\(bytes / count)}")
    exit(wrong == 0 ? 0 : 1)
}

do {
    try run()
} catch {
    print("usher-decisions: \(error.message)")
    exit(1)
}
