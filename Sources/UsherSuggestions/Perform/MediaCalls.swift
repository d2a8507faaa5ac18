public import UsherActivation
internal import UsherConfiguration
public import UsherEngine
internal import UsherJSON
public import UsherOperation
internal import UsherScene
internal import UsherSystem

public struct MediaList: PerformedCall {
    public init() {}

    public typealias Answer = [MediaPlayerAnswer]
    public static let name = "media.list"
    public static let operation = Operation<Self>("the media players that run, and what they play", .read, [])

    public func perform(in context: OperationContext) throws(ControlError) -> [MediaPlayerAnswer] {
        let engine = try context.engine
        return try MediaPlayerAnswer.all(
            engine.activator.applications, in: engine.configuration.configuration.apps)
    }
}

public struct DesktopServices: PerformedCall {
    public init() {}

    public typealias Answer = DesktopServicesAnswer
    public static let name = "desktop.services"
    public static let operation = Operation<Self>(
        "what suggestions need of the desktop, and whether it is there", .read, [])

    public func perform(in context: OperationContext) throws(ControlError) -> DesktopServicesAnswer {
        let engine = try context.engine
        // An engine on demand answers no search.
        let hello = engine.hello
        return DesktopServicesAnswer(
            engine.activator.applications, daemon: hello.isOnDemand ? nil : Int32(hello.pid))
    }
}

public struct MediaPlay: ContentCall {
    public var player = ""
    public var item: String?
    public var indexPath: String?

    public init() {}
    public init(_ player: String, item: String?, indexPath: String?) {
        (self.player, self.item, self.indexPath) = (player, item, indexPath)
    }

    /// For the player to play it.
    public var waits: Bool { true }

    public typealias Answer = MediaPlayAnswer
    public static let name = "media.play"
    public static let operation = Operation<Self>(
        "has a media player play something", .act,
        [
            Field("player", \.player, "the player, as it is listed"),
            Field("item", \.item, "the address of what is to be played"),
            Field("index_path", \.indexPath, "instead of it, the places, from 0, that lead to a track: `2/0`"),
        ])

    /// For what was asked for to be played, in milliseconds.
    private static let patience = 5000

    public func perform(in context: OperationContext) throws(ControlError) -> MediaPlayAnswer {
        let request: MediaRequest
        if let path = self.indexPath {
            let places = path.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
            request = .indexPath(places)
        } else if let item = self.item {
            request = .address(item)
        } else {
            throw .argument("there is nothing to play: give item or index_path", at: "")
        }
        guard let applications = context.activator?.applications else {
            throw ControlError(.performNoApp, "there is no session bus, and so no media player")
        }
        do throws(ActivationFailure) {
            let deadline = Deadline(inMilliseconds: Self.patience)
            let (player, plays) = try applications.play(request, on: self.player, until: deadline)
            return MediaPlayAnswer(player, plays: plays)
        } catch {
            if error.code == .mediaNoSuchItem {
                throw ControlError(error.code, error.message, at: "/index_path", help: error.help)
            }
            if error.code == .busRefused, case .indexPath = request {
                throw ControlError(
                    .mediaNoSuchItem, "the player has no list of tracks: \(error.message)", at: "/index_path",
                    help: "give the address of what is to be played")
            }
            return MediaPlayAnswer(error)
        }
    }
}

/// What a media player made of it.
public struct MediaPlayAnswer: AnswerRecord {
    /// Why it does not play.
    public struct Failure: AnswerRecord {
        public var code = ""
        public var name = ""
        public var message = ""
        public var help: String?

        public init() {}

        public static let fields: [Field<Self>] = [
            Field(always: "code", \.code), Field(always: "name", \.name), Field(always: "message", \.message),
            Field(always: "help", \.help),
        ]
    }

    public var plays = false
    /// As it is then.
    public var player: MediaPlayer?
    public var error: Failure?

    public init() {}

    fileprivate init(_ player: MediaPlayer, plays: Bool) { (self.player, self.plays) = (player, plays) }

    fileprivate init(_ failure: ActivationFailure) {
        var error = Failure()
        (error.code, error.name) = (failure.code.code, failure.code.name)
        (error.message, error.help) = (failure.message, failure.help)
        self.error = error
    }

    public static let fields: [Field<Self>] = [
        Field(always: "plays", \.plays), Field(always: "player", \.player), Field(always: "error", \.error),
    ]
}
