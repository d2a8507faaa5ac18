import Foundation
import Glibc
import TestSupport
import Testing
import UsherActivation
import UsherSystem

@testable import UsherBus

/// Real players on a bus of the test's own: mpv with its MPRIS plugin, and VLC, which has a list of tracks.
@Suite("MediaPlayers", .serialized) struct MediaPlayersTests {
    private static let plugin = "/usr/lib/mpv-mpris/mpris.so"

    private static let mpv = [
        "/usr/bin/mpv", "--no-config", "--ao=null", "--vo=null", "--idle=yes", "--really-quiet", "--script=\(plugin)",
    ]

    /// VLC without its window: the program itself refuses to run as root.
    private static let vlc = [
        "/usr/bin/python3", "-c",
        """
        import ctypes, signal
        vlc = ctypes.CDLL("libvlc.so.5")
        vlc.libvlc_new.restype = ctypes.c_void_p
        vlc.libvlc_add_intf.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        options = [b"--aout=dummy", b"--vout=dummy", b"--no-media-library", b"--no-lua"]
        player = vlc.libvlc_new(len(options), (ctypes.c_char_p * len(options))(*options))
        assert vlc.libvlc_add_intf(player, b"dbus") == 0
        signal.pause()
        """,
    ]

    /// A player that plays nothing yet, with silent recordings of its own.
    private final class Player {
        let bus: PrivateBus
        let session: SessionBus
        let players: MediaPlayers
        private var program: Program?

        init(_ command: [String] = MediaPlayersTests.mpv) throws {
            bus = try PrivateBus()
            session = SessionBus(environment: bus.environment)
            players = MediaPlayers(session)
            for (name, seconds) in [("one.wav", 300), ("two.wav", 200), ("three.wav", 100)] {
                try recording(seconds: seconds).write(to: URL(fileURLWithPath: "\(bus.folder)/\(name)"))
            }
            var request = SpawnRequest(
                program: command[0], arguments: command,
                environment: bus.environment.map { EnvironmentVariable($0.key, $0.value) }
                    + [EnvironmentVariable("HOME", bus.folder)])
            request.captureLimit = 0
            program = try Program(request)
        }

        var process: Int32? { program?.process }

        func end() { program = nil }

        /// The only player, as soon as it is there.
        func only() throws -> MediaPlayer? {
            var found: MediaPlayer?
            _ = try eventually { () throws -> Bool in
                found = try players.all().first
                return found != nil
            }
            return found
        }

        /// Eight thousand silent samples a second.
        private func recording(seconds: Int) -> Data {
            func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
            let size = UInt32(seconds * 8000)
            var bytes = Array("RIFF".utf8) + word(36 + size) + Array("WAVEfmt ".utf8) + word(16)
            bytes += [1, 0, 1, 0] + word(8000) + word(8000) + [1, 0, 8, 0] + Array("data".utf8) + word(size)
            return Data(bytes + [UInt8](repeating: 128, count: Int(size)))
        }
    }

    @Test("a player is listed with what it plays, and not when it has ended") func list() throws {
        let player = try Player()
        let idle = try #require(try player.only())
        #expect(idle.name == "mpv")
        #expect(idle.identity == "mpv")
        #expect(idle.entry == "mpv")
        let address = "file://\(player.bus.folder)/one.wav"
        let (now, plays) = try player.players.play(
            .address(address), on: "mpv", until: Deadline(inMilliseconds: 20_000))
        #expect(plays)
        #expect(now.title == "one.wav")
        #expect(eventually { (try? player.players.all())?.first?.duration == 300 })
        #expect(now.address == address)
        player.end()
        #expect(eventually { (try? player.players.all())?.isEmpty ?? false })
        #expect(throws: ActivationFailure.self) {
            _ = try player.players.play(.address(address), on: "mpv", until: Deadline(inMilliseconds: 100))
        }
    }

    @Test("a track of a player's list is played by its place") func tracks() throws {
        let player = try Player(Self.vlc)
        let idle = try #require(try player.only())
        #expect(idle.identity == "VLC media player")
        func call(_ interface: String, _ member: String, _ arguments: [BusValue] = []) throws {
            _ = try player.session.call(
                BusCall(
                    "org.mpris.MediaPlayer2.vlc", "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.\(interface)",
                    member, arguments))
        }
        for name in ["one", "two", "three"] {
            try call(
                "TrackList", "AddTrack",
                [
                    .string("file://\(player.bus.folder)/\(name).wav"),
                    .objectPath("/org/mpris/MediaPlayer2/TrackList/Append"), .boolean(false),
                ])
        }
        // VLC lists its tracks from the first one on that it plays.
        try call("Player", "Play")
        #expect(eventually { (try? player.players.all())?.first?.duration == 300 })
        for (place, duration, before) in [(2, 100.0, nil), (1, 200.0, "Pause"), (0, 300.0, "Stop")] {
            if let before { try call("Player", before) }
            let (now, plays) = try player.players.play(
                .indexPath([place]), on: "vlc", until: Deadline(inMilliseconds: 20_000))
            #expect(plays)
            #expect(now.status == .playing)
            #expect(eventually { (try? player.players.all())?.first?.duration == duration })
        }
        for path in [[3], [0, 0], [0, 0, 0]] {
            #expect(throws: ActivationFailure.self) {
                _ = try player.players.play(.indexPath(path), on: "vlc", until: Deadline(inMilliseconds: 100))
            }
        }
    }

    @Test("what cannot be played is not said to play") func missing() throws {
        let player = try Player()
        _ = try #require(try player.only())
        let other = "file://\(player.bus.folder)/two.wav"
        #expect(
            try player.players.play(.address(other), on: "mpv", until: Deadline(inMilliseconds: 20_000)).plays)
        let (now, plays) = try player.players.play(
            .address("file://\(player.bus.folder)/none.wav"), on: "mpv", until: Deadline(inMilliseconds: 1500))
        #expect(!plays)
        #expect(now.address != "file://\(player.bus.folder)/none.wav" || now.status != .playing)
        // It has no list of tracks.
        #expect(throws: ActivationFailure.self) {
            _ = try player.players.play(.indexPath([0]), on: "mpv", until: Deadline(inMilliseconds: 100))
        }
    }

    @Test("a player that ends while it is asked to play is said to have failed at once") func vanishes() throws {
        let player = try Player()
        _ = try #require(try player.only())
        let address = "file://\(player.bus.folder)/none.wav"
        let process = try #require(player.process)
        ThreadWaits.whenCallerWaits { kill(process, SIGKILL) }
        // It would wait for a minute for what cannot be played.
        let deadline = Deadline(inMilliseconds: 60_000)
        #expect(throws: ActivationFailure.self) {
            _ = try player.players.play(.address(address), on: "mpv", until: deadline)
        }
        #expect(!deadline.isOver)
    }

    @Test("without a bus there is an error, without players an empty list") func none() throws {
        let bus = try PrivateBus()
        #expect(try MediaPlayers(SessionBus(environment: bus.environment)).all().isEmpty)
        #expect(throws: ActivationFailure.self) { try MediaPlayers(SessionBus(environment: [:])).all() }
    }
}
