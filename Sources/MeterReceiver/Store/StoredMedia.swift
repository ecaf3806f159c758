/// An image that belongs to a stored record, without its bytes.
public struct StoredMedia: Sendable, Equatable {
  /// The receiver's id of the image.
  public let id: String
  /// `image/jpeg` or `image/png`.
  public let contentType: String
  /// Bytes of the image.
  public let size: Int
  /// SHA-256 of the image in hexadecimal.
  public let checksum: String
  /// When the image arrived first: RFC 3339, UTC.
  public let createdAt: String
}

/// What became of an image.
enum MediaOutcome: Sendable, Equatable {
  case created(StoredMedia)
  /// The record has the same image already: a retry.
  case unchanged(StoredMedia)
  /// The user has no such record.
  case noRecord
  /// The record has as many images as it may.
  case tooMany
}
