import DriverContract
import Synchronization

/// Where the overlay lies now: in the preview, whose size a view tells, and in the frame, whose size the source tells.
final class OverlayPlace: Sendable {
  private struct State {
    var preview: ViewSize?
    var frame: ViewSize?
  }

  private let aspect: Double
  private let scaling: OverlayGeometry.Scaling
  private let state = Mutex(State())

  init(aspect: Double, scaling: OverlayGeometry.Scaling) {
    self.aspect = aspect
    self.scaling = scaling
  }

  func configure(preview: ViewSize) { state.withLock { $0.preview = preview } }

  func configure(frame: ViewSize) { state.withLock { $0.frame = frame } }

  /// The overlay in the preview; zero until there is a preview.
  var overlayFrame: ImageBox { view?.overlayFrame ?? .zero }

  /// The geometry of the preview; nil until there is one that can be seen.
  var view: OverlayGeometry? {
    let state = state.withLock { $0 }
    guard let preview = state.preview else { return nil }
    let geometry = OverlayGeometry(aspect: aspect, preview: preview, frame: state.frame, scaling: scaling)
    return geometry.overlayFrame == .zero ? nil : geometry
  }

  /// The geometry by which a frame is read: the person's, or without a preview the frame's own.
  func geometry(_ frame: ViewSize) -> OverlayGeometry {
    let preview = state.withLock { $0.preview }
    if let preview {
      let geometry = OverlayGeometry(aspect: aspect, preview: preview, frame: frame, scaling: scaling)
      if geometry.overlayFrame != .zero { return geometry }
    }
    return OverlayGeometry(aspect: aspect, frame: frame)
  }
}
