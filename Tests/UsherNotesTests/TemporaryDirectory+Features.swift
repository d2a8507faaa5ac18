import StoreTestSupport
import UsherActivities
import UsherNotes
import UsherStore

extension TemporaryDirectory {
    /// With activities, of which older files have tables, too.
    convenience init() { self.init(features: [.notes, .activities]) }
}
