import DriverContract
import MeterOCR
import Synchronization

/// A reading of a display before a camera.
final class CameraReading: DeskReading {
  let previews: AsyncStream<PreviewPicture>
  let partials: AsyncStream<PartialReading>

  /// Nobody sees the difference to a better one in a preview.
  private static let previewQuality = 70
  private static let cropQuality = 90
  /// In nanoseconds of the camera's clock: each picture that is shown costs a look at all of its pixels.
  private static let previewInterval: UInt64 = 50_000_000

  private let display: any OpenDisplay
  private let controller: OCRController
  private let completed: CompletedBox
  private let ended: Task<ReadingOutcome, Never>

  /// Begins to read.
  init(_ display: any OpenDisplay, _ controller: OCRController) {
    self.display = display
    self.controller = controller
    let size = PreviewSize()
    previews = Self.previews(of: controller, display, size)
    partials = Self.partials(of: controller, display.peripheral, size)
    let completed = CompletedBox()
    self.completed = completed
    ended = Task { await Self.end(of: controller, display, completed) }
  }

  func outcome() async -> ReadingOutcome { await ended.value }

  func cancel() async {
    await controller.cancel()
    _ = await ended.value
  }

  func close() async {
    await cancel()
    await display.close()
  }

  // MARK: While it reads

  private static func previews(
    of controller: OCRController, _ display: any OpenDisplay, _ size: PreviewSize
  ) -> AsyncStream<PreviewPicture> {
    let pictures = controller.previews()
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let work = Task {
        var last: UInt64?
        for await preview in pictures {
          // The page shows a picture in its own size, so the overlay's place in the picture is its place in the preview.
          let now = ViewSize(width: Double(preview.picture.width), height: Double(preview.picture.height))
          if size.change(to: now) { controller.configure(forPreviewSize: now) }
          if let last, preview.moment >= last, preview.moment - last < previewInterval { continue }
          last = preview.moment
          guard let jpeg = await display.jpeg(preview.picture, quality: previewQuality) else { continue }
          continuation.yield(PreviewPicture(jpeg: jpeg))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }

  private static func partials(
    of controller: OCRController, _ peripheral: OCRPeripheral, _ size: PreviewSize
  ) -> AsyncStream<PartialReading> {
    let partials = controller.partials()
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let work = Task {
        for await partial in partials { continuation.yield(PartialReading(partial, peripheral, preview: size.value)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }

  // MARK: When it has ended

  private static func end(
    of controller: OCRController, _ display: any OpenDisplay, _ completed: CompletedBox
  ) async -> ReadingOutcome {
    let result = await controller.result
    // The preview would go on, and with it the camera.
    await controller.close()
    guard case .completed(let reading) = result else {
      await display.close()
      return ReadingOutcome(withoutReading: result)
    }
    guard let crop = await display.jpeg(reading.crop, quality: cropQuality) else {
      await display.close()
      return .failed(
        DeskError(
          .failed, code: "picture_failed", message: "The picture of the display could not be made. Read it again."))
    }
    completed.set(reading, crop)
    return .completed(FinishedReading(reading, display.peripheral, crop: crop))
  }

  func check(_ texts: [String]) async -> RowCheck {
    guard let (reading, _) = completed.value else { return .problems([Self.over]) }
    do throws(OCRCorrectionError) {
      let corrected = try await display.corrected(reading, texts)
      return .values(corrected.values)
    } catch {
      return .problems([RowProblem(row: error.row, message: sentence(error.message))])
    }
  }

  /// A reading that a person submits is one that they have compared with the picture.
  func submit(_ texts: [String]) async throws(DeskError) -> String {
    guard let (reading, crop) = completed.value else {
      throw DeskError(.failed, code: "gone", message: Self.over.message)
    }
    let confirmed: OCRReading
    do throws(OCRCorrectionError) {
      confirmed = try await display.corrected(reading, texts).confirmed()
    } catch {
      throw DeskError(.failed, code: error.code.rawValue, message: sentence(error.message), cause: error)
    }
    return try await display.submit(confirmed, picture: crop)
  }

  private static let over = RowProblem(row: nil, message: "This reading is no longer there. Start another one.")
}

/// The size of the preview that was shown last.
private final class PreviewSize: Sendable {
  private let size = Mutex<ViewSize?>(nil)

  var value: ViewSize? { size.withLock { $0 } }

  /// Whether it is another one than before.
  func change(to size: ViewSize) -> Bool {
    self.size.withLock { old in
      defer { old = size }
      return old != size
    }
  }
}

/// The reading, when there is one.
private final class CompletedBox: Sendable {
  private let content = Mutex<(OCRReading, [UInt8])?>(nil)

  var value: (OCRReading, [UInt8])? { content.withLock { $0 } }

  func set(_ reading: OCRReading, _ crop: [UInt8]) { content.withLock { $0 = (reading, crop) } }
}
