public import UsherActivation
public import UsherJSON
public import UsherOperation
internal import UsherScene

/// How media players are written as JSON: between `usher` and `usherd --windows`.
enum MediaWire {
    static func value(_ player: MediaPlayer) -> JSONValue {
        .object(
            (MediaPlayerAnswer(player, of: nil).jsonValue.members ?? []) + [
                .init("address", WindowWire.text(player.address)), .init("identity", WindowWire.text(player.identity)),
                .init("entry", WindowWire.text(player.entry)),
            ])
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
}

extension MediaPlayer: FieldValue {
    public static var shape: ValueShape { ValueShape(.json) }

    public static func read(
        _ value: JSONValue, _ name: String, at place: String
    ) throws(ControlError) -> MediaPlayer {
        guard let player = MediaWire.player(value) else { throw .argument("\(name) has no player", at: place) }
        return player
    }

    public func write(to json: inout JSONWriter) { json.value(MediaWire.value(self)) }
}
