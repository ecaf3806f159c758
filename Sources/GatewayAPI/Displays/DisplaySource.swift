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
}
