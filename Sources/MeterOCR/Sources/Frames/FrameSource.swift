public import DriverContract

/// One picture from a camera, a file or a film.
public struct CapturedFrame: Sendable {
  /// What is read: grey and upright.
  public var image: GreyImage
  /// The same picture for people, upright; only when it was asked for (`FrameOptions`).
  public var preview: DecodedImage?
  /// When it was taken: nanoseconds of a clock that only goes forward. A film counts from its beginning.
  public var moment: UInt64
  /// It stands alone: a photograph, no frame of a moving picture.
  public var isStill: Bool
  /// Its file, when it comes from one.
  public var name: String?
  /// By how much a picture from a file was divided because it was larger than what is read.
  public var divisor: Int

  /// A frame.
  public init(
    image: GreyImage, preview: DecodedImage? = nil, moment: UInt64, isStill: Bool, name: String? = nil, divisor: Int = 1
  ) {
    self.image = image
    self.preview = preview
    self.moment = moment
    self.isStill = isStill
    self.name = name
    self.divisor = divisor
  }
}

/// Where frames come from. One task asks at a time.
public protocol FrameSource: Sendable {
  /// The next picture; nil at the end. After an error that concerns one image (`concernsOneImage`) the next one may be
  /// asked for; every other error is the end.
  func nextFrame() async throws(FrameSourceError) -> CapturedFrame?
  /// Gives the camera or file back. Who waits for a frame gets nil.
  func close() async
}

/// What a source does beside giving frames.
public struct FrameOptions: Sendable, Hashable {
  /// Each frame has a picture for people, in colour when the source has colours.
  public var wantsPreview: Bool

  /// Options; frames have no preview by default.
  public init(wantsPreview: Bool = false) { self.wantsPreview = wantsPreview }
}
