package import UsherEngine
internal import UsherPayload
internal import UsherScene

extension Feature {
    /// Notifications that come at a time, once or again and again.
    package static var schedule: Feature {
        var feature = Feature(
            .schedule,
            [
                NotificationSchedule.self, NotificationPending.self, NotificationDelivered.self,
                NotificationRemove.self,
            ])
        feature.status = { code in
            switch code {
            case .scheduleUnknown: 404
            case .scheduleTooMany: 413
            default: nil
            }
        }
        feature.run = { host in
            var run = FeatureRun()
            // They come with a resident daemon only.
            guard host.awaitsAnswers else { return run }
            let timer = DueTimer(DueNotifications(engine: host.engine), named: "schedule", host.logger)
            // Answers give the times of this process, not those of the one before, which may have run in another zone.
            timer.begin()
            run.contentsChanged = { timer.look() }
            run.stop = { timer.stop() }
            return run
        }
        return feature
    }
}
