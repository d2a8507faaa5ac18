internal import Glibc
internal import UsherConfiguration
internal import UsherControl
internal import UsherHTTP
internal import UsherOperation
internal import UsherSystem

/// Where the daemon lives and listens, worked out before anything is opened.
struct DaemonPlan {
    /// Absolute, as in the answer to `hello`.
    var configuration: String
    /// Absolute.
    var state: String
    /// The Unix socket, absolute.
    var socket: String
    var addresses: [ListenAddress]
    /// TLS on every TCP listener.
    var tls: HTTPServer.TLSFiles?

    /// The longest path that fits into an address of a Unix socket (unix(7)).
    static let socketPathLimit = 107

    static func configurationPath(
        _ options: DaemonOptions, environment: [String: String]
    ) throws(DaemonFailure) -> String {
        if let path = options.config { return FilePath.absolute(path) }
        let places = ConfigurationPaths.configuration(environment: environment)
        if let found = places.first(where: { unsafe access($0, F_OK) == 0 }) { return FilePath.absolute(found) }
        throw DaemonFailure(
            "there is no configuration in \(places.joined(separator: " or "))",
            help: "usher init writes a first one; --config and $USHER_CONFIG name another place")
    }

    static func stateFolder(_ options: DaemonOptions, environment: [String: String]) throws(DaemonFailure) -> String {
        if let path = options.state ?? ConfigurationPaths.state(environment: environment) {
            return FilePath.absolute(path)
        }
        throw DaemonFailure("there is no folder for the state", help: "set $HOME, $USHER_STATE or --state")
    }

    /// Whether what holds the lock may be an engine on demand, by where it listens.
    static func isOnDemand(_ holder: DaemonHolder, _ state: String) -> Bool {
        holder.socket.utf8.elementsEqual(DaemonPlan(onDemandIn: state, configuration: "").socket.utf8)
    }

    /// That of an engine on demand: in its state folder alone.
    ///
    /// - Parameter configuration: empty where there is none.
    init(onDemandIn state: String, configuration: String) {
        self.configuration = configuration
        self.state = state
        socket = state + "/usherd.sock"
        addresses = []
    }

    init(
        _ options: DaemonOptions, _ settings: ServerSettings, configuration: String, state: String,
        environment: [String: String]
    ) throws(DaemonFailure) {
        self.configuration = configuration
        self.state = state
        if let path = options.socket ?? settings.socket {
            socket = FilePath.absolute(path)
        } else if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"), unsafe access(folder, W_OK) == 0 {
            socket = folder + "/usher/usherd.sock"
        } else {
            socket = state + "/usherd.sock"
        }
        guard socket.utf8.count <= DaemonPlan.socketPathLimit else {
            throw DaemonFailure(
                "the path of the socket is longer than \(DaemonPlan.socketPathLimit) bytes: \(socket)",
                help: "--socket names a shorter one")
        }
        do throws(FolderTrust.Fault) {
            try FolderTrust.check(FilePath.parent(of: socket), for: .socket, option: "--socket")
        } catch {
            throw DaemonFailure(ControlError(error))
        }
        addresses = []
        for text in options.listen {
            guard let address = ListenAddress(text) else {
                throw DaemonFailure(
                    "--listen \(text) is not a numeric address and a port",
                    help: "as in --listen 127.0.0.1:8484 or --listen [::1]:8484")
            }
            addresses.append(address)
        }
        if addresses.isEmpty { addresses = settings.listen }
        if let certificate = settings.certificate, let key = settings.key {
            tls = HTTPServer.TLSFiles(certificate: certificate, key: key)
        } else if options.makesDevelopmentCertificate {
            tls = try DaemonPlan.developmentCertificate(in: state + "/tls")
        }
        // Inherited sockets are checked once they are known; this is before anything is opened.
        if let obstacle = Exposure.obstacle(to: addresses, hasTLS: tls != nil, hasTokens: settings.tokens != nil) {
            throw DaemonFailure(obstacle, help: Exposure.help)
        }
    }

    private static func developmentCertificate(in folder: String) throws(DaemonFailure) -> HTTPServer.TLSFiles {
        do throws(FileSystem.WriteFailure) {
            try FileSystem.makeFolder(folder)
        } catch {
            throw DaemonFailure("there can be no folder \(folder): \(error.error.text)")
        }
        do throws(HTTPServerError) {
            var files = try DevelopmentCertificate.make(in: folder)
            // For testing: `http://` goes on working beside `https://`.
            files.isOptional = true
            return files
        } catch {
            throw DaemonFailure("no certificate for localhost can be made in \(folder): \(error.message)")
        }
    }
}
