import DriverContract
import HostPrimitives
import Logging
import MeterCore

/// The work of a controller. It does not know the controller, so that letting the controller go ends it.
actor OCRRun {
  private static let log = LogArea.ocr.logger

  nonisolated let previews = Broadcast<OCRPreview>(latest: nil)
  nonisolated let partials = Broadcast<OCRPartial>(latest: nil)

  let id: String
  let peripheral: OCRPeripheral
  let recogniser: any DisplayRecognizing
  let options: OCROptions
  let rules: ConvergenceRules
  let place: OverlayPlace
  private let source: any FrameSource
  private let clock: any HostClock

  var convergence: Convergence
  var vote: StillVote
  var framesLookedAt = 0
  /// The photograph that goes with the reading.
  var photograph: OCRSight?
  private(set) var damaged: [FrameSourceError] = []
  private var number = 0
  private var photographs = 0
  private var lastLook: UInt64?
  private var looking: Task<Void, Never>?
  private var watch: Task<Void, Never>?
  private var isClosed = false
  private let outcome = FirstOutcome<OCRResult>()

  init(
    id: String, peripheral: OCRPeripheral, recogniser: any DisplayRecognizing, source: any FrameSource,
    options: OCROptions, place: OverlayPlace, clock: any HostClock
  ) {
    self.id = id
    self.peripheral = peripheral
    self.recogniser = recogniser
    self.source = source
    self.options = options
    self.place = place
    self.clock = clock
    rules = options.rules ?? ConvergenceRules(for: peripheral.type)
    convergence = Convergence(rows: peripheral.layout.rows, rules: rules)
    vote = StillVote(rows: peripheral.layout.rows, rules: options.stillRules)
  }

  // MARK: - Result

  var result: OCRResult { get async { await outcome.value } }
  var ended: OCRResult? { outcome.settled }

  /// The first result holds.
  func finish(_ result: OCRResult) {
    guard ended == nil else { return }
    Self.log.debug("reading \(id) has ended: \(result.word), frames looked at: \(framesLookedAt)")
    watch?.cancel()
    partials.finish()
    outcome.settle(result)
  }

  func finish(without reason: NoValueReason) {
    finish(
      .noValue(
        OCRNoValue(
          reason: reason, unitToChoose: reason == .otherUnit ? peripheral.otherUnit(than: options.unit) : nil,
          framesLookedAt: framesLookedAt, damagedPictures: damaged.count)))
  }

  func close() async {
    finish(.cancelled)
    previews.finish()
    guard !isClosed else { return }
    isClosed = true
    await source.close()
  }

  // MARK: - Frames

  func go() async {
    Self.log.debug("reading \(id) begins: \(peripheral.name)")
    watchPatience()
    while !isClosed {
      do throws(FrameSourceError) {
        guard let frame = try await source.nextFrame() else { break }
        await take(frame.turned(options.turn))
      } catch {
        guard error.concernsOneImage, damaged.count < options.mostDamaged else {
          finish(error.code == .cameraDenied ? .denied(error) : .failed(.source(error)))
          break
        }
        damaged.append(error)
      }
    }
    await looking?.value
    await conclude()
    await close()
  }

  private func watchPatience() {
    guard ended == nil else { return }
    let (clock, patience) = (clock, options.patience)
    watch = Task { [weak self] in
      if await clock.elapsed(patience) { await self?.losePatience() }
    }
  }

  private func losePatience() async {
    // Photographs are counted one by one: those that were looked at in time are as good as if they had been all.
    if number == 0 || photograph != nil { return await conclude() }
    finish(without: convergence.reason)
  }

  private func take(_ frame: CapturedFrame) async {
    guard !isClosed else { return }
    number += 1
    let size = ViewSize(frame.image)
    place.configure(frame: size)
    let geometry = place.geometry(size)
    let overlay = frame.inPicture(geometry.overlayInFrame)
    previews.send(
      OCRPreview(
        picture: frame.picture, overlay: overlay, rows: peripheral.layout.rows.map { overlay.part($0.box) },
        number: number, moment: frame.moment))
    guard ended == nil else { return }
    let number = number
    if frame.isStill {
      photographs += 1
      guard photographs <= options.mostPhotographs else { return await conclude() }
      await lookAtPhotograph(frame, geometry, number)
    } else if lastLook.map({ frame.moment &- $0 >= options.lookInterval }) ?? true {
      // Pictures of a film wait to be looked at; those of a camera that come meanwhile are only shown.
      if frame.name != nil {
        lastLook = frame.moment
        await lookAtFrame(frame, geometry, number)
      } else if looking == nil {
        lastLook = frame.moment
        looking = Task {
          await self.lookAtFrame(frame, geometry, number)
          self.looking = nil
        }
      }
    }
  }

  /// The pictures have ended, or there are enough.
  private func conclude() async {
    guard ended == nil else { return }
    if let photograph {
      switch vote.outcome {
      case .agreed(let agreement): await complete(agreement, photograph)
      case .noValue(let reason): finish(without: reason)
      }
    } else if number == 0, let last = damaged.last {
      finish(.failed(.source(last)))
    } else {
      finish(without: convergence.reason)
    }
  }
}
