public import UsherScene

extension DiagnosticCode {
    public static let controlProtocol = DiagnosticCode("U6301", "control.protocol")
    public static let controlCommand = DiagnosticCode("U6302", "control.unknown-command")
    public static let controlArgument = DiagnosticCode("U6303", "control.argument")
    public static let controlUnreachable = DiagnosticCode("U6304", "control.unreachable")
    /// Too much waits already: later it may be taken.
    public static let controlBusy = DiagnosticCode("U6305", "control.busy")
    /// A session request that the configuration has no place for.
    public static let controlSession = DiagnosticCode("U6306", "control.session")
    public static let controlCondition = DiagnosticCode("U6307", "control.condition")
    public static let controlNoDelivery = DiagnosticCode("U6308", "control.no-such-delivery")
    public static let controlRoute = DiagnosticCode("U6309", "control.no-such-resource")
    /// A delivery is in a state in which that cannot be done with it.
    public static let controlDeliveryState = DiagnosticCode("U6315", "control.delivery-state")
    public static let daemonRunning = DiagnosticCode("U6310", "daemon.running")
    public static let daemonLock = DiagnosticCode("U6311", "daemon.lock")
    /// The command line names another configuration than the daemon's.
    public static let daemonConfiguration = DiagnosticCode("U6312", "daemon.other-configuration")
    /// The configuration was read again and has errors: the old one stays.
    public static let daemonReload = DiagnosticCode("U6313", "daemon.reload")
    public static let daemonStopping = DiagnosticCode("U6314", "daemon.stopping")
}
