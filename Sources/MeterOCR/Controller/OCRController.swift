public import DriverContract
import Foundation
package import HostPrimitives
import Synchronization

/// Reads one reading off a display.
///
/// Recognition goes from ``start()`` to the one ``result``. The preview goes on behind the result until the controller is
/// closed or let go: then the camera is given back. For another reading make another controller.
public final class OCRController: Sendable {
  /// The reading's name, whatever comes of it.
  public let id: String
  /// The meter.
  public let peripheral: OCRPeripheral
  private let run: OCRRun
  private let place: OverlayPlace
  private let isStarted = Mutex(false)

  /// A controller at rest.
  ///
  /// - Parameters:
  ///   - peripheral: The meter.
  ///   - recogniser: Reads the frames. It stays the caller's: it is not closed here.
  ///   - source: The camera or the files. From now on it is the controller's, which closes it.
  public convenience init(
    peripheral: OCRPeripheral, recogniser: any DisplayRecognizing, source: any FrameSource,
    options: OCROptions = OCROptions()
  ) {
    self.init(peripheral: peripheral, recogniser: recogniser, source: source, options: options, clock: .system)
  }

  /// - Parameter clock: Counts the patience of `options`.
  package init(
    peripheral: OCRPeripheral, recogniser: any DisplayRecognizing, source: any FrameSource,
    options: OCROptions = OCROptions(), clock: any HostClock
  ) {
    id = UUID().uuidString.lowercased()
    self.peripheral = peripheral
    place = OverlayPlace(aspect: peripheral.layout.aspect, scaling: options.scaling)
    run = OCRRun(
      id: id, peripheral: peripheral, recogniser: recogniser, source: source, options: options, place: place,
      clock: clock)
  }

  deinit {
    let run = run
    Task.detached { await run.close() }
  }

  /// Begins to look. A second call does nothing.
  public func start() {
    let isFirst = isStarted.withLock { isStarted in
      defer { isStarted = true }
      return !isStarted
    }
    guard isFirst else { return }
    let run = run
    Task.detached { await run.go() }
  }

  /// How it ended; waits until it has. Starts the controller if nobody has.
  public var result: OCRResult {
    get async {
      start()
      return await run.result
    }
  }

  /// The pictures of the preview at the speed of the camera: the latest ones. Every call gives a sequence of its own, which
  /// ends when the controller is closed or the source has no more pictures.
  public func previews() -> AsyncStream<OCRPreview> { run.previews.listen() }

  /// What is read in single frames: the latest ones. Ends with the result.
  public func partials() -> AsyncStream<OCRPartial> { run.partials.listen() }

  /// Tells the size of the preview. Call it whenever the size changes, then ask for ``overlayFrame``.
  public func configure(forPreviewSize size: ViewSize) { place.configure(preview: size) }

  /// Where the overlay belongs in the preview; zero until the preview's size is known.
  public var overlayFrame: ImageBox { place.overlayFrame }

  /// Gives up. The result is `cancelled` unless there is one already, and the camera is given back.
  public func cancel() async { await run.close() }

  /// Gives the camera back and ends the preview.
  public func close() async { await run.close() }
}
