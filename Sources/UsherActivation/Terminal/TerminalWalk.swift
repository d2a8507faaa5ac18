import Glibc
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Walks the terminals from a process to its window: the controlling terminal of the process, the process that holds the
/// other end of it, the terminal of that process or, where it is tmux or screen, of a client, and so on.
///
/// What is inherited (WINDOWID, TMUX, TMUX_PANE) is not read: it is true of any process that was started from there. One
/// value is one look: what it has read it reads no second time.
struct TerminalWalk {
    /// How many terminals may be in each other.
    static let deepest = 8

    private let desktop: [WindowList.Window]
    private let tmux: TmuxClient
    /// The numbers of the terminals whose other end a process holds.
    private var held: [Int32: [Int]] = [:]
    private var everyProcess: [Int32]?
    /// A read of `/proc/PID/stat` takes longer than all else: the kernel adds up the threads.
    private var statuses: [Int32: (status: ProcessStatus, name: String)] = [:]
    /// Whether a server was waited for.
    private var hasWaited = false
    private var servers: [Int32: ServerLook] = [:]
    /// `/proc/net/unix`.
    private var listeners: [String: String]?
    private let ownNamespace = FileSystem.link("/proc/self/ns/pid")

    private struct ServerLook {
        var socket: String
        var client: TmuxClient
        /// The terminals that it held before it was asked; nil where that is not known.
        var held: [Int]?
        var snapshot: TmuxSnapshot
    }

    /// - Parameters:
    ///   - desktop: the windows of the desktop.
    ///   - tmux: its environment is that of the clients which ask servers.
    ///   - known: what a tmux server has said just now.
    init(desktop: [WindowList.Window], tmux: TmuxClient, known: TmuxSnapshot? = nil) {
        self.desktop = desktop
        self.tmux = tmux
        if let known, let server = known.server, let (pid, socket) = TmuxSnapshot.place(ofServer: server) {
            let client = tmux.of(server: pid, socket: socket)
            servers[pid] = ServerLook(socket: socket, client: client, snapshot: known)
        }
    }

    // MARK: - From a subject

    mutating func place(of subject: TerminalSubject) -> TerminalPlace {
        var place = TerminalPlace()
        do throws(ActivationFailure) {
            let begin: (process: LiveProcess, tty: String, user: Int32)
            switch subject {
            case .process(let pid):
                let process = try self.process(pid)
                place.process = process
                let (tty, user) = try terminal(of: process)
                begin = (process, tty, user)
            case .tty(let text):
                let tty = text.utf8.first == UInt8(ascii: "/") ? text : "/dev/" + text
                place.tty = tty
                let process = try user(of: tty)
                begin = (process, tty, process.pid)
            case .pane(let pane, let socket):
                let (process, tty) = try self.pane(pane, socket)
                begin = (process, tty, process.pid)
            case .part(let part, let server):
                guard let handle = TmuxHandle(part), let look = try look(at: server),
                    let pane = look.snapshot.pane(of: handle), let pid = pane.process, let process = alive(pid)
                else { throw .terminalGone(part) }
                begin = (process, pane.terminal, process.pid)
            }
            (place.process, place.tty) = (begin.process, begin.tty)
            place.path = path(of: begin.tty, usedBy: begin.user, inside: [])
            // Its number may have become another process's while a server was waited for.
            let known = hasWaited ? [begin.process] + place.path.steps.map(\.holder) : []
            if let lost = known.first(where: { ProcessStatus(pid: $0.pid)?.startTime != $0.start }) {
                throw .terminalGone("process \(lost.pid)")
            }
        } catch {
            place.path.failure = error
        }
        return place
    }

    private mutating func status(_ pid: Int32) -> ProcessStatus? { read(pid)?.status }

    private mutating func read(_ pid: Int32) -> (status: ProcessStatus, name: String)? {
        if let known = statuses[pid] { return known }
        guard let bytes = FileSystem.contents(of: "/proc/\(pid)/stat", limit: 4096),
            let status = ProcessStatus(parsing: bytes)
        else { return nil }
        // In parentheses, whatever it holds.
        let begin = bytes.firstIndex(of: UInt8(ascii: "(")).map { $0 + 1 } ?? 0
        let end = max(begin, bytes.lastIndex(of: UInt8(ascii: ")")) ?? 0)
        let found = (status, String(decoding: bytes[begin..<end], as: UTF8.self))
        statuses[pid] = found
        return found
    }

