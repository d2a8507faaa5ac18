internal import UsherActivation
internal import UsherEngine
internal import UsherScene

/// Media players as apps that play: what `usher perform play` asks where no app has a template for it.
struct MediaPlayback {
    private let service: OperationContext

    init(_ service: OperationContext) { self.service = service }

    /// The player of an app; without one, the player that plays, else the first. nil where there is none.
    func player(of app: String?) -> (player: MediaPlayer, app: App?)? {
        let apps = service.configuration.manifestApps
        let players = ((try? service.activator?.applications?.players()) ?? [])
            .map { (player: $0, app: MediaPlayerAnswer.app(of: $0, in: apps)) }
        if let app { return players.first { $0.app?.id == app } }
        return players.first { $0.player.status == .playing } ?? players.first
    }

}
