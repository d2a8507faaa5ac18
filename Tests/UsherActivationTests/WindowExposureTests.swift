import Testing
import UsherActivation

@Suite("How much of a window is seen")
struct WindowExposureTests {
    private static let screen = ScreenRectangle(left: 0, top: 0, width: 100, height: 100)

    private static func rectangle(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> ScreenRectangle {
        ScreenRectangle(left: left, top: top, width: width, height: height)
    }

    @Test(
        "of a window on one screen",
        arguments: [
            ("alone", rectangle(0, 0, 10, 10), [], 0, 0),
            ("a quarter outside", rectangle(-5, -5, 10, 10), [], 0.75, 0),
            ("half outside", rectangle(95, 0, 10, 10), [], 0.5, 0),
            ("outside", rectangle(100, 0, 10, 10), [], 1, 0),
            ("half covered", rectangle(0, 0, 10, 10), [rectangle(5, 0, 50, 50)], 0, 0.5),
            ("covered by two", rectangle(0, 0, 10, 10), [rectangle(0, 0, 6, 10), rectangle(4, 0, 6, 10)], 0, 1),
            ("covered in its middle", rectangle(0, 0, 10, 10), [rectangle(4, 4, 2, 2)], 0, 0.04),
            (
                "covered twice at one place", rectangle(0, 0, 10, 10), [rectangle(0, 0, 2, 5), rectangle(0, 0, 2, 5)],
                0, 0.1
            ),
            ("covered where it is not shown", rectangle(-5, 0, 10, 10), [rectangle(-5, 0, 5, 10)], 0.5, 0),
            ("touched", rectangle(0, 0, 10, 10), [rectangle(10, 0, 10, 10)], 0, 0),
        ] as [(String, ScreenRectangle, [ScreenRectangle], Double, Double)])
    func parts(id: String, window: ScreenRectangle, above: [ScreenRectangle], offScreen: Double, covered: Double) {
        let exposure = WindowExposure(of: window, on: [Self.screen], under: above)
        #expect(exposure.offScreen == offScreen)
        #expect(exposure.covered.map { abs($0 - covered) < 1e-9 } == true)
    }

    @Test("screens may overlap, and leave gaps")
    func screens() {
        let screens = [Self.rectangle(0, 0, 60, 100), Self.rectangle(50, 0, 50, 100), Self.rectangle(110, 0, 10, 10)]
        #expect(WindowExposure(of: Self.rectangle(40, 0, 30, 10), on: screens, under: []).offScreen == 0)
        #expect(WindowExposure(of: Self.rectangle(95, 0, 20, 10), on: screens, under: []).offScreen == 0.5)
    }

    @Test(
        "the limits are those of the contract",
        arguments: [
            (0.5, 0.0, false, false), (0.51, 0.0, true, false), (0.0, 0.49, false, false), (0.0, 0.5, false, true),
        ])
    func limits(offScreen: Double, covered: Double, isOffScreen: Bool, isCovered: Bool) {
        let exposure = WindowExposure(offScreen: offScreen, covered: covered)
        #expect(exposure.isOffScreen == isOffScreen)
        #expect(exposure.isCovered == isCovered)
    }

    @Test("a shape of very many parts is not known, and soon given up")
    func manyParts() {
        // A grid of holes: each leaves more parts for the next.
        let grid = (0..<40_000).map { Self.rectangle($0 % 200 * 2, $0 / 200 * 2, 1, 1) }
        let exposure = WindowExposure(
            of: Self.rectangle(0, 0, 400, 400), on: [Self.rectangle(0, 0, 400, 400)], under: grid)
        #expect(exposure.offScreen == 0)
        #expect(exposure.covered == nil)
    }

    @Test("what is not known spoils nothing")
    func unknown() {
        let exposure = WindowExposure(of: Self.rectangle(0, 0, 10, 10), on: [Self.screen], under: nil)
        #expect(exposure.covered == nil)
        #expect(!exposure.isCovered)
    }
}
