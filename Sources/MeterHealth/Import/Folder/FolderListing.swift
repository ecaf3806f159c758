import Glibc

/// The regular files in a folder and in those below it, in the order of their paths. Links, pipes and devices are passed over.
struct FolderListing {
  /// A file, as it was when it was listed.
  struct File: Sendable, Hashable {
    /// The names on the way to it, with a slash between them.
    let path: [UInt8]
    let mark: ExportFile.Mark
  }

  /// Most files, folders and other things in a folder. A year of Samsung Health is some 20,000.
  static let mostEntries = 200_000
  /// Most names in a path.
  static let mostNames = 8
  /// Most bytes of a path in the folder.
  static let longestPath = 1_024
  /// Most bytes of all files together: 64 GiB.
  static let mostBytes: UInt64 = 1 << 36

  private(set) var files: [File] = []
  private let root: ExportFolder
  private var entries = 0
  private var bytes: UInt64 = 0

  /// Lists a folder.
  ///
  /// - Throws: ``HealthImportError`` `file` for what cannot be opened and beyond the limits, `changed` for what goes meanwhile.
  init(_ folder: ExportFolder) throws(HealthImportError) {
    root = folder
    try add(folder, below: [], names: 1)
    files.sort { $0.path.lexicographicallyPrecedes($1.path) }
  }

  /// - Parameter names: How many names a path has that leads into the folder.
  private mutating func add(_ folder: ExportFolder, below path: [UInt8], names: Int) throws(HealthImportError) {
    let found = try folder.names(most: Self.mostEntries - entries)
    entries += found.count
    guard entries <= Self.mostEntries else {
      throw Self.isTooMuch("\(root.path) has more than \(Self.mostEntries) files and folders in it")
    }
    for name in found {
      let own = path.isEmpty ? name : path + [0x2f] + name
      guard own.count <= Self.longestPath else {
        throw Self.isTooMuch("\(root.path(of: own)) has a path of more than \(Self.longestPath) bytes in the folder")
      }
      let status = try folder.status(of: name)
      switch status.st_mode & S_IFMT {
      case S_IFREG: try add(File(path: own, mark: ExportFile.Mark(status)))
      case S_IFDIR:
        guard names < Self.mostNames else {
          throw Self.isTooMuch("\(root.path(of: own)) is deeper in the folder than \(Self.mostNames) names")
        }
        try add(try folder.folder(name), below: own, names: names + 1)
      default: break
      }
    }
  }

  private mutating func add(_ file: File) throws(HealthImportError) {
    guard file.mark.size <= Self.mostBytes - bytes else {
      throw Self.isTooMuch("\(root.path(of: file.path)) makes the folder larger than \(Self.mostBytes >> 30) GiB")
    }
    bytes += file.mark.size
    files.append(file)
  }

  private static func isTooMuch(_ message: String) -> HealthImportError {
    HealthImportError(.file, message, hint: "name the folder of the export itself")
  }
}
