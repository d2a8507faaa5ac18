import Testing
import UsherConfiguration
import UsherScene

@testable import UsherEngine
@testable import UsherStore

/// How much is kept, by `usher.toml`.
struct RetentionTests {
    @Test func eventsOfSuggestionsAreKeptAsLongAsTheyCount() {
        var settings = Settings()
        settings.suggestions.keepDays = 90
        #expect(Store.Retention(settings).historyDays == 90)
    }
}
