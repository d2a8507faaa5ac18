public struct MediaList: Call {
    public init() {}

    public static let name = "media.list"
    public static let operation = Operation<Self>("the media players that run, and what they play", .read, [])
}

public struct DesktopServices: Call {
    public init() {}

    public static let name = "desktop.services"
    public static let operation = Operation<Self>(
        "what suggestions need of the desktop, and whether it is there", .read, [])
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

    public static let name = "media.play"
    public static let operation = Operation<Self>(
        "has a media player play something", .act,
        [
            Field("player", \.player, "the player, as it is listed"),
            Field("item", \.item, "the address of what is to be played"),
            Field("index_path", \.indexPath, "instead of it, the places, from 0, that lead to a track: `2/0`"),
        ])
}
