public import UsherActivation
public import UsherJSON
public import UsherScene
internal import UsherSystem
internal import UsherTarget
internal import UsherText

/// The target of a window that the user opened, read by the `content` of scenes from its title or its processes.
///
/// Nothing is guessed: what can be read in two ways gives no target.
public struct WindowContent: Sendable {
    /// What one `content` table of a scene says.
    public struct Reading: Sendable {
        public var app: String
        public var scene: String
        public var rule: SceneContent
        public var variables: [String: String] = [:]
        public var target: TargetContentIdentifier?
        /// nil exactly where there is a target.
        public var finding: SceneContent.Finding?
    }

    public var title: String
    /// `WM_CLASS` or `app_id`; nil where it is not known.
    public var windowClass: String?
    /// The process of the window; nil where it is not known.
    public var process: Int32?
    /// The processes that tmux has started in the panes of the window; empty for other windows.
    public var panes: [Int32] = []
    /// The home folder, for paths that begin with `~/`.
    private let home: String?

    public init(title: String, windowClass: String?, home: String?) {
        self.title = title
        self.windowClass = windowClass
        self.home = home
    }

    public init(_ window: WindowList.Window, home: String?) {
        self.init(title: window.title, windowClass: window.windowClass ?? window.appID, home: home)
        if window.isOfTmux {
            panes = window.processes
        } else {
            process = window.process
        }
    }

    // MARK: Scenes

    /// What the scenes of the apps read, in the order of the configuration.
    ///
    /// - Parameters:
    ///   - app: only scenes of this app.
    ///   - scene: only scenes of this name; then their `focus` is not asked.
    public func readings(in apps: [App], app: String?, scene: String?) -> [Reading] {
        var readings: [Reading] = []
        for candidate in apps where app.map({ $0.hasSameBytes(as: candidate.id) }) ?? true {
            for configuration in candidate.scenes {
                if let scene {
                    guard scene.hasSameBytes(as: configuration.name) else { continue }
                } else if let windowClass, let rule = configuration.focus?.rule,
                    [rule.windowClass, rule.appID].contains(where: { $0?.matches(windowClass) == false })
                {
                    continue
                }
                readings += self.readings(of: configuration, app: candidate.id)
            }
        }
        let winners = readings.indices.filter { readings[$0].target != nil }
        if winners.count > 1 {
            for index in winners {
                readings[index].target = nil
                readings[index].finding = .ambiguous
            }
        }
        return readings
    }

    /// What the `content` tables of a scene say, up to the first that gives a target.
    func readings(of scene: SceneConfiguration, app: String) -> [Reading] {
        var readings: [Reading] = []
        for rule in scene.content {
            let outcome = outcome(of: rule)
            var reading = Reading(app: app, scene: scene.name, rule: rule)
            switch outcome {
            case .target(let target, let variables): (reading.target, reading.variables) = (target, variables)
            case .finding(let finding): reading.finding = finding
            }
            readings.append(reading)
            if reading.target != nil { break }
        }
        return readings
    }

    /// The target that a scene reads.
    func target(by scene: SceneConfiguration, app: String) -> TargetContentIdentifier? {
        readings(of: scene, app: app).last?.target
    }

    // MARK: Tables

    private enum Outcome {
        case target(TargetContentIdentifier, [String: String])
        case finding(SceneContent.Finding)
    }

    private func outcome(of rule: SceneContent) -> Outcome {
        switch rule.source {
        case .title(let templates): return outcome(ofTitle: templates, rule)
        case .process(let fact):
            guard let process else { return .finding(.noMatch) }
            let programs = ProcessTable.foregrounds(ofTerminalsOf: process)
            // What a terminal shows is the working folder of its program, not its own.
            if fact == .workingFolder, !programs.isEmpty { return outcome(of: fact, programs, rule) }
            return outcome(of: fact, [process] + programs, rule)
        case .tmux(let fact):
            return outcome(of: fact, panes.flatMap { ProcessTable.foreground(of: $0) }, rule)
        }
    }

    /// Of several processes the only one that has something to say; one that ended meanwhile has nothing.
    private func outcome(of fact: SceneContent.Fact, _ processes: [Int32], _ rule: SceneContent) -> Outcome {
        var found: Outcome = .finding(.noMatch)
        for process in processes {
            let next = outcome(of: fact, process, rule)
            switch (found, next) {
            case (_, .finding(.noMatch)): continue
            case (.finding(.noMatch), _), (.finding(.processGone), _): found = next
            case (_, .finding(.processGone)): continue
            case (.target(let one, _), .target(let other, _)) where one == other: continue
            default: return .finding(.ambiguous)
            }
        }
        return found
    }

