import Dispatch
import EngineTestSupport
import TestSupport
import UsherActivation
import UsherScene
import UsherSystem

/// Windows of a desktop whose front the test takes away, and which note how far each was to come forward.
final class ContestedWindows: DerivedDryRun {
    let inner = DryRunWindowSystem()
    let prominences = Locked<[FocusPolicy.Prominence]>([])
    /// What each watch of the front ends with; once they are used up, nothing takes it.
    let losses = Locked<[FrontLoss]>([])
    /// Each watch waits for it, where it is set.
    let gate = Locked<DispatchSemaphore?>(nil)
    let isFullscreen = Locked(false)
    /// What a window that comes forward is seen as, and from the next loss on.
    let viewAfterLoss = Locked<WindowSighting.View?>(nil)
    let view = Locked(WindowSighting.View.shown)
    /// What is read back of a window that comes forward.
    let evidence = Locked<SeenEvidence?>(nil)

    private func inFront(_ sighting: WindowSighting, _ policy: FocusPolicy) -> WindowSighting {
        prominences.with { $0.append(policy.prominence) }
        var sighting = sighting
        sighting.view = view.with { $0 }
        sighting.evidence = evidence.with { $0 }
        if policy.prominence == .focus, let handle = sighting.handle {
            sighting.front = .init(handle: handle, server: sighting.server)
        }
        return sighting
    }

    func frontLoss(of handle: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss? {
        _ = gate.with { $0 }?.wait(timeout: .now() + 30)
        return losses.with { losses in
            guard !losses.isEmpty else { return nil }
            view.with { $0 = viewAfterLoss.with { $0 } ?? $0 }
            return losses.removeFirst()
        }
    }

    func isFrontFullscreen() throws(ActivationFailure) -> Bool? { isFullscreen.with { $0 } }

    func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        inFront(try inner.launch(launch), launch.focus.policy)
    }
    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        inFront(try inner.focus(request), request.policy)
    }
}
