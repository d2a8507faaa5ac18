/// The state of a media player on the session bus (MPRIS 2.2).
public struct MediaPlayer: Sendable, Hashable {
    public enum Status: String, Sendable, CaseIterable { case playing, paused, stopped }

    /// Its bus name without `org.mpris.MediaPlayer2.`: `mpv`, `vlc.instance7389`.
    public var name: String
    /// Its name, to be shown.
    public var identity: String?
    /// The name of its desktop entry, without `.desktop`.
    public var entry: String?
    public var status: Status?
    public var title: String?
    /// Several are joined by `, `.
    public var artist: String?
    public var album: String?
    /// In seconds.
    public var duration: Double?
    /// The address of a picture.
    public var artwork: String?
    /// The object path of the track.
    public var track: String?
    /// The address of what is played.
    public var address: String?

    public init(name: String) { self.name = name }
}

/// What a player is asked to play.
public enum MediaRequest: Sendable, Hashable {
    /// The medium at an address.
    case address(String)
    /// The places, from 0, that lead to a track: of the track in the list of tracks; or of the playlist, and of the track
    /// in it.
    case indexPath([Int])
}
