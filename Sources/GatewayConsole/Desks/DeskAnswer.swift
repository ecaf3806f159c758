import GatewayAPI

/// What a request comes to.
enum DeskAnswer: Sendable {
  case page(any ConsolePage)
  /// The same with another status, such as 409.
  case refused(any ConsolePage, status: Int)
  case redirect(String)
  /// Something to keep in a file of this name.
  case download(name: String, mediaType: String, bytes: [UInt8])
  /// A picture of the catalogue, which may be somebody else's drawing.
  case drawing(CataloguePicture)
  /// Something to show as it is.
  case picture(mediaType: String, bytes: [UInt8])
}

/// Why there is no such page.
struct NoSuchPage: Error {}

extension GatewayError {
  /// An error of any kind in words; what is none of the host's is told without its own, which may quote anything.
  static func told(_ error: any Error) -> GatewayError {
    GatewayError(describing: error)
      ?? GatewayError(.failed, code: "failed", "this did not work", hint: "try again; the log of the host says more")
  }
}
