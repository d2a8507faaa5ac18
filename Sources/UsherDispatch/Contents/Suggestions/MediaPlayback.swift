internal import UsherActivation
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherSystem

/// Media players as apps that play: what `usher perform play` asks where no app has a template for it.
struct MediaPlayback {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// For what was asked for to be played, in milliseconds.
    private static let patience = 5000

    /// The player of an app; without one, the player that plays, else the first. nil where there is none.
    func player(of app: String?) -> (player: MediaPlayer, app: App?)? {
        let apps = service.configuration.manifestApps
        let players = ((try? service.activator.applications?.players()) ?? [])
            .map { (player: $0, app: MediaAnswer.app(of: $0, in: apps)) }
        if let app { return players.first { $0.app?.id == app } }
        return players.first { $0.player.status == .playing } ?? players.first
    }

    /// `{"plays","player","error"}`: the player as it is then, and why it did not do it.
    func play(_ call: MediaPlay) throws(ControlError) -> JSONValue {
        let request: MediaRequest
        if let path = call.indexPath {
            let places = path.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
            request = .indexPath(places)
        } else if let item = call.item {
            request = .address(item)
        } else {
            throw .argument("there is nothing to play: give item or index_path", at: "")
        }
        guard let applications = service.activator.applications else {
            throw ControlError(.performNoApp, "there is no session bus, and so no media player")
        }
        do throws(ActivationFailure) {
            let deadline = Deadline(inMilliseconds: Self.patience)
            let (player, plays) = try applications.play(request, on: call.player, until: deadline)
            return ["plays": .boolean(plays), "player": MediaWire.value(player), "error": .null]
        } catch {
            if error.code == .mediaNoSuchItem {
                throw ControlError(error.code, error.message, at: "/index_path", help: error.help)
            }
            return [
                "plays": false, "player": .null,
                "error": [
                    "code": .string(error.code.code), "name": .string(error.code.name),
                    "message": .string(error.message), "help": error.help.map { .string($0) } ?? .null,
                ],
            ]
        }
    }
}
