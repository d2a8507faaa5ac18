/// How much of a window the user can see.
public struct WindowExposure: Sendable, Hashable {
    /// The part of the window that is on no screen, from 0 to 1; nil where that is not known.
    public var offScreen: Double?
    /// The part of the rest that other windows cover; nil where that is not known.
    public var covered: Double?

    /// - Parameters: what a compositor has reported: corner, width and height of each.
    package init(of window: [Int], on screens: [[Int]], under above: [[Int]]) {
        func rectangle(_ numbers: [Int]) -> ScreenRectangle? {
            guard numbers.count == 4, numbers.allSatisfy({ abs($0) < 1 << 30 }) else { return nil }
            return ScreenRectangle(left: numbers[0], top: numbers[1], width: numbers[2], height: numbers[3])
        }
        guard let window = rectangle(window) else {
            self.init()
            return
        }
        self.init(of: window, on: screens.compactMap(rectangle), under: above.compactMap(rectangle))
    }

    public init(offScreen: Double? = nil, covered: Double? = nil) {
        (self.offScreen, self.covered) = (offScreen, covered)
    }

    /// - Parameters:
    ///   - window: the window without its frame.
    ///   - screens: the outputs; they may overlap.
    ///   - above: what lies over the window; nil where that is not known.
    /// - Complexity: that of `ScreenRegion`; parts beyond its limit leave `covered` unknown.
    public init(of window: ScreenRectangle, on screens: [ScreenRectangle], under above: [ScreenRectangle]?) {
        self.init()
        guard window.area > 0 else { return }
        var outside = ScreenRegion(window)
        for screen in screens where !outside.subtract(screen) { return }
        offScreen = Double(outside.area) / Double(window.area)
        var shown = ScreenRegion(window)
        for part in outside.parts where !shown.subtract(part) { return }
        guard let above else { return }
        let whole = shown.area
        guard whole > 0 else {
            covered = 0
            return
        }
        for part in above where !shown.subtract(part) { return }
        covered = 1 - Double(shown.area) / Double(whole)
    }

    /// More than half of it is on no screen.
    public var isOffScreen: Bool { (offScreen ?? 0) > 0.5 }
    /// Half of what is on a screen, or more, is covered.
    public var isCovered: Bool { (covered ?? 0) >= 0.5 }
}

/// A part of the desktop, in pixels; `right` and `bottom` are the first that do not belong to it.
public struct ScreenRectangle: Sendable, Hashable {
    public var left, top, right, bottom: Int

    public init(left: Int, top: Int, width: Int, height: Int) {
        (self.left, self.top, right, bottom) = (left, top, left + max(width, 0), top + max(height, 0))
    }

    fileprivate init(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    public var area: Int { (right - left) * (bottom - top) }

    public func overlaps(_ other: ScreenRectangle) -> Bool {
        left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }

    /// What is left of it without another one: above, below, to the left and to the right of that.
    fileprivate func parts(without other: ScreenRectangle) -> [ScreenRectangle] {
        guard overlaps(other) else { return [self] }
        let (from, to) = (max(top, other.top), min(bottom, other.bottom))
        return [
            ScreenRectangle(left, top, right, from), ScreenRectangle(left, to, right, bottom),
            ScreenRectangle(left, from, other.left, to), ScreenRectangle(other.right, from, right, to),
        ].filter { $0.left < $0.right && $0.top < $0.bottom }
    }
}

/// A part of the desktop of any shape.
struct ScreenRegion {
    /// They do not overlap.
    private(set) var parts: [ScreenRectangle]
    /// Shapes come from other programs: more parts and steps are not looked at.
    private static let mostSteps = 1 << 18
    private var steps = 0

    init(_ rectangle: ScreenRectangle) { parts = [rectangle] }

    var area: Int { parts.reduce(0) { $0 + $1.area } }

    /// False where that takes too many steps: then the region is not to be used.
    mutating func subtract(_ rectangle: ScreenRectangle) -> Bool {
        steps += parts.count
        guard steps <= Self.mostSteps else { return false }
        if parts.contains(where: { $0.overlaps(rectangle) }) { parts = parts.flatMap { $0.parts(without: rectangle) } }
        return true
    }
}
