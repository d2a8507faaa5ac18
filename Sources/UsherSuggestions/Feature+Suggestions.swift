package import UsherEngine
internal import UsherScene
internal import UsherStore

extension Feature {
    /// Suggestions, contacts, reminders, media, `perform`.
    package static var suggestions: Feature {
        var feature = Feature(
            .suggestions,
            [
                ContactImport.self, ContactList.self, InteractionDonate.self, InteractionList.self,
                InteractionForget.self, NoteSignal.self, Remind.self, ReminderList.self, ReminderDelete.self,
                Suggest.self, Forget.self, PerformPlan.self, MediaList.self, DesktopServices.self, MediaPlay.self,
            ])
        feature.status = { [.interactionNoSuch, .reminderNoSuch].contains($0) ? 404 : nil }
        feature.open = { openings in
            openings.mapApps = { (place, configuration, now, state) throws(StoreError) in
                let since = SuggestionInput.earliest(configuration.suggestions, now: now)
                return configuration.mapApps(for: place, by: try state.interactions(since: since), now: now)
            }
            openings.suggestion = { SuggestionOffers.place(for: $0, $1, $2, logger: $3) }
        }
        feature.run = { host in
            let offers = SuggestionOffers(host.store, logger: host.logger) { host.engine.configuration }
            offers.observe(while: host.hasListeners, host.offer)
            let reminders = Reminders(host.engine, shows: host.awaitsAnswers)
            var run = FeatureRun()
            run.windows.tookFocus = { offers.tookFocus(session: $0, app: $1) }
            run.opened = { reminders.noteOpened($0) }
            run.contentsChanged = { reminders.look() }
            run.stop = { reminders.stop() }
            return run
        }
        return feature
    }
}