    private func outcome(ofTitle templates: [TextTemplate], _ rule: SceneContent) -> Outcome {
        guard title.utf8.count <= SceneContent.maximumTitleLength else { return .finding(.tooLong) }
        // What was not UTF-8 has been repaired by the time it comes here.
        if title.unicodeScalars.contains("\u{FFFD}") { return .finding(.encoding) }
        if title.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return .finding(.controlCharacter)
        }
        var outcome: Outcome?
        var isAmbiguous = false
        for template in templates {
            let isFollowed = template.forEachReading(of: title) { variables in
                let next = self.outcome(of: variables, rule)
                switch (outcome, next) {
                case (_, .finding(.noMatch)): break
                case (nil, _): outcome = next
                case (.target(let one, _), .target(let other, _)) where one == other: break
                case (.finding(let one), .finding(let other)) where one == other: break
                default: isAmbiguous = true
                }
                return !isAmbiguous
            }
            if !isFollowed || isAmbiguous { return .finding(.ambiguous) }
        }
        return outcome ?? .finding(.noMatch)
    }

    private func outcome(of fact: SceneContent.Fact, _ process: Int32, _ rule: SceneContent) -> Outcome {
        let found: [ProcessFiles.File]
        do throws(ProcessFiles.Failure) {
            let files = ProcessFiles(of: process)
            switch fact {
            case .arguments:
                switch rule.base {
                case .folder(let folder): found = try files.arguments(relativeTo: folder)
                case .workingFolder: found = try files.arguments(relativeTo: nil).map { .init(path: $0.path) }
                case nil: found = try files.arguments(relativeTo: nil)
                }
            case .workingFolder: found = try files.workingFolder().map { [$0] } ?? []
            case .openFiles: found = try files.openFiles()
            }
        } catch {
            return .finding(.processGone)
        }
        guard let file = found.first else { return .finding(.noMatch) }
        guard found.count == 1 else { return .finding(.ambiguous) }
        guard let path = file.path else { return .finding(.encoding) }
        if file.isRelative { return .finding(.relative) }
        return outcome(of: ["file": path], rule)
    }

    /// The target that these variables give.
    private func outcome(of variables: [String: String], _ rule: SceneContent) -> Outcome {
        let text: String
        switch rule.result {
        case .target(let template):
            guard let expanded = try? template.expand(variables.mapValues { .string($0) }) else {
                return .finding(.noMatch)
            }
            text = expanded
        case .path(let template):
            guard var path = template.filled(variables) else { return .finding(.noMatch) }
            if path.utf8.starts(with: "~/".utf8) || path == "~" {
                guard let home else { return .finding(.relative) }
                path = home + path.dropFirst()
            }
            if path.utf8.first != UInt8(ascii: "/") {
                switch rule.base {
                case .folder(let folder): path = folder + "/" + path
                case .workingFolder:
                    guard let process else { return .finding(.relative) }
                    guard let folder = try? ProcessFiles(of: process).workingFolder() else {
                        return .finding(.processGone)
                    }
                    guard let folder = folder.path else { return .finding(.encoding) }
                    path = folder + "/" + path
                case nil: return .finding(.relative)
                }
            }
            text = WindowContent.address(of: FilePath.normalised(path))
        }
        guard !text.isEmpty, text.utf8.count <= TargetContentIdentifier.maximumLength else { return .finding(.noMatch) }
        return .target(TargetContentIdentifier(text), variables)
    }

    /// The `file:` URL of an absolute path: all but unreserved characters and `/` are percent-encoded (RFC 8089, RFC 3986).
    private static func address(of path: String) -> String {
        "file://" + PercentEncoding.encode(path.utf8) { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }

    // MARK: Answer

    /// `{"title","class","target","results":[…]}`: the target is that of the one reading that has one.
    public func answer(_ readings: [Reading]) -> JSONValue {
        let results = readings.map { reading -> JSONValue in
            let variables = reading.variables.sorted { $0.key < $1.key }
            return [
                "app": .string(reading.app), "scene": .string(reading.scene),
                "at": .string(reading.rule.location.description), "source": .string(reading.rule.source.name),
                "variables": .object(variables.map { .init($0.key, .string($0.value)) }),
                "target": WindowWire.text(reading.target?.text), "finding": WindowWire.text(reading.finding?.rawValue),
            ]
        }
        return [
            "title": .string(title), "class": WindowWire.text(windowClass),
            "target": WindowWire.text(readings.lazy.compactMap(\.target).first?.text), "results": .array(results),
        ]
    }
}
