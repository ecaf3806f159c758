import CMeterDriver
import DriverContract

/// Serves a decoder of pictures in a worker.
final class ImageServer: ExtensionServer {
  // Ten times the CPU time of an event, and as much more of the clock's.
  static let kind = ExtensionKind(
    .image, longestQuestion: DecodedImage.mostEncoded + 4_096, longestAnswer: Int(MH_IMAGE_PIXELS_MAX) * 3 + 4_096,
    limits: { $0.forImages }, callCPU: { $0.imageCPUMilliseconds }, patience: 3)

  private let driver: String
  private let images: LocalImageCodec

  init(
    tables: any ExtensionTables, driver: String, opening: ExtensionPayload, limits: DriverLimits
  ) throws(DriverFault) {
    try opening.understood(Self.kind, driver) { _ throws(WireError) in }
    self.driver = driver
    images = try LocalImageCodec(tables: tables, driver: driver)
  }

  func answer(_ question: ExtensionPayload) throws(DriverFault) -> ExtensionPayload {
    let asked = try question.understood(Self.kind, driver) { reader throws(WireError) in
      try ImageQuestion(from: &reader)
    }
    switch asked {
    case .measure(let file): return ImageAnswer(picture: try images.rawSize(file)).payload
    case .decode(let request, let file):
      let (picture, pixels) = try images.rawPicture(file, request)
      return ImageAnswer(picture: picture, content: pixels).payload
    case .encode(let image, let quality):
      let (picture, file) = try images.rawFile(image, quality: quality)
      return ImageAnswer(picture: picture, content: file).payload
    }
  }
}