    private mutating func alive(_ pid: Int32) -> LiveProcess? {
        guard let (status, name) = read(pid), status.isRunning else { return nil }
        return LiveProcess(pid: pid, start: status.startTime, name: name)
    }

    /// The first that holds of a process, the one that started it, and so on; without init.
    private mutating func nearest(to pid: Int32, where holds: (inout Self, Int32) -> Bool) -> Int32? {
        var (current, depth) = (pid, 0)
        while current > 1, depth <= 64 {
            if holds(&self, current) { return current }
            guard let status = status(current) else { return nil }
            (current, depth) = (status.parent, depth + 1)
        }
        return nil
    }

    private mutating func lineage(of pid: Int32) -> [Int32] {
        var line: [Int32] = []
        _ = nearest(to: pid) { _, pid in
            line.append(pid)
            return false
        }
        return line
    }

    /// A process that may be walked: of this user, and of this namespace of process ids.
    private mutating func process(_ pid: Int32) throws(ActivationFailure) -> LiveProcess {
        guard let process = alive(pid) else { throw .terminalGone("process \(pid)") }
        guard isWalked(pid) else { throw .foreign("the terminal of process \(pid)") }
        return process
    }

    private func isWalked(_ pid: Int32) -> Bool {
        guard ProcessTable.isOwn(pid) else { return false }
        return FileSystem.link("/proc/\(pid)/ns/pid").map { $0.hasSameBytes(as: ownNamespace ?? $0) } ?? true
    }

    /// The controlling terminal of a process, else that of the nearest parent with one: hooks often run without.
    private mutating func terminal(of process: LiveProcess) throws(ActivationFailure) -> (tty: String, user: Int32) {
        var isWalked = false
        let user = nearest(to: process.pid) { walk, pid in
            isWalked = walk.isWalked(pid)
            return !isWalked || walk.status(pid).map { $0.terminal != 0 } ?? true
        }
        if let user, isWalked, let tty = status(user).flatMap({ Self.path(ofDevice: $0.terminal) }) {
            guard isOfThisSystem(tty, user) else { throw .foreign("\(tty) of process \(user)") }
            return (tty, user)
        }
        throw .noTerminal("\(Printable.text(process.name)) (process \(process.pid))")
    }

    /// The path of a terminal device (admin-guide/devices.txt of Linux).
    static func path(ofDevice device: UInt32) -> String? {
        let (major, minor) = (device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00)
        if (136...143).contains(major) { return "/dev/pts/\((major - 136) * 256 + minor)" }
        return major == 4 ? minor < 64 ? "/dev/tty\(minor)" : "/dev/ttyS\(minor - 64)" : nil
    }

    static func number(of tty: String) -> Int? {
        let prefix = "/dev/pts/"
        guard tty.utf8.starts(with: prefix.utf8) else { return nil }
        let digits = tty.utf8.dropFirst(prefix.utf8.count)
        guard !digits.isEmpty, digits.count < 9, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(String(Substring(digits)))
    }

    /// Whether a process means the same terminal as this process by a name: a container numbers its own anew.
    private func isOfThisSystem(_ tty: String, _ pid: Int32) -> Bool {
        guard Self.number(of: tty) != nil, let ours = FileSystem.device(of: "/dev/pts") else { return true }
        for descriptor in 0...2 {
            let path = "/proc/\(pid)/fd/\(descriptor)"
            if FileSystem.link(path)?.hasSameBytes(as: tty) ?? false, let theirs = FileSystem.device(of: path) {
                return theirs == ours
            }
        }
        return FileSystem.device(of: "/proc/\(pid)/root/dev/pts").map { $0 == ours } ?? true
    }

    /// The process in the foreground of a terminal, else any in it.
    private mutating func user(of tty: String) throws(ActivationFailure) -> LiveProcess {
        guard Self.number(of: tty) != nil, FileSystem.exists(tty) else { throw .terminalGone(tty) }
        var users: [(pid: Int32, isLeader: Bool)] = []
        for pid in processes() {
            guard let status = status(pid), status.isRunning,
                let theirs = Self.path(ofDevice: status.terminal), theirs.hasSameBytes(as: tty),
                isWalked(pid), isOfThisSystem(tty, pid)
            else { continue }
            users.append((pid, status.foregroundGroup == pid))
        }
        guard let pid = (users.first(where: \.isLeader) ?? users.first)?.pid, let process = alive(pid) else {
            throw .foreign(tty)
        }
        return process
    }

