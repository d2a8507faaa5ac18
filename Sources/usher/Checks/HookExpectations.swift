internal import UsherConfiguration
internal import UsherHook
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Runs the expectations of hooks (`[[hooks.NAME.expect]]`): does this request become that? Signatures are not judged, and
/// nothing is delivered.
struct HookExpectations {
    struct Result {
        var hook: String
        /// From 1, in its hook.
        var number: Int
        var location: SourceLocation
        /// Why it does not hold; nil where it does.
        var finding: ConfigurationDiagnostic?
    }

    /// Of every hook that has some, in order.
    private(set) var results: [Result] = []

    var findings: [ConfigurationDiagnostic] { results.compactMap(\.finding) }

    /// A larger file is no request.
    private static let sizeLimit = 64 << 20

    /// - Parameter loaded: without errors.
    init(_ loaded: LoadedConfiguration) {
        for hook in loaded.settings.hooks where !hook.expectations.isEmpty {
            for (index, expectation) in hook.expectations.enumerated() {
                var result = Result(hook: hook.name, number: index + 1, location: expectation.location)
                do throws(Failure) {
                    try HookExpectations.check(expectation, loaded.settings.hooks(at: hook.path))
                } catch {
                    result.finding = loaded.finding(
                        error.code, at: expectation.location, error.message, help: error.help)
                }
                results.append(result)
            }
        }
    }

    private struct Failure: Error {
        var code: DiagnosticCode
        var message: String
        var help: String?
    }

    private static func check(_ expectation: HookExpectation, _ hooks: [HookDefinition]) throws(Failure) {
        let capture = try capture(expectation, hooks)
        let now = capture.seconds ?? Instant.now.microseconds / 1_000_000
        let came = HookJudgement(hooks, capture.request, now: now)
        let targets = came.notifications.map { $0.payload.targetContentIdentifier }
        let titles = came.notifications.map { $0.payload.title }
        var (expected, got): ([String], [String]) = ([], [])
        func compare(_ name: String, _ wanted: String?, _ found: [String?]) {
            guard let wanted else { return }
            if found.contains(where: { $0?.utf8.elementsEqual(wanted.utf8) == true }) { return }
            expected.append("\(name) \(wanted)")
            got.append("\(name) " + (found.isEmpty ? "none" : found.map { $0 ?? "none" }.joined(separator: ", ")))
        }
        let isTaken = came.result == .accepted || came.result == .answered
        compare("hook", expectation.hook, isTaken ? [came.hook] : [])
        compare("result", expectation.result?.rawValue, [came.result.rawValue])
        compare("target", expectation.target.map(quoted), targets.map { $0.map(quoted) })
        compare("title", expectation.title.map(quoted), titles.map { $0.map(quoted) })
        compare("count", expectation.count.map(String.init), [String(came.notifications.count)])
        let error = came.problem?.code.name ?? (came.result == .ignored ? DiagnosticCode.hookNoMatch.name : nil)
        compare("error", expectation.error, [error])
        guard !expected.isEmpty else { return }
        let reason = came.problem?.message ?? came.why.first.map { "\($0.message) (\($0.rule))" }
        throw Failure(
            code: .hookExpectation,
            message: "expected \(expected.joined(separator: "; ")), and it came out as \(got.joined(separator: "; "))",
            help: reason)
    }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }

    /// The request of an expectation.
    private static func capture(
        _ expectation: HookExpectation, _ hooks: [HookDefinition]
    ) throws(Failure) -> HookCapture {
        let bytes: [UInt8]
        do throws(FileSystem.Failure) {
            bytes = try FileSystem.read(expectation.file, limit: sizeLimit)
        } catch {
            throw Failure(
                code: .hookExpectationFile,
                message: "\(expectation.file) cannot be read: \(error.text(limit: sizeLimit))",
                help: "its path starts at the folder of this file")
        }
        do throws(HookCapture.Invalid) {
            var capture = try HookCapture.made(of: bytes, isRequest: expectation.isRequest)
            capture.complete(
                headers: expectation.headers, query: expectation.query, method: expectation.method, for: hooks)
            return capture
        } catch {
            throw Failure(code: .hookExpectationFile, message: "\(expectation.file): \(error.message)")
        }
    }
}
