import GatewayAPI
import DriverContract
import MeterDrivers
import MeterOCR

/// Where the pictures of a display come from.
public enum DisplaySource: Sendable, Hashable {
  /// A camera by its device file; nil: the first one that may be used.
  case camera(String?)
  /// Photographs, in this order.
  case pictures([String])
  /// The photographs of a folder.
  case folder(String)
  /// A film of JPEG pictures.
  case film(String)
  /// A drawn meter whose rows show these texts.
  case demo([String])

  /// Whether its pictures come as long as somebody looks.
  public var isLive: Bool { if case .camera = self { true } else { false } }

  /// Whether its pictures were taken before they are read, nobody here knows when.
  public var isRecorded: Bool {
    switch self {
    case .pictures, .folder, .film: true
    case .camera, .demo: false
    }
  }

  /// Whether a meter is only drawn, and nothing was measured.
  public var isDrawn: Bool { if case .demo = self { true } else { false } }

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
