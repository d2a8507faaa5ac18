// The size limits of push types: an error where they bind, else a warning.

extension PayloadReader {
    /// Judges the size of a notification.
    mutating func judgeSize(_ count: Int, pushType: String?) throws(PayloadError) {
        try refuseOversize(count, pushType: pushType)
        let limit = APNsHeaders.sizeLimit(pushType: pushType)
        if count > limit { warnings.append(PayloadWarning(.sizeTooLarge, Self.oversize(count, limit, pushType))) }
    }

    /// Where limits bind, the size is judged before anything else, as the real service does.
    func refuseOversize(_ count: Int, pushType: String?) throws(PayloadError) {
        let limit = APNsHeaders.sizeLimit(pushType: pushType)
        guard bindsSizeLimits, count > limit else { return }
        throw PayloadError(.sizeTooLarge, Self.oversize(count, limit, pushType), limit: limit)
    }

    private static func oversize(_ count: Int, _ limit: Int, _ pushType: String?) -> String {
        "the payload has \(count) bytes; \(pushType.map { "push type \($0)" } ?? "APNs") takes \(limit)"
    }
}
