/// A picture of a meter as a file beside the registry or in a driver's package.
///
/// ```swift
/// if let picture = registry.peripheral(id: 1000)?.picture {
///   let bytes = try picture.content()   // checked: no script, nothing from elsewhere
///   serve(bytes, as: picture.mediaType.rawValue)
/// }
/// ```
///
/// Serve a drawing as ``MediaType/svg`` with `X-Content-Type-Options: nosniff` and `Content-Security-Policy: default-src 'none';
/// sandbox`, and show it in an `img` element: a browser then runs nothing of it, even if the check has overlooked something.
public struct PeripheralPicture: Sendable, Hashable {
  /// What the file is; the raw value is its media type.
  public enum MediaType: String, Sendable, Hashable, CaseIterable {
    /// A drawing, held against ``PeripheralPicture/content()``'s list of what one may have.
    case svg = "image/svg+xml"
    /// A picture of pixels.
    case png = "image/png"
    /// A photograph.
    case jpeg = "image/jpeg"

    /// By the end of a file's name; nil when it is none of a picture.
    init?(file: String) {
      let end = file.utf8.lastIndex(of: 0x2e).map { String(file[$0...]).lowercased() }
      switch end {
      case ".svg": self = .svg
      case ".png": self = .png
      case ".jpg", ".jpeg": self = .jpeg
      default: return nil
      }
    }

    /// Most bytes of a picture: it goes to a page that shows many.
    package var sizeLimit: Int { self == .svg ? 64 << 10 : 512 << 10 }
  }

  /// What the file is, by its name.
  public let mediaType: MediaType
  /// The file as the registry names it, below ``folder``.
  let file: String
  /// The folder of the registry's file that names it.
  let folder: String

  /// The file's path; whether it is there, and is a picture that may be shown, ``content()`` says.
  public var path: String { "\(folder)/\(file)" }

  init?(file: String, in folder: String) {
    guard let mediaType = MediaType(file: file) else { return nil }
    self.mediaType = mediaType
    self.file = file
    self.folder = folder
  }

  /// The picture's bytes, read and checked now.
  ///
  /// - Throws: ``RegistryError`` that names the file: it is not there, leaves the folder by a symbolic link, is too large, or
  ///   is not what its name says. Of an SVG document the line that has something that none may have is named.
  public func content() throws(RegistryError) -> [UInt8] {
    guard let root = RegistryFile.resolved(folder), let resolved = RegistryFile.resolved(path) else {
      throw refusal(.unreadableFile, "the picture is not there", "put it there, or take image_url out of the entry")
    }
    guard resolved.hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
      throw refusal(
        .escapingPath, "a symbolic link leads the picture out of \(root)",
        "put the file itself below the registry's folder")
    }
    let bytes = try RegistryFile.read(resolved, limit: mediaType.sizeLimit, what: "a picture")
    if let fault = mediaType.fault(in: bytes) {
      throw RegistryError(
        code: .invalidValue, file: path, path: "$",
        position: fault.line.map { RegistryPosition(line: $0, column: 1) }, problem: fault.problem, cure: fault.cure)
    }
    return bytes
  }

  private func refusal(_ code: RegistryError.Code, _ problem: String, _ cure: String) -> RegistryError {
    RegistryError(code: code, file: path, path: "$", position: nil, problem: problem, cure: cure)
  }
}

extension Peripheral {
  /// The picture that ``imageURL`` names below the registry's folder; nil when there is none, when it is an https address,
  /// which nothing here fetches, or when its name does not end with `.svg`, `.png`, `.jpg` or `.jpeg`.
  public var picture: PeripheralPicture? {
    guard let imageURL, !imageURL.hasPrefix("https://") else { return nil }
    return PeripheralPicture(file: imageURL, in: imageFolder)
  }
}
