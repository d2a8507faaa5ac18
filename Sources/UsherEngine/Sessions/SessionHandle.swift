internal import UsherActivation
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// What a window is named by, checked when a session gets it.
enum SessionHandle {
    /// The handle as it is stored: that of a process with its start.
    ///
    /// - Parameters:
    ///   - place: the handle's JSON pointer, for errors.
    ///   - presence: whether there is such a window.
    static func checked(
        _ handle: String, server: String?, at place: String, presence: (String, String?) -> WindowPresence
    ) throws(ControlError) -> String {
        if let process = ProcessHandle(handle) {
            guard let running = process.running else { throw gone(handle, at: place) }
            return running.text
        }
        guard hasForm(handle) else {
            throw ControlError(
                .sceneHandle, "\(QuotedText.text(handle)) is no window's handle", at: place,
                help: "write @3 or %5 (tmux), process:PID, or what usher scene windows lists, such as x11:0x1400007")
        }
        if presence(handle, server) == .gone { throw gone(handle, at: place) }
        return handle
    }

    private static func hasForm(_ handle: String) -> Bool {
        if TmuxHandle(handle) != nil { return true }
        guard let colon = handle.utf8.firstIndex(of: UInt8(ascii: ":")), colon != handle.utf8.indices.last else {
            return false
        }
        let system = String(handle[..<colon])
        return system.hasSameBytes(as: "browser") || DesktopName(rawValue: system) != nil
    }

    private static func gone(_ handle: String, at place: String) -> ControlError {
        ControlError(
            .sceneHandleGone, "there is no window \(QuotedText.text(handle)) now", at: place,
            help: "usher scene windows lists the windows; process:PID names a process of yours that runs")
    }
}

extension OperationContext {
    /// Ties a session whose window is the place of a process to that process: it ends with it.
    func tie(_ sessions: [SceneSession]) throws(ControlError) {
        var isTied = false
        for session in sessions {
            guard let handle = session.handle.flatMap(ProcessHandle.init),
                let process = Store.SessionProcess.running(pid: handle.pid), process.startTime == handle.start
            else { continue }
            _ = try storing(
                try self.sessions.change(session: session.id, Store.SessionChange(process: .some(process))))
            isTied = true
        }
        if isTied { processesChanged() }
    }
}
