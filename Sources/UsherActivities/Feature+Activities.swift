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
        feature.statuses = [
            .activityNoSuch: 404, .activityNone: 404, .activitySessionLost: 409, .activityBusy: 409,
            .activityTooLarge: 413,
        ]
        feature.open = { openings in
            openings.restoration = { (session, store) throws(StoreError) in
                let kept = try store.activity(ofSession: session)
                return kept?.state == .kept ? kept?.document : nil
            }
        }
        feature.use = { (settings, store) in store.use(settings.suggestions) }
        return feature
    }
}
