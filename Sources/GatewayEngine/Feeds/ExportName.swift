/// What the name of an entry of a watched folder says about it. What a file is its content decides: names only tell what is not whole yet
/// and what is not meant.
enum ExportName: Sendable, Hashable {
  /// A file that may be an export.
  case file
  /// A folder that is an export by itself, as Samsung Health writes it.
  case exportFolder
  /// Half a download, an editor's copy, something hidden, another folder.
  case ignored

  /// Endings of what a program is still writing: browsers, copying programs, synchronisers.
  private static let unfinished = [".crdownload", ".part", ".partial", ".download", ".tmp"]

  init(_ name: String, isFolder: Bool) {
    let lower = name.lowercased()
    let isHidden = name.isEmpty || name.hasPrefix(".") || name.hasPrefix("~") || name.hasSuffix("~")
    guard !isHidden, !Self.unfinished.contains(where: { lower.hasSuffix($0) }) else {
      self = .ignored
      return
    }
    guard isFolder else {
      self = .file
      return
    }
    self = lower.hasPrefix("samsunghealth_") ? .exportFolder : .ignored
  }
}
