public import UsherActivation
public import UsherJSON
public import UsherOperation
public import UsherScene

/// How media players are written as JSON: between `usher` and `usherd --windows`, and in answers.
enum MediaWire {
    static func value(_ player: MediaPlayer) -> JSONValue {
        .object(
            members(player, app: nil) + [
                .init("address", WindowWire.text(player.address)), .init("identity", WindowWire.text(player.identity)),
                .init("entry", WindowWire.text(player.entry)),
            ])
    }

    static func members(_ player: MediaPlayer, app: App?) -> [JSONValue.Member] {
        [
            .init("player", .string(player.name)), .init("app", WindowWire.text(app?.id)),
            .init("status", WindowWire.text(player.status?.rawValue)), .init("title", WindowWire.text(player.title)),
            .init("artist", WindowWire.text(player.artist)), .init("album", WindowWire.text(player.album)),
            .init("duration", player.duration.map(number) ?? .null),
            .init("artwork", WindowWire.text(player.artwork ?? app?.suggestions.artwork)),
            .init("track", WindowWire.text(player.track)),
        ]
    }

    static func player(_ value: JSONValue) -> MediaPlayer? {
        guard let name = value["player"]?.string else { return nil }
        var player = MediaPlayer(name: name)
        player.identity = value["identity"]?.string
        player.entry = value["entry"]?.string
        player.status = value["status"]?.string.flatMap(MediaPlayer.Status.init(rawValue:))
        player.title = value["title"]?.string
        player.artist = value["artist"]?.string
        player.album = value["album"]?.string
        player.duration = value["duration"]?.numberText.flatMap(Double.init)
        player.artwork = value["artwork"]?.string
        player.track = value["track"]?.string
        player.address = value["address"]?.string
        return player
    }

    private static func number(_ seconds: Double) -> JSONValue {
        .number(Int64(exactly: seconds).map(String.init) ?? "\(seconds)")
    }
}

/// The media players that run: the same from the daemon and from a look of one's own.
public enum MediaAnswer {
    /// An array.
    public static func value(
        _ applications: (any DesktopApplications)?, in apps: [App]
    ) throws(ControlError) -> JSONValue {
        let players: [MediaPlayer]
        do throws(ActivationFailure) {
            players = try applications?.players() ?? []
        } catch {
            throw ControlError(error.code, error.message, help: error.help)
        }
        return .array(players.map { .object(MediaWire.members($0, app: app(of: $0, in: apps))) })
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
