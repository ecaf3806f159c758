import HostErrors
import HostPrimitives
import MeterCore
import ReadingJSON

/// Lines that are written together, and which of the readings they are.
private struct LineBatch {
  var lines: [UInt8] = []
  var items: [DeliveredItem] = []
  var places: [Int] = []
  private var known: Set<DeliveredItem> = []

  /// Adds a reading that is none of those that wait.
  mutating func add(_ item: DeliveredItem, _ lines: [UInt8], place: Int) {
    self.lines += lines
    items.append(item)
    places.append(place)
    known.insert(item)
  }

  func contains(_ item: DeliveredItem) -> Bool { known.contains(item) }
}

extension SinkFolder {
  /// Writes readings that are not there yet.
  ///
  /// - Returns: A reply a reading, in the same order.
  mutating func deliver(_ records: [Record], of user: SessionUser) -> [SinkReply] {
    var replies = [SinkReply?](repeating: nil, count: records.count)
    do throws(FileSinkError) {
      try write(records, of: user, &replies)
    } catch {
      return replies.map { $0 ?? .retry(error) }
    }
    // Only a reading that is there twice in one delivery has no reply of its own; it was written with the first of them.
    return zip(records, replies).map { $1 ?? .delivered($0) }
  }

  private mutating func write(
    _ records: [Record], of user: SessionUser, _ replies: inout [SinkReply?]
  ) throws(FileSinkError) {
    let folder = try open()
    var batch = LineBatch()
    for (place, record) in records.enumerated() {
      let item = DeliveredItem.reading(record.logID, revision: record.revision)
      if recent.contains(item) {
        replies[place] = .delivered(record)
        continue
      }
      guard !batch.contains(item) else { continue }
      let lines: [UInt8]
      do throws(FormatRefusal) { lines = try form.lines(of: record, user: user) } catch {
        replies[place] = SinkReply(.refused(reason: error.code.rawValue), text: error.message, isAboutItem: true)
        continue
      }
      if needsNext(for: lines.count, behind: batch.lines.count) {
        try flush(&batch, records, folder, &replies)
        try begin(folder)
      }
      batch.add(item, lines, place: place)
    }
    try flush(&batch, records, folder, &replies)
  }

  private mutating func flush(
    _ batch: inout LineBatch, _ records: [Record], _ folder: HeldFolder, _ replies: inout [SinkReply?]
  ) throws(FileSinkError) {
    try append(batch.lines, about: batch.items, folder)
    for place in batch.places { replies[place] = .delivered(records[place]) }
    batch = LineBatch()
  }

  /// Keeps a picture as a file of its own, and says in a line whose it is.
  mutating func deliver(_ image: SinkImage, of user: SessionUser) -> SinkReply {
    let item = DeliveredItem.image(image.logID, checksum: image.image.checksum)
    let name = "\(ImageFile.folder)/\(ImageFile.name(image.image))"
    do throws(FileSinkError) {
      let folder = try open()
      try ImageFile.keep(image.image, in: folder, disk)
      if !recent.contains(item) {
        let line = form.line(of: image, file: name, user: user)
        if needsNext(for: line.count, behind: 0) { try begin(folder) }
        try append(line, about: [item], folder)
      }
      return SinkReply(.delivered(id: image.image.checksum, address: name))
    } catch {
      return .retry(error)
    }
  }

  /// Whether the folder can be written.
  func check() -> CredentialReply {
    do throws(FileSinkError) {
      // Asked of a folder that another value writes to, as `sink test` does beside the deliveries: nothing is held for a question.
      try HeldFolder(path: setting.folder, makes: false).tryWriting()
      return CredentialReply(.accepted)
    } catch {
      return CredentialReply(.outOfReach(), text: error.line, reason: error.line)
    }
  }
}

extension FileSinkError {
  /// The error as a reply has it.
  fileprivate var line: String { fullMessage.oneLine(atMost: 600) }
}

extension SinkReply {
  /// The folder cannot be written now.
  fileprivate static func retry(_ error: FileSinkError) -> SinkReply { SinkReply(.retry(), text: error.line) }

  /// The reading is in a file. It has no other id there than its name, without which its pictures would not be sent.
  fileprivate static func delivered(_ record: Record) -> SinkReply {
    SinkReply(.delivered(id: record.logID.description))
  }
}
