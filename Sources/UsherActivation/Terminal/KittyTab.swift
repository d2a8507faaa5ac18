internal import UsherSystem
internal import UsherText

/// Selects a tab of kitty by its remote control (kitty, "Control kitty from scripts"), where the user allows that.
enum KittyTab {
    private static let timeLimit = 2000

    /// Whether kitty was asked, and did it.
    ///
    /// - Parameter step: the terminal that a kitty holds. Its user's variables are good only if they are of that very kitty.
    static func select(in step: TerminalStep) -> Bool {
        guard step.holder.name.hasSameBytes(as: "kitty"),
            ProcessTable.value(of: "KITTY_PID", in: step.user) == "\(step.holder.pid)",
            let address = ProcessTable.value(of: "KITTY_LISTEN_ON", in: step.user),
            let window = ProcessTable.value(of: "KITTY_WINDOW_ID", in: step.user).flatMap({ UInt32($0) }),
            let program = FileSystem.link("/proc/\(step.holder.pid)/exe"), FileSystem.isExecutable(program)
        else { return false }
        var request = SpawnRequest(
            program: program, arguments: ["kitty", "@", "--to", address, "focus-window", "--match", "id:\(window)"],
            environment: [], captureLimit: 4096)
        request.errors = .discarded
        return (try? Spawner.run(request, timeLimit: timeLimit))?.end == .exited(0)
    }
}
