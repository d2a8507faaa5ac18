public import UsherScene

extension DiagnosticCode {
    // The access.
    /// The Host is no name of this daemon (DNS rebinding), missing, or there twice.
    /// Remedy: address it as localhost, or add the name to `allowed-hosts`.
    public static let webhookHost = DiagnosticCode("U6202", "webhook.host")
    /// A web page sends, by Origin or Sec-Fetch-Site.
    /// Remedy: add its origin to `allowed-origins`, if it may.
    public static let webhookOrigin = DiagnosticCode("U6203", "webhook.origin")
    /// There is no bearer token, and one is needed.
    /// Remedy: send `Authorization: Bearer TOKEN`.
    public static let webhookTokenMissing = DiagnosticCode("U6205", "webhook.token-missing")
    /// The bearer token is not known.
    /// Remedy: compare it with the file of `token-file`.
    public static let webhookTokenMismatch = DiagnosticCode("U6206", "webhook.token-mismatch")
    /// A parameter of the query is unknown, there twice, or has a wrong value.
    /// Remedy: see the suggestion.
    public static let webhookQuery = DiagnosticCode("U6207", "webhook.query")
    /// A batch has more than 10000 lines, or more than `queue`.
    /// Remedy: send it in several requests.
    public static let webhookBatchSize = DiagnosticCode("U6209", "webhook.batch-size")
    /// Nothing is served at this path.
    /// Remedy: see `/openapi.json`.
    public static let webhookUnknown = DiagnosticCode("U6210", "webhook.unknown")
    /// The bearer token is known, and does not permit this.
    /// Remedy: add the scope to its line in the file of `token-file`, or use another token.
    public static let webhookTokenScope = DiagnosticCode("U6211", "webhook.token-scope")

    // Hooks.
    /// There is no hook of that name.
    /// Remedy: see the suggestion.
    public static let hookUnknown = DiagnosticCode("U6221", "hook.unknown")

    // Signatures.
    /// The signature or the token is not there.
    /// Remedy: set the secret at the sender.
    public static let signatureMissing = DiagnosticCode("U6231", "signature.missing")
    /// The signature, its time or its id is not of the form that the scheme has, or a token has another algorithm.
    /// Remedy: see the message.
    public static let signatureMalformed = DiagnosticCode("U6232", "signature.malformed")
    /// The signature is not valid for this request, or the claims of the token are not those of the hook.
    /// Remedy: compare the secrets; does a proxy change the body or the URL?.
    public static let signatureMismatch = DiagnosticCode("U6233", "signature.mismatch")
    /// The request was signed too long ago, or in the future.
    /// Remedy: set the clocks right; `tolerance`.
    public static let signatureStale = DiagnosticCode("U6234", "signature.stale")
    /// The secrets or keys of the hook, or the tokens, cannot be read or used.
    /// Remedy: see the daemon's log; correct the file.
    public static let signatureSecret = DiagnosticCode("U6235", "signature.secret")

    // Limits.
    /// The sender sends too fast.
    /// Remedy: wait as long as Retry-After says; `[server.rate]`.
    public static let rateLimited = DiagnosticCode("U6241", "rate.limited")
    /// Too many deliveries are open.
    /// Remedy: wait as long as Retry-After says; `queue`.
    public static let rateQueueFull = DiagnosticCode("U6242", "rate.queue-full")
}
