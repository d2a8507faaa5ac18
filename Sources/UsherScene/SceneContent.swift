public import UsherTarget

/// Where the target of a window stands that the user opened: in its title, or in what its program was given.
public struct SceneContent: Sendable {
    public enum Source: Sendable {
        /// The whole title is one of these.
        case title([TextTemplate])
        /// The process of the window, and the program in the foreground of its terminal where it is a terminal's.
        case process(Fact)
        /// The program in the foreground of a tmux pane.
        case tmux(Fact)

        public var name: String {
            switch self {
            case .title: "title"
            case .process: "process"
            case .tmux: "tmux"
            }
        }
    }

    /// Of a process.
    public enum Fact: String, Sendable, CaseIterable {
        /// The files among its arguments.
        case arguments = "argv"
        case workingFolder = "cwd"
        /// The files that it has open for reading.
        case openFiles = "open-files"
    }

    public enum Result: Sendable {
        case target(URITemplate)
        /// A path, which becomes a `file:` URL.
        case path(TextTemplate)
    }

    /// What relative paths are relative to.
    public enum Base: Sendable {
        case folder(String)
        /// The working folder of the process.
        case workingFolder
    }

    public var source: Source
    public var result: Result
    public var base: Base?
    public var location: SourceLocation

    public init(source: Source, result: Result, base: Base?, location: SourceLocation) {
        self.source = source
        self.result = result
        self.base = base
        self.location = location
    }

    /// The longest title that is read, in bytes.
    public static let maximumTitleLength = 4096

    /// Why a window's content gives no target.
    public enum Finding: String, Sendable {
        case noMatch = "content.no-match"
        /// It can be read in ways that give different targets, there are several files, or several scenes have one.
        case ambiguous = "content.ambiguous"
        /// A relative path, and nothing says what it is relative to.
        case relative = "content.relative"
        case controlCharacter = "content.control-character"
        case tooLong = "content.too-long"
        /// Not UTF-8.
        case encoding = "content.encoding"
        /// The process ended while it was read.
        case processGone = "content.process-gone"
    }
}

extension SceneConfiguration {
    /// Whether it reads the content of tmux windows, and so has those that the user opened.
    public var readsTmux: Bool { content.contains { if case .tmux = $0.source { true } else { false } } }
}
