internal import Synchronization
internal import UsherConfiguration
internal import UsherIngress
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene

extension Daemon {
    func reload() throws(ControlError) -> JSONValue { try reload(because: "control") }

    /// Reads the configuration aside and puts it in the place of the old one, or keeps that where there is an error.
    ///
    /// - Parameter cause: for the log.
    @discardableResult
    func reload(because cause: String) throws(ControlError) -> JSONValue {
        try reloads.withLock { (_) throws(ControlError) in
            let old = configuration
            let new = ConfigurationLoader.load(path: plan.configuration).withNotes()
            guard !new.hasErrors else {
                metrics.countReload(.failed)
                throw refused(new, cause)
            }
            if let obstacle = obstacle(in: new.settings) {
                metrics.countReload(.failed)
                logger.error(
                    "the configuration could not be read again; the old one stays",
                    ["cause": .text(cause), "error.message": .text(obstacle)])
                throw ControlError(.daemonReload, "\(obstacle): the old configuration stays")
            }
            let difference = ConfigurationDifference(from: old, to: new)
            // Programs may have been installed meanwhile, though no file is another.
            replace(new)
            metrics.countReload(difference.isEmpty ? .unchanged : .changed)
            if difference.isEmpty {
                logger.debug("the configuration was read again; nothing has changed", ["cause": .text(cause)])
            } else {
                logger.notice(
                    "the configuration was read again",
                    [
                        "cause": .text(cause), "config.old": .text(old.configuration.digest),
                        "config.new": .text(new.configuration.digest), "files": list(difference.files),
                        "apps.added": list(difference.added), "apps.removed": list(difference.removed),
                        "apps.changed": list(difference.changed),
                    ])
                for diagnostic in new.diagnostics {
                    logger.warning(
                        "the configuration has a warning",
                        ["error.code": .text(diagnostic.code.code), "error.message": .text(Daemon.place(diagnostic))])
                }
            }
            warnOfRestart(from: old.settings, to: new.settings)
            return .object([
                .init("result", .string(difference.isEmpty ? "unchanged" : "changed")),
                .init("config", .string(new.configuration.digest)), .init("difference", difference.json),
            ])
        }
    }

    /// What is worked out once, when the daemon starts.
    private func warnOfRestart(from old: Settings, to new: Settings) {
        var keys: [String] = []
        if old.server.listen != new.server.listen { keys.append("server.listen") }
        if old.server.socket != new.server.socket { keys.append("server.socket") }
        if old.server.certificate != new.server.certificate { keys.append("server.certificate") }
        if old.server.key != new.server.key { keys.append("server.key") }
        if old.deliveries.queue != new.deliveries.queue { keys.append("deliveries.queue") }
        if old.deliveries.queueMegabytes != new.deliveries.queueMegabytes { keys.append("deliveries.queue-megabytes") }
        if old.deliveries.duplicateHours != new.deliveries.duplicateHours { keys.append("deliveries.duplicate-hours") }
        if old.devTools != new.devTools { keys.append("browser.devtools") }
        guard !keys.isEmpty else { return }
        logger.warning("a changed setting needs a restart of usherd", ["settings": list(keys)])
    }

    private func refused(_ loaded: LoadedConfiguration, _ cause: String) -> ControlError {
        let errors = loaded.diagnostics.filter { $0.severity == .error }
        for diagnostic in errors.prefix(20) {
            logger.error(
                "the configuration has an error",
                ["error.code": .text(diagnostic.code.code), "error.message": .text(Daemon.place(diagnostic))])
        }
        logger.error(
            "the configuration could not be read again; the old one stays",
            ["cause": .text(cause), "errors": .number(Int64(errors.count))])
        return ControlError(
            .daemonReload,
            "\(errors.count == 1 ? "one error" : "\(errors.count) errors") in the configuration: the old one stays",
            help: "usher check shows them with their places",
            problems: errors.prefix(100).enumerated().map { index, diagnostic in
                .init(index: index, ControlError(diagnostic.code, Daemon.place(diagnostic), help: diagnostic.help))
            }, problemCount: errors.count)
    }

    /// The place and the message, on one line.
    private static func place(_ diagnostic: ConfigurationDiagnostic) -> String {
        "\(diagnostic.location?.description ?? diagnostic.path): \(diagnostic.message)"
    }

    private func list(_ words: [String]) -> LogValue? { words.isEmpty ? nil : .text(words.joined(separator: ", ")) }
}
