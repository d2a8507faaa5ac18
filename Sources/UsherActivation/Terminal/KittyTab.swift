internal import UsherSystem
internal import UsherText

/// Selects a tab of kitty by its remote control (kitty, "Control kitty from scripts"), where the user allows that.
enum KittyTab {
    private static let timeLimit = 2000

    /// Whether kitty was asked. Without a socket it takes the request from the terminal itself, and says nothing of the
    /// result.
    ///
    /// - Parameter step: the terminal that a kitty holds. Its user's variables are good only if they are of that very kitty.
    static func select(in step: TerminalStep) -> Bool {
        guard step.holder.name.hasSameBytes(as: "kitty"), step.variable("KITTY_PID") == "\(step.holder.pid)",
            let window = step.variable("KITTY_WINDOW_ID").flatMap({ UInt32($0) })
        else { return false }
        guard let address = step.variable("KITTY_LISTEN_ON") else {
            let request =
                #"{"cmd":"focus-window","version":[0,26,0],"no_response":true,"payload":{"match":"id:\#(window)"}}"#
            return TitleProbe.write("\u{1B}P@kitty-cmd\(request)\u{1B}\\", to: step.tty)
        }
        guard let program = FileSystem.link("/proc/\(step.holder.pid)/exe"), FileSystem.isExecutable(program) else {
            return false
        }
        var request = SpawnRequest(
            program: program, arguments: ["kitty", "@", "--to", address, "focus-window", "--match", "id:\(window)"],
            environment: [], captureLimit: 4096)
        request.errors = .discarded
        return (try? Spawner.run(request, timeLimit: timeLimit))?.end == .exited(0)
    }
}
