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
