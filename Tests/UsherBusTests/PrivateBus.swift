import Foundation
import UsherBus

@testable import UsherActivation

/// A real bus of this test's own, with what it can start; gone with the value, and everything it started with it.
final class PrivateBus {
    let folder: String
    private var daemon: Program?

    /// `services` are names and the command lines that the bus starts them with.
    init(services: [String: String] = [:], environment: [String: String] = [:]) throws {
        var template = Array("/tmp/usher-bus-XXXXXX".utf8CString)
        folder = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
        given = environment
        try FileManager.default.createDirectory(atPath: folder + "/services", withIntermediateDirectories: true)
        for (name, command) in services {
            try Data("[D-BUS Service]\nName=\(name)\nExec=\(command)\n".utf8).write(
                to: URL(fileURLWithPath: "\(folder)/services/\(name).service"))
        }
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/bus.conf"))
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private let given: [String: String]

    var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus"] }

    private var configuration: String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(folder)/bus</listen>
          <servicedir>\(folder)/services</servicedir>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
          </policy>
          <limit name="service_start_timeout">3000</limit>
        </busconfig>
        """
    }

    func start() throws {
        let answer = folder + "/address"
        try? FileManager.default.removeItem(atPath: answer)
        try? FileManager.default.removeItem(atPath: folder + "/bus")
        let command = "exec dbus-daemon --config-file=\"$1\" --nofork --nopidfile --print-address=1 >\"$0\""
        var variables = ["PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8"].merging(given) { $1 }
        variables.merge(environment) { $1 }
        daemon = try Program(
            SpawnRequest(
                program: "/bin/sh", arguments: ["sh", "-c", command, answer, folder + "/bus.conf"],
                environment: variables.map { EnvironmentVariable($0.key, $0.value) }))
        _ = eventually { (try? String(contentsOfFile: answer, encoding: .utf8))?.hasSuffix("\n") ?? false }
    }

    func stop() {
        daemon?.end()
        daemon = nil
    }
}

/// A program that runs until it is ended: with the signals of a new program, which a test's threads may have blocked.
final class Program {
    private var child: ChildProcess

    init(_ request: SpawnRequest) throws { child = try Spawner.start(request) }

    deinit { child.stop(patience: 5000) }

    var pid: Int32 { child.pid }

    func end() { child.stop(patience: 5000) }
}

/// Waits for something that another program or thread does; false when it has not happened in time.
func eventually(within seconds: Double = 30, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
        if try condition() { return true }
        usleep(10_000)
    }
    return try condition()
}
