import StoreTestSupport
import UsherStore

@testable import UsherActivities

extension TemporaryDirectory {
    convenience init() { self.init(features: [.activities]) }
}
