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
  /// How many images the page has at most: 1 to ``QueueListRequest/longest``.
  public var limit: Int

  /// Asks for a page.
  public init(after: Int64, limit: Int) {
    self.after = after
    self.limit = limit
  }
}

extension ImageListRequest {
  enum CodingKeys: String, CodingKey { case after, limit }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      after: try container.decode(.after, else: 0), limit: try container.decode(.limit, else: QueueListRequest.longest))
  }
}
