internal import UsherJSON
internal import UsherResolution
internal import UsherScene

/// The explanation of one request, kept as text to be told again for the next of the same kind.
///
/// Only as long as the world that was decided on is the same: then nothing but the time is another.
final class KeptExplanation: Sendable {
    private let request: ActivationRequest
    private let action: Action
    private let policy: Policy?
    private let failure: DiagnosticCode?
    /// What stands before the time, and behind it.
    private let beginning: [UInt8]
    private let rest: [UInt8]

    init(_ report: ExplanationReport) {
        request = report.explanation.request
        action = report.action
        policy = report.policy
        failure = report.explanation.resolution.failure?.code
        var json = JSONWriter()
        report.writeBeginning(to: &json)
        let start = json.bytes.count
        ExplanationReport.writeTime(0, to: &json)
        let end = json.bytes.count
        report.writeRest(to: &json)
        beginning = Array(json.bytes[..<start])
        rest = Array(json.bytes[end...])
    }

    /// Whether this is what led to the decision.
    func explains(_ decision: Decision) -> Bool {
        action == decision.action && policy == decision.policy && failure == decision.resolution.failure?.code
            && isSame(decision.inquiry.request)
    }

    /// Byte for byte: Swift takes texts for equal that are shown differently.
    private func isSame(_ other: ActivationRequest) -> Bool {
        guard request.target == other.target, request.role == other.role,
            request.isSceneRequest == other.isSceneRequest, KeptExplanation.isSame(request.url, other.url),
            KeptExplanation.isSame(request.activityType, other.activityType),
            KeptExplanation.isSame(request.shortcutType, other.shortcutType),
            KeptExplanation.isSame(request.session, other.session)
        else { return false }
        switch (request.app, other.app) {
        case (nil, nil): return true
        case (.id(let one)?, .id(let other)?), (.topic(let one)?, .topic(let other)?):
            return KeptExplanation.isSame(one, other)
        default: return false
        }
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }

    /// - Parameter now: in microseconds since 1970.
    func json(at now: Int64) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(beginning.count + 80 + rest.count)
        bytes += beginning
        ExplanationReport.appendTime(now, to: &bytes)
        bytes += rest
        return String(decoding: bytes, as: UTF8.self)
    }
}
