import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherEngine
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherLog

/// A configuration in a folder of its own, and the access that it makes; the folder is gone when the test is over.
final class WebhookFixture: Sendable {
    /// What the access takes for the time, in seconds since 1970.
    static let now: Int64 = 1_795_000_000

    private let directory = TemporaryFolder()
    let settings: Settings
    let log = MemorySink()

    /// - Parameter files: further files of the configuration, by name; secrets are made readable for their owner only.
    init(_ settings: String, files: [String: String] = [:]) throws {
        self.settings = try WebhookFixture.load(settings, files, into: directory.path)
    }

    var folder: String { directory.path }

    private static func load(_ settings: String, _ files: [String: String], into folder: String) throws -> Settings {
        var files = files
        files["usher.toml"] = settings
        files["apps/a.toml"] = "id = \"example.app\"\nwebsite = true\n"
        for (name, text) in files { try write(text, to: folder + "/" + name) }
        let loaded = ConfigurationLoader.load(path: folder, searchPath: "/usr/bin:/bin")
        #expect(loaded.diagnostics.map(\.description) == [])
        return loaded.settings
    }

    static func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func access(
        _ limiter: RateLimiter? = nil, failures: (perSecond: Double, burst: Int) = (1000, 1000),
        settings: Settings? = nil, credentials: String? = nil, waitLimit: Int = 30_000, now: Int64 = now
    ) -> WebhookAccess {
        var failureRate = RateSettings()
        failureRate.perSecond = failures.perSecond
        failureRate.burst = failures.burst
        let settings = settings ?? self.settings
        let logger = Logger(level: .debug, sink: log)
        return WebhookAccess(
            settings, limiter: limiter ?? RateLimiter(settings.server.rate), failures: RateLimiter(failureRate),
            secrets: SecretFiles(credentials: credentials, logger: logger), log: RequestLog(logger),
            waitLimit: waitLimit,
            wallClock: { now })
    }

    static let tcp = HTTPPeer(address: .internet(host: "127.0.0.1", port: 50_000), listener: "webhook")
    static let unix = HTTPPeer(address: .local(user: 1000, group: 1000, process: 1), listener: "control")

    static func request(
        _ target: String, _ body: String, _ fields: [(String, String)] = [], method: String = "POST",
        peer: HTTPPeer = tcp, type: String? = "application/json"
    ) -> HTTPRequest {
        var all = fields.map { HTTPFields.Field($0.0, $0.1) }
        if !fields.contains(where: { $0.0.lowercased() == "host" }) { all.append(.init("Host", "127.0.0.1:8484")) }
        if let type { all.append(.init("Content-Type", type)) }
        return HTTPRequest(
            method: method, target: target, fields: HTTPFields(all), body: Array(body.utf8), peer: peer)
    }

    /// Sends a request where its path leads, as the server does: its head is judged before its body.
    func send(_ request: HTTPRequest, _ intake: any Intake, _ access: WebhookAccess? = nil) -> Answer {
        let responder = RecordingResponder()
        let access = access ?? self.access()
        let isHook = request.path.hasPrefix("/hooks/")
        switch isHook ? HookRoute(access).admit(request) : NotificationsRoute(access).admit(request) {
        case .refuse(let response): responder.respond(response)
        case .accept where isHook: HookRoute(access).handle(request, responder, intake)
        case .accept: NotificationsRoute(access).handle(request, responder, intake)
        }
        return Answer(responder)
    }
}

/// What was answered so far.
struct Answer: Sendable {
    let responder: RecordingResponder

    init(_ responder: RecordingResponder) { self.responder = responder }

    var response: HTTPResponse? { responder.responses.first }
    var status: Int? { response?.status }
    var text: String { response.map { String(decoding: $0.body, as: UTF8.self) } ?? "" }
    var json: JSONValue { response.flatMap { try? JSONValue(parsing: $0.body) } ?? .null }
    var error: JSONValue { json["error"] ?? .null }
    /// `422 hook.no-match`.
    var summary: String { "\(status.map(String.init) ?? "none") \(error["name"]?.string ?? "")" }
}
