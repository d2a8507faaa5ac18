internal import Glibc
public import UsherActivation
internal import UsherScene
public import UsherSystem
internal import UsherText

/// The media players on the session bus (MPRIS 2.2).
public struct MediaPlayers: Sendable {
    private let bus: SessionBus

    private static let prefix = "org.mpris.MediaPlayer2."
    private static let path = "/org/mpris/MediaPlayer2"
    private static let root = "org.mpris.MediaPlayer2"
    private static let player = "org.mpris.MediaPlayer2.Player"
    private static let trackList = "org.mpris.MediaPlayer2.TrackList"
    private static let playlists = "org.mpris.MediaPlayer2.Playlists"
    private static let properties = "org.freedesktop.DBus.Properties"
    /// In milliseconds, for one question.
    private static let patience = 1000

    public init(_ bus: SessionBus) { self.bus = bus }

    /// By name. A player that does not answer, or that leaves meanwhile, is left out.
    public func all() throws(ActivationFailure) -> [MediaPlayer] {
        let names = try bus.call(.driver("ListNames", [])).first?.elements ?? []
        let players = names.compactMap(\.string).filter { $0.utf8.starts(with: Self.prefix.utf8) }.sorted()
        var found: [MediaPlayer] = []
        for name in players {
            if let player = try? look(String(name.dropFirst(Self.prefix.count))).player { found.append(player) }
        }
        return found
    }

    /// Has a player play something; the player as it is when it plays that, or at the deadline.
    ///
    /// - Returns: what it plays, and whether that is what was asked for.
    public func play(
        _ request: MediaRequest, on name: String, until deadline: Deadline
    ) throws(ActivationFailure) -> (player: MediaPlayer, plays: Bool) {
        let destination = Self.prefix + name
        let before = try look(name).player
        var track: String?
        // When the player is told to play at the latest; nil where that is not to be done any more.
        var playDue: Deadline?
        switch request {
        case .address(let address): try call(destination, Self.player, "OpenUri", [.string(address)])
        case .indexPath(let path):
            track = try goTo(path, on: destination)
            // Not at once: VLC forgets where it was told to go if it is told to play before it has gone there.
            playDue = Deadline(inMilliseconds: 1000)
        }
        var earlier: Int64?
        while true {
            let (now, position) = try look(name)
            let isMeant = Self.isMeant(now, request, track, before)
            if let due = playDue, now.status != .playing, isMeant || due.isOver {
                playDue = nil
                try call(destination, Self.player, "Play")
            }
            if isMeant {
                // Some players say `Stopped` of what they play, others `Playing` of an address that they still look for, or
                // always the same position: what has begun advances, or has a length.
                let hasAdvanced = earlier.map { $0 < position ?? 0 } ?? false
                let isNamed = now.address != nil || now.track != before.track
                let isLoaded = isNamed && (now.duration != nil || position == nil)
                if hasAdvanced || isLoaded && now.status == .playing { return (now, true) }
                earlier = position
            }
            if deadline.isOver { return (now, false) }
            usleep(20_000)
        }
    }

    /// Of an address the player must name it, where it names any; of a track its path.
    private static func isMeant(
        _ now: MediaPlayer, _ request: MediaRequest, _ track: String?, _ before: MediaPlayer
    ) -> Bool {
        switch request {
        case .address(let address):
            guard let playing = now.address else { return now.track != before.track || before.status != .playing }
            return playing.hasSameBytes(as: address)
        case .indexPath: return track.map { $0.hasSameBytes(as: now.track ?? "") } ?? false
        }
    }

    /// - Returns: the object path of the track.
    private func goTo(_ path: [Int], on destination: String) throws(ActivationFailure) -> String {
        guard let place = path.last, path.count <= 2, path.allSatisfy({ $0 >= 0 }) else { throw noSuchItem(path) }
        if path.count == 2 {
            let arguments: [BusValue] = [.uint32(0), .uint32(1000), .string("UserDefined"), .boolean(false)]
            let lists = try call(destination, Self.playlists, "GetPlaylists", arguments).first?.elements ?? []
            guard path[0] < lists.count, let list = lists[path[0]].elements?.first?.string else {
                throw noSuchItem(path)
            }
            try call(destination, Self.playlists, "ActivatePlaylist", [.objectPath(list)])
        }
        let tracks = try property("Tracks", of: Self.trackList, destination)?.elements ?? []
        guard place < tracks.count, let track = tracks[place].string else { throw noSuchItem(path) }
        try call(destination, Self.trackList, "GoTo", [.objectPath(track)])
        return track
    }

    private func noSuchItem(_ path: [Int]) -> ActivationFailure {
        ActivationFailure(
            .mediaNoSuchItem, "the player has no item at \(path.map(String.init).joined(separator: "/"))",
            help: "the places count from 0: of a track, or of a playlist and a track in it")
    }

    /// A player, and its position in the track in microseconds.
    private func look(_ name: String) throws(ActivationFailure) -> (player: MediaPlayer, position: Int64?) {
        let destination = Self.prefix + name
        let state = try call(destination, Self.properties, "GetAll", [.string(Self.player)]).first
        var player = MediaPlayer(name: name)
        player.status = state?["PlaybackStatus"]?.string.flatMap { MediaPlayer.Status(rawValue: $0.lowercased()) }
        let metadata = state?["Metadata"]
        player.title = text(metadata?["xesam:title"])
        player.artist = text(metadata?["xesam:artist"])
        player.album = text(metadata?["xesam:album"])
        player.artwork = text(metadata?["mpris:artUrl"])
        player.track = text(metadata?["mpris:trackid"])
        player.address = text(metadata?["xesam:url"])
        player.duration = metadata?["mpris:length"]?.integer.map { Double($0) / 1_000_000 }
        // Few players have no desktop entry, and a name at most.
        let itself = try? call(destination, Self.properties, "GetAll", [.string(Self.root)]).first
        player.identity = text(itself?["Identity"])
        player.entry = text(itself?["DesktopEntry"])
        return (player, state?["Position"]?.integer)
    }

    /// A text that is not empty; several are joined.
    private func text(_ value: BusValue?) -> String? {
        let text = value?.string ?? value?.elements?.compactMap(\.string).joined(separator: ", ") ?? ""
        return text.isEmpty ? nil : text
    }

    private func property(
        _ name: String, of interface: String, _ destination: String
    ) throws(ActivationFailure) -> BusValue? {
        try call(destination, Self.properties, "Get", [.string(interface), .string(name)]).first
    }

    @discardableResult
    private func call(
        _ destination: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) throws(ActivationFailure) -> [BusValue] {
        let call = BusCall(destination, Self.path, interface, member, arguments)
        return try bus.call(call.ofRunning(within: Self.patience))
    }
}
