import Glibc
import HostPrimitives

/// A sink's folder and what is known of it. It is opened by the first delivery, and anew whenever others have changed it.
struct SinkFolder: Sendable {
  /// The folder while it is this sink's.
  private struct Place: Sendable {
    let folder: HeldFolder
    let lock: FolderLock
  }

  /// What a failed write has left, and could not be cut off yet.
  private struct Remainder: Sendable {
    let name: FileName
    let length: Int64
  }

  let setting: FileSinkSetting
  let form: any LineForm
  let clock: any HostClock
  let disk: DiskCalls
  private var place: Place?
  private(set) var current: CurrentFile?
  private var remainder: Remainder?
  private(set) var recent = RecentItems()

  /// Bytes that are read at most for what was written last, if they hold less than it takes.
  private static let readLimit: Int64 = 1 << 30

  init(_ setting: FileSinkSetting, clock: any HostClock, disk: DiskCalls) {
    self.setting = setting
    self.clock = clock
    self.disk = disk
    form = setting.format.form
  }

  // MARK: - Opening

  /// The folder, locked for this sink.
  mutating func hold() throws(FileSinkError) -> HeldFolder {
    if let place, (try? place.folder.checkPlace()) != nil, place.lock.isHeld(in: place.folder) { return place.folder }
    // The old lock goes before the new one is taken: it may be one of the same folder.
    (place, current, remainder) = (nil, nil, nil)
    let folder = try HeldFolder(path: setting.folder, makes: false)
    place = Place(folder: folder, lock: try FolderLock(folder))
    return folder
  }

  /// The folder, with ``current`` and ``recent`` as they are on disk.
  mutating func open() throws(FileSinkError) -> HeldFolder {
    let folder = try hold()
    if let current, current.isStill(in: folder) { return folder }
    current = nil
    try cutRemainder(folder)
    try readBack(folder)
    return folder
  }

  /// Reads what was written last: after a crash it is delivered again.
  private mutating func readBack(_ folder: HeldFolder) throws(FileSinkError) {
    var items: [DeliveredItem] = []
    var limit = Self.readLimit
    let names = try names(folder)
    for name in names.reversed() where items.count < RecentItems.least && limit > 0 {
      let isLast = name == names.last
      let path = "\(folder.path)/\(name.text)"
      let file = try folder.open(name.text, isLast ? O_RDWR | O_APPEND : O_RDONLY)
      guard let status = file.status else { throw .system("cannot look at \(path)") }
      let length = Int64(status.st_size)
      let end = try FileEnd(
        of: LinesFromEnd(file, length: length, path: path), length: length, form: form, isCurrent: isLast,
        most: RecentItems.least - items.count, limit: limit)
      items += end.items
      limit -= end.read
      if isLast { try settle(CurrentFile(name: name, descriptor: file, length: end.wholeLength), length, folder) }
    }
    for item in items.reversed() { recent.insert(item) }
  }

  /// Makes a file the current one: without what was torn, and with all else on disk, since a killed process may not have come to that.
  private mutating func settle(
    _ file: CurrentFile, _ length: Int64, _ folder: HeldFolder
  ) throws(FileSinkError) {
    let path = "\(folder.path)/\(file.name.text)"
    if file.length < length, disk.cut(file.descriptor.number, file.length) != 0 {
      throw .system("cannot cut a torn line off \(path)")
    }
    guard disk.sync(file.descriptor.number) == 0 else { throw .system("cannot put \(path) on disk") }
    try folder.sync()
    // A file whose columns are another version's is not gone on with.
    if file.length == 0 || file.begins(with: form.heading) { current = file }
  }

  private func names(_ folder: HeldFolder) throws(FileSinkError) -> [FileName] {
    try folder.names().compactMap { FileName($0, setting.format) }.sorted()
  }

  // MARK: - Writing

  /// Whether another file has to be begun before so many bytes are written.
  ///
  /// - Parameter waiting: What will be written to the current one before.
  func needsNext(for count: Int, behind waiting: Int) -> Bool {
    guard let current, !current.name.isOver(setting.rotate, at: clock.unixMicroseconds) else { return true }
    // The heading comes with the first line.
    let filled = max(Int(current.length), form.heading.count) + waiting
    return filled > form.heading.count && filled + count > setting.rotateBytes
  }

  /// Begins the next file. All that the last one holds is on disk.
  mutating func begin(_ folder: HeldFolder) throws(FileSinkError) {
    let finished = try names(folder)
    let name = FileName(after: finished.last, at: clock.unixMicroseconds, setting.format)
    let file = try folder.open(name.text, O_RDWR | O_APPEND | O_CREAT | O_EXCL)
    try folder.sync()
    current = CurrentFile(name: name, descriptor: file, length: 0)
    guard let keep = setting.keep else { return }
    for old in finished.dropLast(keep) { folder.remove(old.text) }
  }

  /// Adds whole lines to the current file. When this returns they are on disk, and when it throws none of them is in the file.
  mutating func append(_ lines: [UInt8], about items: [DeliveredItem], _ folder: HeldFolder) throws(FileSinkError) {
    guard var file = current, !lines.isEmpty else { return }
    let bytes = file.length == 0 ? form.heading + lines : lines
    guard disk.writeAll(bytes, to: file.descriptor.number), disk.sync(file.descriptor.number) == 0 else {
      let error = FileSinkError.system("cannot write \(folder.path)/\(file.name.text)")
      remainder = Remainder(name: file.name, length: file.length)
      current = nil
      // Where that fails, the next delivery does it before anything else.
      try? cutRemainder(folder)
      throw error
    }
    file.length += Int64(bytes.count)
    current = file
    for item in items { recent.insert(item) }
  }

  /// Cuts off what a failed write has left: neither is a line to be added to half a one, nor one to be taken for written that is not
  /// on disk.
  private mutating func cutRemainder(_ folder: HeldFolder) throws(FileSinkError) {
    guard let remainder else { return }
    if folder.status(remainder.name.text) != nil {
      let file = try folder.open(remainder.name.text, O_RDWR)
      let length = file.status.map { Int64($0.st_size) } ?? 0
      if length > remainder.length, disk.cut(file.number, remainder.length) != 0 {
        throw .system("cannot cut a torn line off \(folder.path)/\(remainder.name.text)")
      }
    }
    self.remainder = nil
  }
}
