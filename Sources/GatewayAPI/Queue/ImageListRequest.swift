/// A page of the images that are not delivered.
public struct ImageListRequest: ControlRequest {
  /// The images, oldest first.
  public typealias Answer = [ImageItem]

  /// Its name on the socket.
  public static let name = "image.list"
  /// It changes nothing.
  public static let onlyLooks = true
  /// Only images behind this position.
  public var after: Int64
  /// The most images.
  public var limit: Int

  /// Asks for a page.
  public init(after: Int64, limit: Int) {
    self.after = after
    self.limit = limit
  }
}
