import StoreTestSupport
import UsherActivities
import UsherNotes
import UsherStore
import UsherSuggestions

extension TemporaryDirectory {
    convenience init() { self.init(features: [.notes, .activities, .suggestions]) }
}
