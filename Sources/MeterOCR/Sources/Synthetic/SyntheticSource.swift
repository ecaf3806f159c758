public import DriverContract
package import HostPrimitives

/// Frames of a synthetic meter, 30 a second.
public actor SyntheticSource: FrameSource {
  private let meter: SyntheticMeter
  private let options: FrameOptions
  private let isLive: Bool
  private let clock: any HostClock
  private var next = 0
  private var last: HostInstant?
  private var isClosed = false

  /// A source.
  ///
  /// - Parameters:
  ///   - isLive: As a camera: a frame comes when its time has come, the scenes begin again, and nobody gets a frame that is
  ///     late. Otherwise as a film: every frame, at once, until the scenes are over.
  public init(_ meter: SyntheticMeter, isLive: Bool = false, options: FrameOptions = FrameOptions()) {
    self.init(meter, isLive: isLive, options: options, clock: .system)
  }

  package init(
    _ meter: SyntheticMeter, isLive: Bool = false, options: FrameOptions = FrameOptions(), clock: any HostClock
  ) {
    self.meter = meter
    self.clock = clock
    self.isLive = isLive
    self.options = options
  }

  /// A meter that shows the texts of its rows all the time, or as a film for 240 frames: longer
  /// than any meter's value has to stand.
  public init(
    layout: DisplayLayout, texts: [String], glare: Double = 0, seed: UInt64 = 1, isLive: Bool = false,
    options: FrameOptions = FrameOptions()
  ) {
    let scene = SyntheticMeter.Scene(.texts(texts), frames: 240, glare: glare)
    self.init(SyntheticMeter(layout: layout, scenes: [scene], seed: seed), isLive: isLive, options: options)
  }

  /// The next frame; nil when the scenes are over, after `close`, or when the task is cancelled.
  public func nextFrame() async throws(FrameSourceError) -> CapturedFrame? {
    if isLive { await waitForTime() }
    guard !isClosed, !Task.isCancelled, isLive || next < meter.frameCount, let image = meter.frame(next) else {
      return nil
    }
    defer { next += 1 }
    let preview = DecodedImage(width: image.width, height: image.height, format: .grey, pixels: image.pixels)
    return CapturedFrame(
      image: image, preview: options.wantsPreview ? preview : nil, moment: UInt64(next) * FilmSource.interval,
      isStill: false, name: isLive ? nil : "synthetic meter")
  }

  /// No frame comes any more.
  public func close() { isClosed = true }

  /// Waits until the next frame is due, and passes over those that are late.
  private func waitForTime() async {
    let interval = Duration.nanoseconds(Int64(FilmSource.interval))
    let now = clock.now
    guard let before = last else {
      last = now
      return
    }
    let late = Int((now - before) / interval)
    if late > 1 { next += late - 1 }
    let due = before + interval * max(late, 1)
    last = due
    // A wait that is cancelled ends the source.
    try? await clock.sleep(until: due)
  }
}
