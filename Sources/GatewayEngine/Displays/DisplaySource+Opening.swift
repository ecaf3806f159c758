import GatewayAPI
import DriverContract
import MeterDrivers
import MeterOCR

extension DisplaySource {
  /// Opens it for a meter.
  ///
  /// - Parameter isLive: A drawn meter is one before a camera: it goes on, at a camera's speed.
  func open(_ peripheral: OCRPeripheral, decoder: ImageCodec, isLive: Bool) throws(GatewayError) -> any FrameSource {
    let options = FrameOptions(wantsPreview: true)
    switch self {
    case .camera(let device): return CameraSource(device: device, decoder: decoder, options: options)
    case .pictures(let files): return ImageFileSource(files: files, decoder: decoder, options: options)
    case .folder(let path): return ImageFileSource(directory: path, decoder: decoder, options: options)
    case .film(let path): return FilmSource(file: path, decoder: decoder, options: options)
    case .demo(let texts):
      guard texts.count == peripheral.layout.rows.count else {
        throw GatewayError(
          .usage, code: "demo_texts",
          "the display of \(peripheral.name) has \(peripheral.layout.rows.count) rows, not \(texts.count)",
          hint: "give a text for each row with \\n between them; an empty one leaves its row dark")
      }
      return SyntheticSource(layout: peripheral.layout, texts: texts, isLive: isLive, options: options)
    }
  }
}
