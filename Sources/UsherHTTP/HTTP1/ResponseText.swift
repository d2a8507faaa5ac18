internal import UsherText

/// Writes the heads of answers. RFC 9112, 4 and 6.
enum ResponseText {
    enum Framing {
        case length(Int)
        case chunked
        /// Until the connection closes, or nothing at all.
        case none
    }

    enum Persistence {
        case asUsual, close, keepAlive
    }

    /// - Parameter date: the whole `Date` line.
    static func appendHead(
        of response: HTTPResponse, framing: Framing, persistence: Persistence, date: [UInt8], to output: inout [UInt8]
    ) {
        switch response.status {
        case 200: output.append(contentsOf: "HTTP/1.1 200 OK\r\n".utf8)
        case 202: output.append(contentsOf: "HTTP/1.1 202 Accepted\r\n".utf8)
        default: appendStatus((100...999).contains(response.status) ? response.status : 500, to: &output)
        }
        output.append(contentsOf: date)
        for field in response.fields.added { append(field, to: &output) }
        switch framing {
        case .length(let length):
            output.append(contentsOf: "Content-Length: ".utf8)
            output.append(addingCapacity: 20) { $0.appendDecimal(Int64(length)) }
            output.append(contentsOf: "\r\n".utf8)
        case .chunked: output.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
        case .none: break
        }
        switch persistence {
        case .asUsual: output.append(contentsOf: "\r\n".utf8)
        case .close: output.append(contentsOf: "Connection: close\r\n\r\n".utf8)
        case .keepAlive: output.append(contentsOf: "Connection: keep-alive\r\n\r\n".utf8)
        }
    }

    private static func appendStatus(_ status: Int, to output: inout [UInt8]) {
        output.append(contentsOf: "HTTP/1.1 ".utf8)
        output.append(addingCapacity: 20) { $0.appendDecimal(Int64(status)) }
        output.append(0x20)
        output.append(contentsOf: HTTPResponse.phrase(status).utf8)
        output.append(contentsOf: "\r\n".utf8)
    }

    static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.append(contentsOf: String(bytes.count, radix: 16).utf8)
        output.append(contentsOf: "\r\n".utf8)
        output.append(contentsOf: bytes)
        output.append(contentsOf: "\r\n".utf8)
    }

    /// A value may come from data of others: what would end the line becomes a blank, and a name that is none is left out.
    private static func append(_ field: HTTPFields.Field, to output: inout [UInt8]) {
        let name = field.name.utf8Span.span
        guard !name.isEmpty, !isOurs(field.name) else { return }
        for i in name.indices where !name[i].isTokenByte { return }
        let value = field.value.utf8Span.span
        output.append(addingCapacity: name.count + value.count + 4) { line in
            for i in name.indices { line.append(name[i]) }
            line.append(0x3A)
            line.append(0x20)
            for i in value.indices { line.append(value[i].isValueByte ? value[i] : 0x20) }
            line.append(0x0D)
            line.append(0x0A)
        }
    }

    private static func isOurs(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: HTTPFields.isSame(name, "date")
        case 10: HTTPFields.isSame(name, "connection")
        case 14: HTTPFields.isSame(name, "content-length")
        case 17: HTTPFields.isSame(name, "transfer-encoding")
        default: false
        }
    }
}