    private mutating func pane(
        _ pane: String, _ socket: String
    ) throws(ActivationFailure) -> (process: LiveProcess, tty: String) {
        for pid in processes() where ProcessTable.isTmuxServer(pid) {
            guard let path = self.socket(ofServer: pid), path == socket || FileSystem.isSame(path, socket),
                let look = try look(at: pid)
            else { continue }
            guard let found = look.snapshot.panes.first(where: { $0.id == pane && !$0.isDead }),
                let pid = found.process
            else { throw .terminalGone("the pane \(pane) of \(socket)") }
            return (try process(pid), found.terminal)
        }
        throw .terminalGone("the tmux server of \(socket)")
    }

    // MARK: - The walk

    /// - Parameter inside: the terminals that were passed on the way.
    private mutating func path(of tty: String, usedBy user: Int32, inside: [String]) -> TerminalPath {
        var path = TerminalPath()
        guard inside.count < Self.deepest, !inside.contains(tty) else {
            path.failure = .terminalLoop
            return path
        }
        guard let number = Self.number(of: tty) else {
            path.failure = ActivationFailure(.terminalNoWindow, "\(tty) is a console: it has no window")
            return path
        }
        let holders = holders(of: number, usedBy: user)
        guard let first = holders.first, let holder = alive(first) else {
            path.failure = isUnderSSHD(user, tty) ? .remote(tty) : .foreign(tty)
            return path
        }
        var step = TerminalStep(tty: tty, user: user, holder: holder, kind: .terminal)
        let passed = inside + [tty]
        func finish(_ next: TerminalPath) -> TerminalPath {
            var whole = next
            whole.steps = [step] + next.steps
            return whole
        }
        switch KnownTerminal.role(of: holder.name) {
        case .tmux:
            step.kind = .tmux
            do throws(ActivationFailure) {
                guard let look = try look(at: holder.pid) else { throw .noWindow(of: holder) }
                let (place, next) = place(on: look, holder, tty, number, inside: passed)
                step.tmux = place
                return finish(next)
            } catch {
                return finish(TerminalPath(failure: error))
            }
        case .ssh:
            step.kind = .ssh
            return finish(TerminalPath(failure: .remote(tty)))
        case .screen:
            step.kind = .screen
            guard let display = display(ofScreen: holder.pid, besides: tty) else {
                return finish(TerminalPath(failure: .noWindow(of: holder)))
            }
            return finish(self.path(of: display.tty, usedBy: display.pid, inside: passed))
        case .editor: step.kind = .editor
        case .terminal, nil: break
        }
        let (owner, windows) = windows(of: holders)
        if let owner, !windows.isEmpty {
            var end = TerminalPath()
            (end.terminal, end.windows) = (owner, windows)
            return finish(end)
        }
        // A terminal that was started from another one has that one's terminal, and is not in it.
        if KnownTerminal.role(of: holder.name) != .terminal, let outer = try? terminal(of: holder), outer.tty != tty {
            if step.kind == .terminal { step.kind = .relay }
            return finish(self.path(of: outer.tty, usedBy: outer.user, inside: passed))
        }
        // Where no window has a process, the terminal may have one all the same.
        if !desktop.isEmpty, desktop.allSatisfy({ $0.process == nil }) {
            var end = TerminalPath()
            end.terminal = holder
            return finish(end)
        }
        return finish(TerminalPath(failure: .noWindow(of: holder)))
    }

    /// The processes that hold the other end of a terminal, the one that made it first.
    ///
    /// Mostly that is a parent of the user; some terminals hand it on to the programs they start by mistake, so the topmost
    /// counts.
    private mutating func holders(of number: Int, usedBy user: Int32) -> [Int32] {
        // Without the process itself: a program may hold its own terminal's other end and be no terminal.
        if desktop.isEmpty,
            let holder = nearest(to: user, where: { $1 != user && $0.terminals(heldBy: $1).contains(number) })
        {
            // Which of several it is makes a difference only where they have windows.
            return [holder]
        }
        var found = lineage(of: user).last { $0 != user && terminals(heldBy: $0).contains(number) }.map { [$0] } ?? []
        // The other ones may have windows.
        if let first = found.first,
            desktop.contains(where: { $0.process == first }) || !isPlain(first)
        {
            return found
        }
        let all = processes().filter { terminals(heldBy: $0).contains(number) }
        let tops = all.filter { pid in !lineage(of: pid).dropFirst().contains(where: all.contains) }
        found += (tops + all).filter { !found.contains($0) }
        var unique: [Int32] = []
        for pid in found where !unique.contains(pid) { unique.append(pid) }
        return unique
    }

