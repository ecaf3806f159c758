import Glibc
import MeterCore

/// A picture as a file that is named by its content: there whole or not at all, and once.
enum ImageFile {
  static let folder = "images"

  static func name(_ image: RecordImage) -> String { "\(image.checksum).\(image.contentType.fileExtension)" }

  /// Writes a picture that is not there yet.
  static func keep(_ image: RecordImage, in folder: HeldFolder, _ disk: DiskCalls) throws(FileSinkError) {
    let images = try folder.child(Self.folder)
    let name = name(image)
    if let status = images.status(name), status.isFile, Int(status.st_size) == image.bytes.count {
      // A killed process may have renamed it and not come to this.
      return try images.sync()
    }
    let part = ".\(name).part"
    let file = try images.open(part, O_WRONLY | O_CREAT | O_TRUNC)
    guard disk.writeAll(image.bytes, to: file.number), disk.sync(file.number) == 0 else {
      let error = FileSinkError.system("cannot write \(images.path)/\(name)")
      images.remove(part)
      throw error
    }
    try images.rename(part, to: name)
    try images.sync()
  }
}
