// Reads a display with a view of one's own: what docs/embed-the-library.md explains. This view has no window: the preview goes
// into preview.jpg, which any viewer shows that follows a file, and the rest to the terminal.
// Usage: example-custom-view INSTALLATION STATE METER[:UNIT] [DEVICE | TEXT/TEXT...]
import DriverContract
import ExampleDisplays
import Foundation
import MeterCore
import MeterDrivers
import MeterOCR

@main
struct CustomView {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let choice: [String] = arguments.count > 3 ? arguments[3].split(separator: ":", maxSplits: 1).map(String.init) : []
    guard (4...5).contains(arguments.count), let id = choice.first.flatMap({ UInt32($0) }) else {
      return print("usage: example-custom-view INSTALLATION STATE METER[:UNIT] [DEVICE | TEXT/TEXT...]")
    }
    let meter = try await DisplayMeter.open(
      id, unit: choice.count > 1 ? choice[1] : nil, pictures: Pictures(arguments.count > 4 ? arguments[4] : nil),
      in: Installation(folder: arguments[1], state: arguments[2]))
    do {
      try await read(meter)
    } catch {
      await meter.close()
      throw error
    }
    await meter.close()
  }

  private static func read(_ meter: DisplayMeter) async throws {
    print(meter.peripheral.instructions)
    guard let reading = try await look(meter), let confirmed = await confirm(reading, meter) else {
      return print("Nothing was submitted.")
    }
    let picture = try await meter.codec.encodeJPEG(confirmed.crop, quality: 90)
    print(try await meter.submit(confirmed, picture: picture))
  }

  // MARK: - Looking

  /// One controller is one reading; nil: there is no value.
  private static func look(_ meter: DisplayMeter) async throws -> OCRReading? {
    let controller = try meter.controller()
    // The size of the view: again whenever that changes.
    controller.configure(forPreviewSize: ViewSize(width: 800, height: 600))
    let (previews, partials) = (controller.previews(), controller.partials())
    let showing = Task { await show(previews, of: controller, meter.codec) }
    controller.start()
    for await partial in partials { show(partial) }
    let result = await controller.result
    // The preview would go on behind the result, and with it the camera.
    await controller.close()
    await showing.value
    switch result {
    case .completed(let reading): return reading
    case .cancelled: return nil
    case .denied(let error): throw error
    case .failed(let failure): throw failure
    case .noValue(let none):
      print(none.message)
      return nil
    }
  }

  /// Says where a window would draw the overlay, and writes one picture a second with it.
  private static func show(
    _ previews: AsyncStream<OCRPreview>, of controller: OCRController, _ codec: ImageCodec
  ) async {
    var place = ImageBox.zero
    var next: UInt64 = 0
    for await preview in previews {
      if controller.overlayFrame != place {
        place = controller.overlayFrame
        print("overlay: \(place.width) x \(place.height) at \(place.x), \(place.y)")
      }
      guard preview.moment >= next else { continue }
      next = preview.moment + 1_000_000_000
      guard let picture = try? await codec.encodeJPEG(preview.composed(), quality: 70) else { continue }
      try? Data(picture).write(to: URL(fileURLWithPath: "preview.jpg"), options: .atomic)
    }
  }

  /// What one frame shows is no reading: it tells a person what is still missing.
  private static func show(_ partial: OCRPartial) {
    let texts = partial.text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "-" : String($0) }
    var line = "\(texts.joined(separator: " / "))  (\(partial.progress.agreeing) of \(partial.progress.needed))"
    if !partial.glareAreas.isEmpty { line += "  reflections: \(partial.glareAreas.count)" }
    if partial.advice != .none { line += "  advice: \(partial.advice)" }
    if let unit = partial.unitToChoose { line += "  choose \(unit.ucum)" }
    print(line)
  }

  // MARK: - Confirming

  /// The reading that a person has compared with the display, corrected where they say so; nil when they refuse it.
  private static func confirm(_ first: OCRReading, _ meter: DisplayMeter) async -> OCRReading? {
    var reading = first
    while true {
      for row in reading.rows { print("\(row.role): \(row.text)") }
      print("Enter: it is what the display shows. Other texts: with / between the rows. n: submit nothing.")
      guard let line = readLine(), line != "n" else { return nil }
      guard !line.isEmpty else { return reading.confirmed() }
      let texts = line.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      do throws(OCRCorrectionError) {
        // The driver judges them as it judges what was read.
        reading = try await reading.corrected(texts, layout: meter.peripheral.layout, by: meter.reader)
      } catch { print(error.message) }
    }
  }
}
