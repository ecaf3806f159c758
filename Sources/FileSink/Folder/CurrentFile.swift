import Glibc

/// The file that lines are added to.
struct CurrentFile: Sendable {
  let name: FileName
  let descriptor: Descriptor
  /// How long it is; all of that is whole lines, and on disk.
  var length: Int64

  /// Whether it is still the one of its name, and nobody has cut it or added to it.
  func isStill(in folder: HeldFolder) -> Bool {
    guard let own = descriptor.status, let named = folder.status(name.text) else { return false }
    return own.isSame(as: named) && Int64(own.st_size) == length
  }

  /// Whether it begins with these bytes.
  func begins(with heading: [UInt8]) -> Bool {
    var bytes = [UInt8](repeating: 0, count: heading.count)
    return heading.isEmpty || pread(descriptor.number, &bytes, bytes.count, 0) == bytes.count && bytes == heading
  }
}