    private func isPlain(_ pid: Int32) -> Bool {
        switch ProcessTable.name(of: pid).flatMap(KnownTerminal.role) {
        case .tmux, .screen, .ssh: false
        case .editor, .terminal, nil: true
        }
    }

    /// The windows of the first process that has any; those of a parent where both run the same program, as editors do whose
    /// terminals are held by a process of their own.
    private mutating func windows(of holders: [Int32]) -> (LiveProcess?, [WindowList.Window]) {
        if desktop.isEmpty { return (nil, []) }
        for holder in holders {
            let program = FileSystem.link("/proc/\(holder)/exe")
            for pid in lineage(of: holder) {
                if pid != holder, program == nil || FileSystem.link("/proc/\(pid)/exe") != program { break }
                let own = desktop.filter { $0.process == pid }
                if !own.isEmpty { return (alive(pid), own) }
            }
        }
        return (nil, [])
    }

    /// Whether what gave the process this terminal is sshd, which runs as another user before the login.
    private mutating func isUnderSSHD(_ user: Int32, _ tty: String) -> Bool {
        let outside = nearest(to: user) { walk, pid in
            walk.status(pid).map { Self.path(ofDevice: $0.terminal) != tty } ?? true
        }
        return outside.flatMap(ProcessTable.name).flatMap(KnownTerminal.role) == .ssh
    }

    /// The terminal of a client that displays a screen server, and the client.
    private mutating func display(ofScreen server: Int32, besides tty: String) -> (tty: String, pid: Int32)? {
        let open = Set(descriptors(of: server).compactMap { FileSystem.link("/proc/\(server)/fd/\($0)") })
        for pid in processes() where pid != server && ProcessTable.name(of: pid) == ProcessTable.name(of: server) {
            guard let device = status(pid)?.terminal, let theirs = Self.path(ofDevice: device),
                theirs != tty, open.contains(theirs)
            else { continue }
            return (theirs, pid)
        }
        return nil
    }

    /// How many terminals a process holds the other ends of.
    mutating func terminalCount(of process: Int32) -> Int { terminals(heldBy: process).count }

    // MARK: - tmux

    private mutating func place(
        on look: ServerLook, _ holder: LiveProcess, _ tty: String, _ number: Int, inside: [String]
    ) -> (TmuxPlace, TerminalPath) {
        let panes = look.snapshot.panes.filter { $0.terminal.hasSameBytes(as: tty) && !$0.isDead }
        let known = Set(look.snapshot.panes.compactMap { Self.number(of: $0.terminal) })
        // That of a pane which was made or closed meanwhile was not there before, or is not there any more.
        let held = look.held == nil ? terminals(heldBy: holder.pid) : readTerminals(heldBy: holder.pid)
        let others = held.filter { !known.contains($0) }
        var place = TmuxPlace(
            server: holder, life: look.snapshot.server ?? "", socket: look.socket, client: look.client, panes: panes,
            candidates: [], hasPopup: others.contains { look.held?.contains($0) ?? true })
        // A program in a popup: tmux does not say which client shows it.
        if panes.isEmpty { return (place, TerminalPath()) }
        var paths: [String: TerminalPath] = [:]
        for client in look.snapshot.clients {
            guard !client.flags.contains("control-mode"), !client.flags.contains("no-output"),
                let process = client.process
            else { continue }
            let path = self.path(of: client.name, usedBy: process, inside: inside)
            paths[client.name] = path
            let rank = look.snapshot.rank(of: client, for: panes)
            place.candidates.append(.init(client: client, rank: rank, isHere: path.isHere))
        }
        place.candidates.sort { $0.isBefore($1) }
        guard let best = place.candidates.first, best.rank < 2 else { return (place, TerminalPath()) }
        return (place, paths[best.client.name] ?? TerminalPath())
    }

