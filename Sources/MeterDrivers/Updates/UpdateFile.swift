/// A file of a source that is a folder of this machine.
package enum UpdateFile {
  /// The bytes of a regular file.
  ///
  /// - Throws: ``PackageError`` with code `indexUnreachable`.
  package static func read(_ path: String, limit: Int) throws(PackageError) -> [UInt8] {
    try PlainFile.read(path, limit: limit, what: "the file", code: .indexUnreachable)
  }

  /// Writes a file that everybody may read, whole or not at all.
  ///
  /// - Throws: ``PackageError`` with code `packageFile`.
  package static func write(_ bytes: [UInt8], to path: String) throws(PackageError) {
    try PlainFile.write(bytes, to: path, mode: 0o644, code: .packageFile)
  }
}
