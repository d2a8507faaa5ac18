public import UsherScene

extension DiagnosticCode {
    /// One side does not speak this protocol.
    /// Remedy: use `usher` and `usherd` of one version.
    public static let controlProtocol = DiagnosticCode("U6301", "control.protocol")
    /// There is no such command.
    /// Remedy: see the suggestion.
    public static let controlCommand = DiagnosticCode("U6302", "control.unknown-command")
    /// An argument is missing, unknown or of the wrong kind.
    /// Remedy: see `at` and the suggestion.
    public static let controlArgument = DiagnosticCode("U6303", "control.argument")
    /// `usherd` does not answer, or closed the connection.
    /// Remedy: try again: it may be starting or stopping.
    public static let controlUnreachable = DiagnosticCode("U6304", "control.unreachable")
    /// Too many deliveries wait.
    /// Remedy: try again later.
    public static let controlBusy = DiagnosticCode("U6305", "control.busy")
    /// The configuration has no place for the session that is asked for.
    /// Remedy: see the suggestion.
    public static let controlSession = DiagnosticCode("U6306", "control.session")
    /// A condition is no predicate.
    /// Remedy: correct it where the caret stands.
    public static let controlCondition = DiagnosticCode("U6307", "control.condition")
    /// The journal has no such delivery.
    /// Remedy: `usher deliveries list` shows the last ones.
    public static let controlNoDelivery = DiagnosticCode("U6308", "control.no-such-delivery")
    /// The path takes another method, or there is nothing at it.
    /// Remedy: see `/openapi.json`.
    public static let controlRoute = DiagnosticCode("U6309", "control.no-such-resource")
    /// A delivery in this state cannot be retried or dropped.
    /// Remedy: see what became of it.
    public static let controlDeliveryState = DiagnosticCode("U6315", "control.delivery-state")
    /// Another usherd has the state folder.
    /// Remedy: stop it, or name another folder with `--state`.
    public static let daemonRunning = DiagnosticCode("U6310", "daemon.running")
    /// The lock of the state folder cannot be taken.
    /// Remedy: own the folder, or name another one.
    public static let daemonLock = DiagnosticCode("U6311", "daemon.lock")
    /// `--config` names another configuration than usherd's.
    /// Remedy: leave it out, or `usher reload`.
    public static let daemonConfiguration = DiagnosticCode("U6312", "daemon.other-configuration")
    /// The configuration has errors: the old one stays in use.
    /// Remedy: `usher check` shows them.
    public static let daemonReload = DiagnosticCode("U6313", "daemon.reload")
    /// The state folder, the socket's folder or one above belongs to another user, or other users may write into it.
    /// Remedy: `chmod go-w` the folder, run the program as its owner, or name another folder.
    public static let controlUnsafeFolder = DiagnosticCode("U6316", "control.unsafe-folder")
    /// What listens on the socket is a process of another user than this one and root.
    /// Remedy: run the command as that user, or name another folder with `--state`.
    public static let controlOtherUser = DiagnosticCode("U6317", "control.other-user")
    /// `usherd` is stopping.
    /// Remedy: try again when it runs.
    public static let daemonStopping = DiagnosticCode("U6314", "daemon.stopping")
}
