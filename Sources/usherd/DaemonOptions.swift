internal import Glibc
internal import UsherHTTP
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// The options of `usherd`.
struct DaemonOptions: Sendable {
    /// `--listen ADDRESS:PORT`, once or more.
    var listen: [String] = []
    /// `--socket PATH`.
    var socket: String?
    /// `--config DIR|FILE`.
    var config: String?
    /// `--state DIR`.
    var state: String?
    var logLevel: String?
    var logFormat: String?
    var makesDevelopmentCertificate = false
    var isQuiet = false
    /// Answer questions about this desktop's windows, and do nothing else.
    var answersForWindows = false
    /// Serve the command that started this program, and end with the last client.
    var onDemand: OnDemandLog?
    /// Whether no decisions are logged by an engine on demand whose log goes to a terminal.
    var hidesDecisions = false
    private var onDemandText: String?
    var asksForHelp = false
    var asksForVersion = false

    private enum Kind {
        case value(WritableKeyPath<DaemonOptions, String?>)
        case list(WritableKeyPath<DaemonOptions, [String]>)
        case flag(WritableKeyPath<DaemonOptions, Bool>)
    }

    private typealias Entry = (name: String, argument: String?, summary: String, kind: Kind)

    private static var table: [Entry] {
        [
            ("listen", "ADDRESS:PORT", "take webhooks over TCP, as [server] listen; port 0 picks one", .list(\.listen)),
            ("socket", "PATH", "the Unix socket, instead of [server] socket", .value(\.socket)),
            ("config", "DIR|FILE", "the configuration; else $USHER_CONFIG, then the usual places", .value(\.config)),
            ("state", "DIR", "the folder of the store; else $USHER_STATE, then the usual place", .value(\.state)),
            (
                "dev-certificate", nil,
                "serve TLS with a certificate for localhost, made in STATE/tls if there is none",
                .flag(\.makesDevelopmentCertificate)
            ),
            (
                "windows", nil, "answer questions about this desktop's windows on standard input: what usher asks",
                .flag(\.answersForWindows)
            ),
            (
                "on-demand", "LOG",
                "serve the usher that started it, on descriptor 3, and end with it; LOG is its log's form",
                .value(\.onDemandText)
            ),
            (
                "no-decisions", nil, "with --on-demand: log no decisions on the terminal of that usher",
                .flag(\.hidesDecisions)
            ),
            ("log-level", "LEVEL", "debug, info, notice, warning or error", .value(\.logLevel)),
            ("log-format", "FORMAT", "text, json or journal", .value(\.logFormat)),
            ("quiet", nil, "log errors only", .flag(\.isQuiet)),
            ("version", nil, "print the version", .flag(\.asksForVersion)),
            ("help", nil, "print this", .flag(\.asksForHelp)),
        ]
    }

    /// - Parameter words: the arguments after the program's name.
    init(_ words: [String]) throws(DaemonFailure) {
        var rest = words[...]
        while let word = rest.popFirst() {
            let text = word == "-h" ? "--help" : word
            guard text.hasPrefix("--") else {
                throw DaemonFailure("usherd takes no operand, and \(word) is one", help: "usherd --help")
            }
            let parts = text.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts.first ?? "")
            guard let entry = DaemonOptions.table.first(where: { $0.name == name }) else {
                throw DaemonFailure("there is no option --\(name)", help: DaemonOptions.remedy(for: name))
            }
            if case .flag(let path) = entry.kind {
                guard parts.count == 1 else {
                    throw DaemonFailure("--\(name) takes no value", help: "usherd --help")
                }
                self[keyPath: path] = true
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
                throw DaemonFailure("--\(name) needs a value", help: "--\(name) \(entry.argument ?? "VALUE")")
            }
            switch entry.kind {
            case .value(let path):
                guard self[keyPath: path] == nil else {
                    throw DaemonFailure("--\(name) is given twice", help: "give it once")
                }
                self[keyPath: path] = value
            case .list(let path): self[keyPath: path].append(value)
            case .flag: break
            }
        }
        if let text = onDemandText {
            guard let form = OnDemandLog(rawValue: text) else {
                throw DaemonFailure("there is no form \(text) of --on-demand", help: "usher starts it")
            }
            onDemand = form
        }
    }

    private static func remedy(for name: String) -> String {
        if name == "apns" {
            return "the APNs endpoint comes with a later version; POST /v1/notifications takes the payloads"
        }
        return Spelling.closest(to: name, among: table.map(\.name)).map { "did you mean --\($0)?" } ?? "usherd --help"
    }

    static var help: String {
        var text = """
            usage: usherd [option]...

            The daemon: takes payloads from a local webhook and the Unix socket, brings up their windows,
            and answers `usher`. It keeps the journal, so nothing that was acknowledged is lost.


            """
        for entry in table {
            let left = "  --\(entry.name)" + (entry.argument.map { " \($0)" } ?? "")
            text += left + String(repeating: " ", count: max(2, 26 - left.count)) + entry.summary + "\n"
        }
        return text + """

            SIGHUP reads the configuration again, as a change of its files does; SIGTERM finishes what is begun.
            example: usherd --config Config --listen 127.0.0.1:8484

            """
    }
}

/// Why the daemon does not start: one sentence, and what to do about it.
struct DaemonFailure: Error {
    var message: String
    var help: String?

    init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    init(_ error: ControlError) { self.init(error.message, help: error.help) }

    init(_ error: StoreError) { self.init("\(error.code.code) \(error.path): \(error.message)", help: error.help) }

    init(_ error: HTTPServerError) {
        let help: String? =
            switch error.systemError {
            case _ where error.listener == "control": "--socket names another place"
            case EADDRINUSE:
                "another program listens there, perhaps another usherd: end it, or name another port (--listen HOST:PORT)"
            case EADDRNOTAVAIL: "this machine has no such address: 127.0.0.1 is for this machine alone, 0.0.0.0 for all"
            case EACCES: "ports below 1024 are the system's: name a higher one, or let systemd hand the socket over"
            default: nil
            }
        self.init(error.message, help: help)
    }
}
