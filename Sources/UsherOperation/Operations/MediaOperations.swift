public struct MediaList: Call {
    public init() {}

    public static let name = "media.list"
    public static let operation = Operation<Self>("the media players that run, and what they play", .read, [])
}
