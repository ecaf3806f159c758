import HostPrimitives

/// Where readings go as files, and in which form (docs/reference/file-sink.md).
///
/// ```swift
/// var setting = FileSinkSetting(folder: "/srv/readings", format: .csv)
/// setting.rotate = .day
/// let sink = FileSink(try setting.checked(stateFolder: "/var/lib/meterhost"))
/// ```
public struct FileSinkSetting: Sendable, Hashable {
  /// The form of the files.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// One JSON object a line for each revision of a reading.
    case jsonLines = "jsonl"
    /// A row for each value (RFC 4180).
    case csv
  }

  /// When a new file is begun, beside that one is full.
  public enum Rotation: String, Sendable, Hashable, CaseIterable {
    /// With no date: only when one is full.
    case never = "none"
    /// With the first reading of a day in UTC.
    case day
    /// With the first reading of a month in UTC.
    case month
  }

  /// The absolute path of the folder.
  public var folder: String
  /// The form of the files.
  public var format: Format
  /// How many bytes a file has at most, unless a single reading has more.
  public var rotateBytes = 16 << 20
  /// When a new file is begun besides.
  public var rotate = Rotation.never
  /// How many finished files are kept, the newest ones; nil keeps all of them.
  public var keep: Int?

  /// What ``rotateBytes`` may be: 64 KiB to 1 GiB.
  public static let rotateBytesRange = (64 << 10)...(1 << 30)
  /// What ``keep`` may be.
  public static let keepRange = 1...100_000

  /// A setting with defaults for all else.
  public init(folder: String, format: Format = .jsonLines) { (self.folder, self.format) = (folder, format) }

  /// The setting, with a path without slashes at its end, when every member is in its range. The disk is not looked at.
  func validated() throws(FileSinkError) -> FileSinkSetting {
    var setting = self
    setting.folder = try Self.path(folder)
    try Self.check(rotateBytes, .rotateBytes, Self.rotateBytesRange)
    if let keep { try Self.check(keep, .keep, Self.keepRange) }
    return setting
  }

  private static let longestPath = 3_000

  private static func path(_ text: String) throws(FileSinkError) -> String {
    func refusal(_ problem: String) -> FileSinkError {
      FileSinkError(
        .path, member: Member.folder.rawValue,
        "folder: the path \(problem); give the absolute path of a folder, such as /srv/readings.")
    }
    guard text.beginsExactly(with: "/") else { throw refusal("does not begin with a slash") }
    guard text.utf8.count <= longestPath else { throw refusal("has more than \(longestPath) bytes") }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw refusal("has a control character") }
    let parts = text.split(separator: "/")
    guard !parts.isEmpty else { throw refusal("is that of the whole file system") }
    guard !parts.contains(where: { $0.isExactly(".") || $0.isExactly("..") }) else {
      throw refusal("leads elsewhere with . or ..")
    }
    return "/" + parts.joined(separator: "/")
  }

  private static func check(_ number: Int, _ member: Member, _ range: ClosedRange<Int>) throws(FileSinkError) {
    guard !range.contains(number) else { return }
    throw FileSinkError(
      .outOfRange, member: member.rawValue,
      "\(member.rawValue): \(number) is not from \(range.lowerBound) to \(range.upperBound); give a number in between.")
  }

  /// The members as they are written.
  enum Member: String, CodingKey, CaseIterable {
    case folder, format, rotate, keep
    case rotateBytes = "rotate_bytes"
  }
}
