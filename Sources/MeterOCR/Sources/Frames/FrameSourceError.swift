public import HostErrors

/// Why there is no frame.
public struct FrameSourceError: HostError, Hashable {
  /// What is wrong. The raw value is stable and stands in `--json` output.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no such camera, or none at all.
    case cameraNotFound = "camera_not_found"
    /// This account may not use the camera.
    case cameraDenied = "camera_denied"
    /// Another program uses the camera.
    case cameraBusy = "camera_busy"
    /// The file is no device, or a device that takes no pictures.
    case notACamera = "not_a_camera"
    /// The camera speaks none of the picture formats that are read here.
    case noUsableFormat = "camera_no_usable_format"
    /// The camera was unplugged while it was used.
    case cameraGone = "camera_gone"
    /// The camera gives no pictures, or only damaged ones.
    case cameraSilent = "camera_silent"
    /// The camera's driver refused what cameras have to do.
    case cameraFailed = "camera_failed"
    /// libv4l2 is not installed.
    case noCameraLibrary = "camera_no_library"
    /// There is no such file or folder.
    case notFound = "file_not_found"
    /// This account may not read it.
    case denied = "file_denied"
    /// A folder, a link, a pipe or a device where a picture's file belongs.
    case notARegularFile = "not_a_regular_file"
    /// The file could not be read.
    case unreadable = "file_unreadable"
    /// The file or its picture is above the limits.
    case imageTooLarge = "image_too_large"
    /// No kind of picture that is read here.
    case unsupportedImage = "image_unsupported"
    /// The file contradicts itself or ends early.
    case damagedImage = "image_damaged"
    /// The folder has no picture.
    case emptyDirectory = "directory_empty"
    /// The folder has more entries than are looked at.
    case directoryTooLarge = "directory_too_large"
    /// The film has no picture that can be read.
    case damagedFilm = "film_damaged"
    /// The bundle that decodes pictures failed.
    case decoderFailed = "image_decoder_failed"
  }

  /// What is wrong, for programs.
  public let code: Code
  /// The device or file.
  public let path: String
  /// What happened and what to do, for people.
  public let message: String
  /// The system's or the decoder's own words, when there are some.
  public let cause: String?

  /// Makes an error.
  public init(_ code: Code, path: String, message: String, cause: String? = nil) {
    (self.code, self.path, self.message, self.cause) = (code, path, message, cause)
  }

  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .notFound, .denied, .notARegularFile, .imageTooLarge, .unsupportedImage, .damagedImage, .emptyDirectory,
      .directoryTooLarge, .damagedFilm, .notACamera:
      .usage
    case .cameraBusy, .cameraSilent: .temporary
    case .cameraNotFound, .cameraDenied, .noUsableFormat, .noCameraLibrary: .unavailable
    case .cameraGone, .cameraFailed, .unreadable, .decoderFailed: .failed
    }
  }

  /// One line for people.
  public var fullMessage: String { fullMessage(at: path, cause: cause) }

  /// Whether the next frame may be there although this one is not: one picture of several is damaged.
  public var concernsOneImage: Bool {
    switch code {
    case .notFound, .denied, .notARegularFile, .unreadable, .imageTooLarge, .unsupportedImage, .damagedImage: true
    default: false
    }
  }
}
