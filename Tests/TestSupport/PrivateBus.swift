import Foundation
import UsherActivation

/// A real bus of this test's own, with what it can start; gone with the value, and everything it started with it.
package final class PrivateBus {
    private let files = TemporaryFolder()
    private let given: [String: String]
    private var daemon: Program?

    /// `services` are names and the command lines that the bus starts them with.
    package init(services: [String: String] = [:], environment: [String: String] = [:]) throws {
        given = environment
        for (name, command) in services {
            try files.write("[D-BUS Service]\nName=\(name)\nExec=\(command)\n", to: "services/\(name).service")
        }
        try files.write(configuration, to: "bus.conf")
        try start()
    }

    deinit { stop() }

    package var folder: String { files.path }

    package var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus"] }

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

    package func start() throws {
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
        _ = eventually { files.text("address")?.hasSuffix("\n") ?? false }
    }

    package func stop() {
        daemon?.end()
        daemon = nil
    }
}
