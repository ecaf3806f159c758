import NIOCore

/// A stream of pictures of which each replaces the one before (`multipart/x-mixed-replace`).
///
/// A browser shows a picture when it sees the beginning of the next part, so each picture is followed by one at once.
enum PictureStream {
  static let mediaType = "multipart/x-mixed-replace; boundary=picture"
  private static let opening = "--picture\r\nContent-Type: image/jpeg\r\n\r\n"
  static let beginning = ByteBuffer(string: opening)
  static let end = ByteBuffer(string: "\r\n--picture--\r\n")

  static func part(_ picture: PreviewPicture) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(picture.jpeg.count + opening.utf8.count + 2)
    buffer.writeBytes(picture.jpeg)
    buffer.writeString("\r\n" + opening)
    return buffer
  }
}

/// Server-sent events (HTML Living Standard, section 9.2).
enum EventLines {
  static let mediaType = "text/event-stream"

  /// One event; its JSON has no line breaks.
  static func event(_ event: PageEvent) -> ByteBuffer {
    ByteBuffer(string: "event: \(event.name)\ndata: \(event.json)\n\n")
  }
}