    /// What a server says of itself; nil where it listens nowhere.
    private mutating func look(at server: Int32) throws(ActivationFailure) -> ServerLook? {
        if let known = servers[server] { return known }
        guard let socket = socket(ofServer: server) else { return nil }
        let client = tmux.of(server: server, socket: socket)
        hasWaited = true
        let held = readTerminals(heldBy: server)
        let answer = try client.run([TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askPanes()])
        guard case .lines(let lines) = answer else { return nil }
        let look = ServerLook(socket: socket, client: client, held: held, snapshot: TmuxSnapshot(lines: lines))
        servers[server] = look
        return look
    }

    /// The path of the socket that a process listens on (proc(5), `/proc/net/unix`).
    private mutating func socket(ofServer pid: Int32) -> String? {
        if listeners == nil { listeners = Self.listeners() }
        for descriptor in descriptors(of: pid) {
            let path = "/proc/\(pid)/fd/\(descriptor)"
            guard let link = FileSystem.link(path), link.utf8.starts(with: "socket:[".utf8) else { continue }
            if let found = listeners?[String(link.dropFirst(8).dropLast())] { return found }
        }
        return nil
    }

    /// The paths of listening sockets, by their inode.
    private static func listeners() -> [String: String] {
        var found: [String: String] = [:]
        let bytes = FileSystem.contents(of: "/proc/net/unix", limit: 16 << 20) ?? []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // Num RefCount Protocol Flags Type St Inode Path; a path may hold blanks.
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
            guard fields.count == 8, fields[3].elementsEqual("00010000".utf8) else { continue }
            found[String(decoding: fields[6], as: UTF8.self)] = String(decoding: fields[7], as: UTF8.self)
        }
        return found
    }

    // MARK: - Processes

    private mutating func processes() -> [Int32] {
        if let everyProcess { return everyProcess }
        let own = ProcessTable.own()
        everyProcess = own
        return own
    }

    private func descriptors(of pid: Int32) -> [String] { (try? FileSystem.names(in: "/proc/\(pid)/fd")) ?? [] }

    /// The numbers of the terminals of this system whose other end a process holds.
    private mutating func terminals(heldBy pid: Int32) -> [Int] {
        if let known = held[pid] { return known }
        let numbers = readTerminals(heldBy: pid)
        held[pid] = numbers
        return numbers
    }

    private mutating func readTerminals(heldBy pid: Int32) -> [Int] {
        var numbers: [Int] = []
        for descriptor in descriptors(of: pid) {
            let path = "/proc/\(pid)/fd/\(descriptor)"
            guard let link = FileSystem.link(path),
                link.utf8.elementsEqual("/dev/ptmx".utf8)
                    || link.utf8.elementsEqual("/dev/pts/ptmx".utf8),
                let device = FileSystem.device(of: path), masterDevices.contains(device),
                let number = Self.index(of: "/proc/\(pid)/fdinfo/\(descriptor)"), !numbers.contains(number)
            else { continue }
            numbers.append(number)
        }
        return numbers
    }

    /// The file systems of this system's `ptmx`: that of a container is on others.
    private lazy var masterDevices = ["/dev/ptmx", "/dev/pts/ptmx"].compactMap(FileSystem.device)

    /// `tty-index` of proc_pid_fdinfo(5).
    private static func index(of path: String) -> Int? {
        let name = Array("tty-index:".utf8)
        for line in (FileSystem.contents(of: path, limit: 4096) ?? []).split(separator: UInt8(ascii: "\n"))
        where line.starts(with: name) {
            return Int(String(decoding: line.dropFirst(name.count).filter { $0 > 0x20 }, as: UTF8.self))
        }
        return nil
    }
}

extension TerminalPath {
    fileprivate init(failure: ActivationFailure) { self.failure = failure }
}

extension TmuxPlace.Candidate {
    /// One that shows the window, or can without another session, before one that cannot; then one with a window here; then
    /// by rank, by the keyboard, and by the last key.
    fileprivate func isBefore(_ other: Self) -> Bool {
        func order(_ one: Self) -> [Int] {
            [
                one.rank == 2 ? 1 : 0, one.client.isView ? 0 : 1, one.isHere ? 0 : 1, one.rank,
                one.client.flags.contains("focused") ? 0 : 1, -one.client.activity,
            ]
        }
        return order(self).lexicographicallyPrecedes(order(other))
    }
}
