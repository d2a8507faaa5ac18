internal import UsherControl
internal import UsherEngine
internal import UsherHook
internal import UsherJSON
internal import UsherOperation
internal import UsherSystem
internal import UsherText

/// `usher hook listen`: requests to hooks as they come, before they are judged, to be judged again by `usher hook test`.
enum HookListenCommand {
    private static let out = Option("out", "DIR", "write each request into a file in this folder")
    private static let count = Option("count", "N", "end after N requests")

    static let description = CommandDescription(
        "hook listen", "show the requests to hooks as they come, before they are judged",
        operands: [.init("NAME", .optional, of: .hooks)], options: [out, count],
        discussion: [
            "NAME is a hook or the path of hooks. usherd has to run. Tokens and passwords are shown as ***; bodies are not changed:",
            "they may be confidential. usher hook test NAME FILE judges a file again, and [[hooks.NAME.expect]] keeps it as a test.",
        ],
        examples: [.init("usher hook listen --out captures --count 1", "keep the next request in a file")],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        var rest = try arguments.number(count, in: 1...Int.max) ?? Int.max
        guard let daemon = try context.daemon(), !daemon.hello.isOnDemand else {
            throw .usage(
                "usherd does not run for this state folder, so that no hook can be called",
                help: "usher serve starts it", code: .usageMissing)
        }
        let folder = arguments.value(out).map { CaptureFolder($0) }
        try folder?.make()
        _ = try CommandFailure.attempt { () throws(ControlError) in
            try daemon.client.send(HookListen(hook: arguments.operands.first))
        }
        while rest > 0 {
            switch try CommandFailure.attempt({ () throws(ControlError) in try daemon.client.receive() }) {
            case .result: context.errors.note("listening; Control-C ends it")
            case .failure(_, let error): throw CommandFailure(error)
            case .record(_, let text):
                if let leftOut = (try? LeftOutRequests(reading: text))?.count {
                    context.errors.warning("\(leftOut) requests were left out: they came faster than they were read")
                    continue
                }
                guard let capture = try? HookCapture.read(text) else { continue }
                rest -= 1
                let file = try folder?.write(text, capture)
                context.output.write(line(text, capture, file, context))
                context.output.flush()
                if context.output.isBroken { return }
            case .suggestion, .taken, .yield, .log, .elsewhere: continue
            }
        }
    }

    /// What is printed of a request: the request itself, or the file that has it.
    private static func line(
        _ text: [UInt8], _ capture: HookCapture, _ file: String?, _ context: Context
    ) -> String {
        if context.writesJSON {
            return file.map { JSONValue.object([.init("file", .string($0))]).text() + "\n" }
                ?? ((try? JSONValue(parsing: text))?.text() ?? "") + "\n"
        }
        if let file { return Printable.escaped(file) + "\n" }
        let request = capture.request
        let query = request.query.map { "?\($0)" } ?? ""
        var shown = Printable.escaped("\(capture.time)  \(request.method) \(request.path)\(query)") + "\n"
        for header in request.headers { shown += "   " + Printable.escaped("\(header.name): \(header.value)") + "\n" }
        let body = String(validating: request.body, as: UTF8.self) ?? Base64.encode(request.body)
        return shown + (body.isEmpty ? "" : "\n   \(Printable.escaped(body))\n") + "\n"
    }
}

/// Where captured requests are written, a file each that its owner alone can read.
private struct CaptureFolder {
    private let path: String

    init(_ path: String) { self.path = path }

    func make() throws(CommandFailure) {
        try NewFile.attempt { () throws(FileSystem.WriteFailure) in try FileSystem.makeFolder(path) }
    }

    /// Writes a request into a new file, named by its time and its path.
    func write(_ text: [UInt8], _ capture: HookCapture) throws(CommandFailure) -> String {
        let time = capture.time.filter { $0 != ":" && $0 != "-" }
        let hook = FilePath.lastComponent(of: capture.request.path)
        var number = 1
        while true {
            let name = "\(path)/\(time)-\(hook)\(number == 1 ? "" : "-\(number)").json"
            do throws(FileSystem.WriteFailure) {
                try FileSystem.create(name, text + [0x0A], mode: 0o600)
                return name
            } catch {
                guard FileSystem.exists(name), number < 10_000 else {
                    throw CommandFailure(.finding, "cannot write \(name): \(error.error.text)")
                }
                number += 1
            }
        }
    }
}
