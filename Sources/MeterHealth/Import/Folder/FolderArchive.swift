/// A folder as a zip archive without compression, for drivers that know archives. The archive is nowhere: each read makes its
/// range of headers, contents of files and directory.
struct FolderArchive: Sendable {
  /// Bytes of the archive.
  let size: UInt64
  private let folder: ExportFolder
  private let entries: [StoredEntry]
  private let directory: StoredDirectory

  /// Most bytes that are read at once for a check sum.
  private static let chunk: UInt64 = 1 << 16

  /// Lists a folder and reads each of its files once, for the check sums.
  ///
  /// - Throws: ``HealthImportError`` `file`, `empty`, `changed` or `truncated`.
  init(_ folder: ExportFolder) throws(HealthImportError) {
    let files = try FolderListing(folder).files
    guard !files.isEmpty else {
      throw HealthImportError(
        .empty, "\(folder.path) has no file in it", hint: "copy the export's folder from the phone again, and whole")
    }
    var entries: [StoredEntry] = []
    entries.reserveCapacity(files.count)
    for file in files {
      let checksum = try Self.checksum(of: file, in: folder)
      entries.append(StoredEntry(file: file, checksum: checksum, offset: entries.last?.end ?? 0))
    }
    let directory = StoredDirectory(entries)
    size = directory.offset + UInt64(directory.bytes.count)
    (self.folder, self.entries, self.directory) = (folder, entries, directory)
  }

  private static func checksum(
    of file: FolderListing.File, in folder: ExportFolder
  ) throws(HealthImportError) -> UInt32 {
    let opened = try Self.open(file, in: folder)
    var checksum = Checksum()
    var offset: UInt64 = 0
    while offset < file.mark.size {
      let count = min(chunk, file.mark.size - offset)
      checksum.add(try opened.read(Int(count), at: offset))
      offset += count
    }
    try opened.check()
    return checksum.value
  }

  /// Opens a file that still is as it was listed.
  private static func open(
    _ file: FolderListing.File, in folder: ExportFolder
  ) throws(HealthImportError) -> ExportFile {
    let opened = try folder.file(file.path)
    guard opened.mark == file.mark else { throw .changed(opened.path) }
    return opened
  }

  /// Bytes from an offset on; as many as there are up to the end.
  ///
  /// - Throws: ``HealthImportError`` `file`, `changed` or `truncated`, with the file's path.
  func read(_ count: Int, at offset: UInt64) throws(HealthImportError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let place = offset + UInt64(bytes.count)
      let wanted = count - bytes.count
      guard place < directory.offset else {
        bytes.append(contentsOf: directory.bytes.dropFirst(Int(place - directory.offset)).prefix(wanted))
        break
      }
      bytes.append(contentsOf: try read(wanted, at: place, of: entries[index(of: place)]))
    }
    return bytes
  }

  /// Bytes of an entry's header, or of its content: at least one.
  private func read(_ count: Int, at place: UInt64, of entry: StoredEntry) throws(HealthImportError) -> [UInt8] {
    let header = entry.localHeader
    let within = place - entry.offset
    let content = UInt64(header.count)
    guard within >= content else { return Array(header.dropFirst(Int(within)).prefix(count)) }
    let file = try Self.open(entry.file, in: folder)
    return try file.read(Int(min(UInt64(count), entry.size - (within - content))), at: within - content)
  }

  /// The entry in which a place before the directory lies: the last that begins there or before.
  private func index(of place: UInt64) -> Int {
    var (first, behind) = (0, entries.count)
    while behind - first > 1 {
      let middle = (first + behind) / 2
      if entries[middle].offset <= place { first = middle } else { behind = middle }
    }
    return first
  }

  /// Whether the folder still has the files that it had, and each is as it was.
  ///
  /// - Throws: ``HealthImportError`` `changed`, with the path of what is another one.
  func check() throws(HealthImportError) {
    let files: [FolderListing.File]
    do throws(HealthImportError) { files = try FolderListing(folder).files } catch { throw .changed(folder.path) }
    let other = zip(entries, files).first { $0.file != $1 }
    if let other { throw .changed(folder.path(of: other.0.file.path)) }
    guard files.count == entries.count else { throw .changed(folder.path) }
  }
}
