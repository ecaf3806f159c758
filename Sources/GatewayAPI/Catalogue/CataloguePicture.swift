/// A picture of a meter, read and checked: what a page of the host shows.
///
/// A drawing may come from a driver's package. It is served with its media type, `nosniff` and ``contentSecurityPolicy``, and
/// shown in an `img` element, never put into a page.
public struct CataloguePicture: Sendable, Hashable {
  /// What a browser is told beside the bytes: it runs nothing of them and fetches nothing for them.
  public static let contentSecurityPolicy = "default-src 'none'; sandbox"

  /// `image/svg+xml`, `image/png` or `image/jpeg`.
  public let mediaType: String
  /// The file's bytes.
  public let bytes: [UInt8]

  package init(mediaType: String, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
  }
}
