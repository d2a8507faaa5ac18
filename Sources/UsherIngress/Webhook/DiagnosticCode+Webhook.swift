public import UsherScene

extension DiagnosticCode {
    // The door.
    public static let webhookMethod = DiagnosticCode("U6201", "webhook.method")
    public static let webhookHost = DiagnosticCode("U6202", "webhook.host")
    public static let webhookOrigin = DiagnosticCode("U6203", "webhook.origin")
    public static let webhookMediaType = DiagnosticCode("U6204", "webhook.media-type")
    public static let webhookTokenMissing = DiagnosticCode("U6205", "webhook.token-missing")
    public static let webhookTokenMismatch = DiagnosticCode("U6206", "webhook.token-mismatch")
    public static let webhookQuery = DiagnosticCode("U6207", "webhook.query")
    public static let webhookHeader = DiagnosticCode("U6208", "webhook.header")
    public static let webhookBatchSize = DiagnosticCode("U6209", "webhook.batch-size")

    // Hooks.
    public static let hookUnknown = DiagnosticCode("U6221", "hook.unknown")
    public static let hookNoMatch = DiagnosticCode("U6222", "hook.no-match")
    public static let hookValueMissing = DiagnosticCode("U6223", "hook.value-missing")
    public static let hookValueType = DiagnosticCode("U6224", "hook.value-type")
    public static let hookElements = DiagnosticCode("U6225", "hook.elements")
    public static let hookTarget = DiagnosticCode("U6226", "hook.target")

    // Signatures.
    public static let signatureMissing = DiagnosticCode("U6231", "signature.missing")
    public static let signatureMalformed = DiagnosticCode("U6232", "signature.malformed")
    public static let signatureMismatch = DiagnosticCode("U6233", "signature.mismatch")
    public static let signatureStale = DiagnosticCode("U6234", "signature.stale")
    public static let signatureSecret = DiagnosticCode("U6235", "signature.secret")

    // Limits.
    public static let rateLimited = DiagnosticCode("U6241", "rate.limited")
    public static let rateQueueFull = DiagnosticCode("U6242", "rate.queue-full")
}
