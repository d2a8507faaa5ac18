internal import UsherConfiguration
package import UsherEngine
internal import UsherScene
internal import UsherStore

extension Feature {
    /// Activities, continuation, pages in front.
    package static var activities: Feature {
        var feature = Feature(
            .activities,
            [
                ActivityBecomeCurrent.self, ActivityUpdate.self, ActivityResign.self, ActivityList.self,
                ActivityShow.self, ActivitySearch.self, ActivitySave.self,
            ])
        feature.status = { code in
            switch code {
            case .activityNoSuch, .activityNone, .activityNotInFront: 404
            case .activitySessionLost, .activityBusy: 409
            case .activityTooLarge: 413
            default: nil
            }
        }
        feature.open = { openings in
            openings.restoration = { (session, store) throws(StoreError) in
                let kept = try store.activity(ofSession: session)
                return kept?.state == .kept ? kept?.document : nil
            }
        }
        feature.run = { host in
            let pages = PageActivities(
                host.store, logger: host.logger, isIncluded: { host.pages().includes($0) },
                pause: { PagePause(state: host.state) }, becameCurrent: { host.features.contentsChanged() },
                openings: host.openings, suggest: host.suggest,
                reading: PageReading(
                    isAllowed: { host.suggestions().reads(page: $1, of: $0) }, data: host.readPage))
            var run = FeatureRun()
            run.windows.showsWindow = { pages.follow($0, $1) }
            run.settingsChanged = { pages.refresh() }
            return run
        }
        feature.use = { (settings, store) in store.use(settings.suggestions) }
        return feature
    }
}
