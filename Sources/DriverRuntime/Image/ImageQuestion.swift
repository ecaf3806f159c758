import DriverContract

/// What the host asks a decoder of pictures.
enum ImageQuestion: Sendable {
  /// What the head of a file says.
  case measure([UInt8])
  /// Decodes a file.
  case decode(ImageRequest, [UInt8])
  /// Encodes a picture.
  case encode(DecodedImage, quality: UInt32)

  var payload: ExtensionPayload {
    var writer = WireWriter()
    switch self {
    case .measure(let file):
      writer.put(UInt8(1))
      return ExtensionPayload(writer, bulk: file)
    case .decode(let request, let file):
      writer.put(UInt8(2))
      request.encode(to: &writer)
      return ExtensionPayload(writer, bulk: file)
    case .encode(let image, let quality):
      writer.put(UInt8(3))
      writer.put(quality)
      image.encodeHead(to: &writer)
      return ExtensionPayload(writer, bulk: image.pixels)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    switch try reader.number(UInt8.self) {
    case 1: self = .measure(try reader.content())
    case 2: self = .decode(try ImageRequest(from: &reader), try reader.content())
    case 3:
      let quality = try reader.number(UInt32.self)
      self = .encode(try DecodedImage(from: &reader), quality: quality)
    default: throw WireError(message: "a question about a picture is unknown")
    }
  }
}

/// What came of a picture: pixels when it was decoded, a file when it was encoded, nothing when it was measured.
struct ImageAnswer: Sendable {
  var picture: RawPicture
  var content: [UInt8] = []

  var payload: ExtensionPayload {
    var writer = WireWriter()
    picture.encode(to: &writer)
    return ExtensionPayload(writer, bulk: content)
  }

  init(picture: RawPicture, content: [UInt8] = []) {
    self.picture = picture
    self.content = content
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(picture: try RawPicture(from: &reader), content: try reader.content())
  }
}
