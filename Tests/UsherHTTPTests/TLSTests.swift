import Foundation
import TestSupport
import Testing
import UsherHTTP

/// TLS, as curl and openssl see it.
@Suite(.timeLimit(.minutes(20)))
struct TLSTests {
    static func run(_ arguments: [String], input: String = "") throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        let source = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = source
        try process.run()
        source.fileHandleForWriting.write(Data(input.utf8))
        try source.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = TemporaryFolder()
        try withExtendedLifetime(folder) { try body(folder.path) }
    }

    @Test func servesOverTLS() throws {
        try withFolder { folder in
            let server = try TestServer(tls: try DevelopmentCertificate.make(in: folder))
            for host in ["localhost", "127.0.0.1"] {
                let answer = try Self.run([
                    "python3", "-c", Self.fetch, folder + "/ca.pem", host, "\(server.tlsPort)",
                ])
                #expect(answer.output.contains("TLSv1.3 http/1.1"))
                #expect(answer.output.contains("isEncrypted: true"))
            }
        }
    }

    @Test("where TLS is optional, the first byte says whether it is spoken")
    func servesBothOnOnePort() throws {
        try withFolder { folder in
            var files = try DevelopmentCertificate.make(in: folder)
            func plainly(_ port: UInt16) throws -> String {
                let client = try Client(port: port)
                client.send("GET /peer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                guard let answer = try? client.answer() else { return "" }
                return answer.head + answer.body
            }
            let strict = try TestServer(tls: files)
            #expect(try !plainly(UInt16(strict.tlsPort)).contains("200 OK"))
            files.isOptional = true
            let server = try TestServer(tls: files)
            #expect(try plainly(UInt16(server.tlsPort)).contains("isEncrypted: false"))
            let encrypted = try Self.run([
                "python3", "-c", Self.fetch, folder + "/ca.pem", "localhost", "\(server.tlsPort)",
            ])
            #expect(encrypted.output.contains("isEncrypted: true"))
        }
    }

    /// A client of Python's, which verifies names and chains as OpenSSL does: curl is not everywhere.
    static let fetch = """
        import ssl, socket, sys
        context = ssl.create_default_context(cafile=sys.argv[1])
        context.set_alpn_protocols(["h2", "http/1.1"])
        s = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[3])), 60), server_hostname=sys.argv[2])
        s.sendall(b"GET /peer HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n")
        print(s.version(), s.selected_alpn_protocol())
        for entry in s.getpeercert()["subjectAltName"]: print(entry)
        print("serial", s.getpeercert()["serialNumber"])
        while data := s.recv(4096): print(data.decode())
        """

    @Test func certificatesAreKeptAndRenewed() throws {
        try withFolder { folder in
            let files = try DevelopmentCertificate.make(in: folder + "/tls")
            func content(_ name: String) throws -> String {
                try String(contentsOfFile: folder + "/tls/" + name, encoding: .utf8)
            }
            func mode(_ name: String) -> UInt32 {
                var status = stat()
                return stat(folder + "/tls/" + name, &status) == 0 ? status.st_mode & 0o777 : 0
            }
            #expect(mode("key.pem") == 0o600)
            #expect(mode("ca-key.pem") == 0o600)
            #expect(mode("") == 0o700)
            let (authority, certificate) = (try content("ca.pem"), try content("cert.pem"))
            #expect(try DevelopmentCertificate.make(in: folder + "/tls") == files)
            #expect(try content("cert.pem") == certificate)
            // A certificate that is damaged is made anew, under the same authority.
            try "nothing".write(toFile: files.certificate, atomically: true, encoding: .utf8)
            _ = try DevelopmentCertificate.make(in: folder + "/tls")
            #expect(try content("cert.pem") != certificate)
            #expect(try content("ca.pem") == authority)
            let check = try Self.run([
                "openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "localhost",
                "-CAfile",
                folder + "/tls/ca.pem", files.certificate,
            ])
            #expect(check.status == 0, "\(check.output)")
        }
    }

    @Test func reloadsWhatHasChanged() throws {
        try withFolder { folder in
            let files = try DevelopmentCertificate.make(in: folder)
            let server = try TestServer(tls: files)
            func serial() throws -> String {
                let output = try Self.run([
                    "python3", "-c", Self.fetch, folder + "/ca.pem", "localhost", "\(server.tlsPort)",
                ]).output
                return String(
                    output.split(separator: "\n").first { $0.hasPrefix("serial") } ?? "none: \(output.suffix(200))")
            }
            let first = try serial()
            #expect(first.hasPrefix("serial "))
            // Broken: the old one stays, and that is reported.
            let certificate = try String(contentsOfFile: files.certificate, encoding: .utf8)
            try "broken".write(toFile: files.certificate, atomically: true, encoding: .utf8)
            var seen: Set<String> = []
            let isReported = try eventually {
                seen.insert(try serial())
                return server.events.all.contains { if case .certificateFailed = $0 { true } else { false } }
            }
            #expect(isReported && seen == [first])
            // A new pair.
            _ = try DevelopmentCertificate.make(in: folder)
            #expect(try String(contentsOfFile: files.certificate, encoding: .utf8) != certificate)
            #expect(try eventually { try serial() != first })
            #expect(server.events.all.contains { if case .certificateReloaded = $0 { true } else { false } })
            #expect(try serial().hasPrefix("serial "))
        }
    }

    @Test func refusesABrokenPairAtTheStart() throws {
        try withFolder { folder in
            let one = try DevelopmentCertificate.make(in: folder + "/1")
            let two = try DevelopmentCertificate.make(in: folder + "/2")
            let error = #expect(throws: HTTPServerError.self) {
                try HTTPServer(
                    listeners: [
                        .init(
                            .internet(host: "127.0.0.1", port: 0), label: "tls",
                            tls: .init(certificate: one.certificate, key: two.key))
                    ], handler: SampleHandler())
            }
            #expect(error?.code == .certificate)
            #expect(error?.message.contains(two.key) == true)
        }
    }

    /// The whole matrix, from outside, by another language's sockets.
    @Test func passesTheMatrix() throws {
        try withFolder { folder in
            let server = try TestServer(tls: try DevelopmentCertificate.make(in: folder)) {
                $0.headSeconds = 5
                $0.bodySeconds = 6
                $0.handshakeSeconds = 5
                $0.idleSeconds = 10
                $0.writeSeconds = 5
            }
            let script = Repository.path + "/Scripts/check-http"
            let result = try Self.run([
                "python3", script, "127.0.0.1:\(server.port())", "--unix", server.socketPath, "--tls",
                "\(server.tlsPort)",
                "--tls-unix", server.folder + "/t", "--ca", folder + "/ca.pem", "--body-limit", "65536",
                "--head-seconds",
                "5", "--body-seconds", "6", "--handshake-seconds", "5", "--idle-seconds", "10", "--write-seconds", "5",
                "--half-open", "2000", "--resets", "100",
            ])
            let deviations = result.output.split(separator: "\n").filter { !$0.hasPrefix("ok ") }
            #expect(result.status == 0, "\(deviations.joined(separator: "\n"))")
        }
    }
}
