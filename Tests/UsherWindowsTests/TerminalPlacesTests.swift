import Foundation
import Glibc
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation
@testable import UsherWindows

/// Places of which something is not known or not to be reached: by GNU screen, another user, a container, sshd.
@Suite("The terminal of a process elsewhere", .serialized)
struct TerminalPlacesTests {
    private static let isRoot = geteuid() == 0
    /// Only where it is installed: it would start with the machine.
    private static let sshd = "/usr/" + "sbin/sshd"
    private static func isInstalled(_ program: String) -> Bool { access(program, X_OK) == 0 }

    @Test("in GNU screen is found, and not claimed to be seen", .enabled(if: isInstalled("/usr/bin/screen")))
    func screen() throws {
        let desk = try TerminalDesk(.openbox)
        let folder = desk.folder + "/screens"
        #expect(mkdir(folder, 0o700) == 0)
        let window = try desk.terminal(
            "screen", ["env", "SCREENDIR=" + folder, "screen", "-c", "/dev/null", "-S", "s"] + desk.witness("s"))
        _ = try desk.terminal("other", desk.witness("p"))
        let process = try desk.process("s")
        defer { _ = try? desk.run("env", "SCREENDIR=" + folder, "screen", "-S", "s", "-X", "quit") }
        let place = desk.activator.place(of: .process(process))
        #expect(place.failure == nil && place.path.steps.map(\.kind) == [.screen, .terminal])
        #expect(place.path.windows.map(\.handle) == [window])
        let report = desk.activator.focus(terminalOf: .process(process), TerminalSettings(), token: nil)
        #expect(report.outcome == .unverified && report.evidence?.reason == "seen.pane-unknown")
        #expect(report.evidence?.window == window)
        // It came forward all the same, and without screen it is verified.
        #expect(try desk.receiverOfKey() == "s")
        let other = desk.activator.focus(terminalOf: .process(try desk.process("p")), TerminalSettings(), token: nil)
        #expect(other.outcome == .verified)
        #expect(try desk.receiverOfKey() == "p")
    }

    @Test(
        "of another user or in a container is refused", .enabled(if: isRoot),
        arguments: [
            ["setpriv", "--reuid=65534", "--clear-groups"], ["unshare", "--pid", "--fork"],
            // Other terminals, which have the numbers of those here.
            [
                "unshare", "--mount", "sh", "-c",
                "mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts; exec \"$@\"", "-",
            ],
            [],
        ])
    func foreign(before: [String]) throws {
        let desk = try TerminalDesk(.openbox)
        let isInside = before.first == "unshare" && before.contains("--mount")
        let sleeper = ["sleep", "1000"]
        let terminal = ["python3", "-c", TerminalDesk.display] + sleeper
        let command = before + (isInside ? terminal : sleeper)
        let window = try desk.terminal("elsewhere", command)
        let owner = try #require(try desk.server.window("elsewhere").process)
        var found: Int32?
        try waitUntil("it runs") {
            found = Self.sleeper(below: owner)
            return found != nil
        }
        let place = desk.activator.place(of: .process(try #require(found)))
        #expect(place.failure?.code.name == (before.isEmpty ? nil : "terminal.foreign"), "\(before)")
        #expect(place.path.windows.map(\.handle) == (before.isEmpty ? [window] : []))
        let report = desk.activator.focus(terminalOf: .process(try #require(found)), TerminalSettings(), token: nil)
        #expect(report.failure?.code.name == (before.isEmpty ? nil : "terminal.foreign"))
        #expect(before.isEmpty || report.outcome == .failed)
    }

    /// Of any user.
    private static func sleeper(below owner: Int32) -> Int32? {
        let all = ((try? FileSystem.names(in: "/proc")) ?? []).compactMap { Int32($0) }
        return all.first { ProcessTable.name(of: $0) == "sleep" && ProcessTable.isDescendant($0, of: owner) }
    }

    @Test(
        "over ssh is on another machine", .enabled(if: isRoot && isInstalled(sshd)),
        arguments: [false, true])
    func remote(isTmux: Bool) throws {
        let desk = try TerminalDesk(.openbox)
        let folder = desk.folder
        for key in ["host", "user"] {
            let maker = try desk.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/\(key)")
            try waitUntil("the key is made") { maker.hasEnded }
        }
        let port = try freePort()
        try desk.write(
            """
            Port \(port)
            ListenAddress 127.0.0.1
            HostKey \(folder)/host
            AuthorizedKeysFile \(folder)/user.pub
            StrictModes no
            UsePAM no
            PermitRootLogin yes
            PidFile none

            """, to: "sshd.conf")
        mkdir("/run/sshd", 0o755)
        try desk.write("exec \(Self.sshd) -D -f \(folder)/sshd.conf\n", to: "daemon.sh")
        try desk.run("sh", "\(folder)/daemon.sh")
        let ssh = [
            "-t", "-i", folder + "/user", "-p", "\(port)", "-F", "/dev/null", "-o", "StrictHostKeyChecking=no", "-o",
            "UserKnownHostsFile=/dev/null", "-o", "ConnectionAttempts=50", "root@127.0.0.1",
        ]
        func quoted(_ words: [String]) -> String { words.map { "'\($0)'" }.joined(separator: " ") }
        if isTmux {
            // Its client is seen on another machine, as far as is known here.
            desk.tmux(["new-session", "-d", "--"] + desk.witness("r"))
            _ = try desk.terminal(
                "far", ["ssh"] + ssh + ["TMUX_TMPDIR=\(folder) LANG=C.UTF-8 tmux -f /dev/null attach"])
            try waitUntil("it is attached") { !desk.tmux("list-clients").isEmpty }
        } else {
            _ = try desk.terminal("far", ["ssh"] + ssh + [quoted(desk.witness("r"))])
        }
        let process = try desk.process("r")
        let place = desk.activator.place(of: .process(process))
        #expect(place.failure?.code.name == "terminal.remote", "\(place.path)")
        let report = desk.activator.focus(terminalOf: .process(process), TerminalSettings(), token: nil)
        if isTmux {
            #expect(report.outcome == .unverified && report.evidence?.reason == "seen.no-window")
            // One with a window here goes before it.
            _ = try desk.look("near")
            let near = desk.activator.focus(terminalOf: .process(process), TerminalSettings(), token: nil)
            #expect(near.outcome == .verified, "\(near.seen ?? "")")
            #expect(try desk.receiverOfKey() == "r")
        } else {
            #expect(report.failure?.code.name == "terminal.remote")
        }
    }

    private func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }
}
