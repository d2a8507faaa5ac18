internal import Glibc
internal import UsherJSON
internal import UsherPayload
internal import UsherScene

/// A file, or standard input as `-`: read whole or line by line.
final class InputFile {
    /// As it was named; `standard input` for `-`.
    let name: String
    private let descriptor: Int32
    private var chunk: [UInt8]

    private static let chunkSize = 64 * 1024

    /// - Parameter path: `-` is standard input.
    init(_ path: String) throws(CommandFailure) {
        if path == "-" {
            (name, descriptor) = ("standard input", 0)
        } else {
            guard !path.utf8.contains(0) else { throw .usage("a path cannot hold a NUL byte") }
            name = path
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw .cannot("open \(path)", errno: errno, help: InputFile.help(for: path) ?? "- reads standard input")
            }
        }
        chunk = [UInt8](repeating: 0, count: InputFile.chunkSize)
    }

    /// What to do with an operand that is no file, but what is looked for in one.
    static func help(for operand: String) -> String? {
        if operand.utf8.first == UInt8(ascii: "{") || operand.utf8.first == UInt8(ascii: "[") {
            return "JSON is read from a file, or from standard input: echo '{\"aps\":…}' | usher …"
        }
        guard TargetContentIdentifier(operand).scheme != nil else { return nil }
        return "a target is opened, and explained, without a file: usher open TARGET, usher explain TARGET"
    }

    deinit { if descriptor > 0 { close(descriptor) } }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Waits for the next bytes, at most 64 KiB; empty at the end of the input.
    func read() throws(CommandFailure) -> ArraySlice<UInt8> {
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count >= 0 { return chunk[..<count] }
            if errno != EINTR { throw .cannot("read \(name)", errno: errno) }
        }
    }

    /// Reads everything.
    ///
    /// - Parameters:
    ///   - limit: in bytes; longer input is refused.
    ///   - refusal: the code and the help of that error; nil for a usage error.
    func readAll(
        limit: Int, refusal: (code: DiagnosticCode, help: String)? = nil
    ) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try read()
            if more.isEmpty { return bytes }
            bytes.append(contentsOf: more)
            guard bytes.count <= limit else {
                let message = "\(name) is too large: more than \(limit >> 20) MiB"
                if let refusal { throw .refusal(refusal.code, message, help: refusal.help) }
                throw .usage(message, help: "JSON Lines are read line by line", code: .usageFile)
            }
        }
    }

    /// Calls `body` with each line that has more than white space in it, and its number from 1.
    ///
    /// Memory stays constant: of a line that is longer than `PayloadError.longestLine` only the error arrives.
    func forEachLine(
        _ body: (_ line: Result<[UInt8], PayloadError>, _ number: Int) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var splitter = JSONLinesSplitter(limit: PayloadError.longestLine)
        var isAtEnd = false
        while !isAtEnd {
            let bytes = try read()
            isAtEnd = bytes.isEmpty
            if isAtEnd { splitter.finish() } else { splitter.push(Array(bytes)) }
            while let line = splitter.next() {
                switch line.content {
                case .text(let bytes, let range): try body(.success(Array(bytes[range])), line.number)
                case .tooLong: try body(.failure(PayloadError.tooLongLine), line.number)
                }
            }
        }
    }
}

extension Context {
    /// Answers JSON Lines, each with a line. The status says whether an answer has an error.
    ///
    /// - Parameter answer: writes the answer to a line with this number; false where that is an error.
    func answerLines(
        of input: InputFile,
        _ answer: (Result<[UInt8], PayloadError>, _ number: Int, inout JSONWriter) throws(CommandFailure) -> Bool
    ) throws(CommandFailure) -> ExitStatus {
        var status = ExitStatus.handled
        var json = JSONWriter()
        try input.forEachLine { (line, number) throws(CommandFailure) in
            json.reset()
            if try !answer(line, number, &json) { status = .finding }
            json.newline()
            output.write(json.bytes)
        }
        return status
    }
}
