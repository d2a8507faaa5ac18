public import UsherActivation
internal import UsherJSON
public import UsherOperation
public import UsherScene

/// A media player that runs: the same from the daemon and from a look of one's own.
public struct MediaPlayerAnswer: AnswerRecord {
    public var player = ""
    public var app: String?
    public var status: String?
    public var title: String?
    public var artist: String?
    public var album: String?
    /// In seconds.
    public var duration: Decimal?
    public var artwork: String?
    public var track: String?

    public init() {}

    init(_ player: MediaPlayer, of app: App?) {
        self.player = player.name
        self.app = app?.id
        status = player.status?.rawValue
        (title, artist, album, track) = (player.title, player.artist, player.album, player.track)
        duration = player.duration.map { Decimal(Int64(exactly: $0).map(String.init) ?? "\($0)") }
        artwork = player.artwork ?? app?.suggestions.artwork
    }

    public static let fields: [Field<Self>] = [
        Field(always: "player", \.player), Field(always: "app", \.app), Field(always: "status", \.status),
        Field(always: "title", \.title), Field(always: "artist", \.artist), Field(always: "album", \.album),
        Field(always: "duration", \.duration), Field(always: "artwork", \.artwork), Field(always: "track", \.track),
    ]

    public static func all(
        _ applications: (any DesktopApplications)?, in apps: [App]
    ) throws(ControlError) -> [MediaPlayerAnswer] {
        let players: [MediaPlayer]
        do throws(ActivationFailure) {
            players = try applications?.players() ?? []
        } catch {
            throw ControlError(error.code, error.message, help: error.help)
        }
        return players.map { MediaPlayerAnswer($0, of: app(of: $0, in: apps)) }
    }

    /// The app that a player belongs to: the one that starts its desktop entry, else the one with an id or a name that the
    /// player has, too.
    public static func app(of player: MediaPlayer, in apps: [App]) -> App? {
        let names = [player.entry, player.identity, player.name.split(separator: ".").first.map(String.init)]
            .compactMap { $0?.lowercased() }
        return apps.first { app in
            app.scenes.compactMap(\.desktopEntry).contains { names.contains(DesktopEntry.name($0).lowercased()) }
        }
            ?? apps.first { names.contains($0.id.lowercased()) || names.contains($0.name.lowercased()) }
    }
}
