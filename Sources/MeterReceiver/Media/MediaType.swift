/// The kinds of image that the receiver takes, known by their first bytes and not by what a client says.
enum MediaType: String, Sendable, CaseIterable {
  case jpeg = "image/jpeg"
  case png = "image/png"

  /// The kind of an image, or nil if the bytes begin like none.
  init?(_ bytes: [UInt8]) {
    if bytes.starts(with: Self.jpegStart) && bytes.count > Self.jpegStart.count {
      self = .jpeg
    } else if bytes.starts(with: Self.pngStart) && bytes.count > Self.pngStart.count {
      self = .png
    } else {
      return nil
    }
  }

  /// Start of image, and the first byte of the next marker (ITU-T T.81, B.1.1.2).
  private static let jpegStart: [UInt8] = [0xFF, 0xD8, 0xFF]
  /// The signature, and length and name of the chunk that is always the first, IHDR (ISO/IEC 15948, 5.2 and 11.2.2).
  private static let pngStart: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
}
