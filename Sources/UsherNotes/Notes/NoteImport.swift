internal import Glibc
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Reads an export line by line, and vouches for it: what was cut or changed anywhere is found.
struct ExportReader: Sendable {
    let path: String

    /// Hands on every row with its line. What was handed on counts only once this returns.
    func read(_ take: (ContentRow, Int) throws(StoreError) -> Void) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .file("cannot be opened", path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(
                .maintenanceFile, "is no file", path: path,
                help: "Standard input is read as -: usher note import - < FILE")
        }
        var splitter = JSONLinesSplitter(limit: ExportFormat.longestLine)
        var pass = Pass(path: path)
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw .file("cannot be read", path, errno)
            }
            if count == 0 { splitter.finish() } else { splitter.push(Array(chunk[..<count])) }
            while let line = splitter.next() {
                guard case .text(let bytes, let range) = line.content else {
                    throw pass.refusal(line.number, "it is longer than \(ExportFormat.longestLine >> 20) MiB")
                }
                try pass.handle(Array(bytes[range]), line.number, take)
            }
            if count == 0 { return try pass.finish() }
        }
    }

    /// Where one reading is.
    private struct Pass: ~Copyable {
        private let path: String
        private var digest = MessageDigest()
        private var counts: [ExportFormat.LineKind: Int] = [:]
        private var last = 0
        private var hasHeader = false
        private var hasEnd = false

        init(path: String) { self.path = path }

        mutating func handle(
            _ bytes: [UInt8], _ number: Int, _ take: (ContentRow, Int) throws(StoreError) -> Void
        ) throws(StoreError) {
            last = number
            let value: JSONValue
            do throws(JSONError) {
                value = try JSONValue(parsing: bytes)
            } catch {
                guard hasHeader else { throw foreign() }
                throw cut(number, "is no JSON (byte \(error.offset + 1): \(error.message)): it was cut or damaged")
            }
            guard hasHeader else {
                try readHeader(value)
                hasHeader = true
                return digest.update(bytes + [0x0A])
            }
            guard !hasEnd else { throw cut(number, "comes after the end") }
            let name = value["kind"]?.string ?? ""
            guard let kind = ExportFormat.LineKind.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) })
            else {
                throw refusal(
                    number, "it has the kind \(QuotedText.text(name)), and is neither note, link, redirect nor end")
            }
            if kind == .end { return try readEnd(value, number) }
            let row: ContentRow
            do throws(ControlError) {
                row = try ContentRow(kind, value)
            } catch {
                throw refusal(number, error)
            }
            digest.update(bytes + [0x0A])
            counts[kind, default: 0] += 1
            try take(row, number)
        }

        private func readHeader(_ value: JSONValue) throws(StoreError) {
            guard value["kind"]?.string == ExportFormat.kind, let version = value["version"]?.int64 else {
                throw foreign()
            }
            guard version <= ExportFormat.version else {
                throw StoreError(
                    .importNewer,
                    "the export has version \(version); this Usher supports versions up to \(ExportFormat.version)",
                    path: path, help: "Nothing was imported. Use the newer Usher that wrote it.")
            }
            do throws(ControlError) {
                let reader = try MemberReader(value, at: "", allowed: ["kind", "version", "usher"])
                _ = try reader.number("version", in: 1...ExportFormat.version)
            } catch {
                throw refusal(last, error)
            }
        }

        private mutating func readEnd(_ value: JSONValue, _ number: Int) throws(StoreError) {
            hasEnd = true
            var finished = MessageDigest()
            swap(&finished, &digest)
            let found = finished.hexadecimal()
            do throws(ControlError) {
                let reader = try MemberReader(
                    value, at: "", allowed: ["kind", "notes", "links", "redirects", "sha256"])
                for (kind, name) in [(ExportFormat.LineKind.note, "notes"), (.link, "links"), (.redirect, "redirects")]
                {
                    let said = try reader.number(name, in: 0...Int.max)
                    guard said == counts[kind] ?? 0 else {
                        throw ControlError(.importCut, "says \(said) \(name), and there are \(counts[kind] ?? 0)")
                    }
                }
                guard try reader.requiredText("sha256").utf8.elementsEqual(found.utf8) else {
                    throw ControlError(
                        .importCut, "has another sha256 than the lines before it: one was changed or damaged")
                }
            } catch {
                throw error.code == .importCut ? cut(number, error.message) : refusal(number, error)
            }
        }

        consuming func finish() throws(StoreError) {
            guard hasHeader else { throw foreign() }
            guard hasEnd else { throw cut(last, "is the last, and no end: the file was cut after it") }
        }

        private func refusal(_ line: Int, _ error: ControlError) -> StoreError {
            refusal(line, "\(error.message)\(error.at.map { $0.isEmpty ? "" : " (at \($0))" } ?? "")")
        }

        func refusal(_ line: Int, _ message: String) -> StoreError {
            StoreError(.importLine, "line \(line): \(message)", path: path, help: "Nothing was imported.")
        }

        private func cut(_ line: Int, _ message: String) -> StoreError {
            StoreError(
                .importCut, "line \(line) \(message)", path: path,
                help: "Nothing was imported. Export once more, or copy the file anew.")
        }

        private func foreign() -> StoreError {
            StoreError(
                .importForeign, "the file is no export of notes", path: path,
                help: "Its first line would be {\"kind\":\"\(ExportFormat.kind)\",…}, as `usher note export` writes it."
            )
        }
    }
}

extension StoreError {
    fileprivate static func file(_ what: String, _ path: String, _ number: Int32) -> StoreError {
        StoreError(
            .maintenanceFile, "\(what): \(SystemError.text(number))", path: path,
            help: "Name a file that is there and that you may read; - is standard input.")
    }
}
