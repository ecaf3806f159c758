internal import Crypto

/// The canonical encoding of what a meter reported, version 1. Frozen: a changed byte would deliver every reading of
/// every meter again as a new revision.
///
/// It leaves out revision, arrival, driver version, and everything that this gateway derived (UTC from a civil time, a
/// clock judged at arrival), so that a second gateway or a moved one computes the same hash for the same reading.
struct RecordContent {
  let type: RecordType
  let time: RecordTime
  let deviceSequence: UInt64?
  let deviceUser: Int?
  let values: [RecordValue]
  let notes: [RecordNote]
  let origin: ValueOrigin
  let flags: RecordFlags
  let details: RecordDetails?

  static let version: UInt8 = 1

  var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

  var bytes: [UInt8] {
    var frames = ByteFrames()
    frames.append([Self.version])
    frames.append(type.rawValue)
    appendTime(to: &frames)
    frames.append(deviceSequence.map(String.init) ?? "")
    frames.append(deviceUser.map(String.init) ?? "")
    frames.append(origin.rawValue)
    frames.append(String(flags.intersection([.control, .takenBack]).rawValue))
    append(values, to: &frames)
    for note in notes.sorted(by: { ($0.field, $0.text) < ($1.field, $1.text) }) {
      frames.append(String(note.field))
      frames.append(note.text)
    }
    if let details { append(details, to: &frames) }
    return frames.bytes
  }

  func append(_ values: [RecordValue], to frames: inout ByteFrames) {
    frames.append(String(values.count))
    for value in values.sorted(by: Self.isOrdered) {
      frames.append("\(value.metric) \(value.unit) \(value.number.mantissa) \(value.number.exponent)")
      frames.append(value.qualifier.rawValue)
    }
  }

  private func appendTime(to frames: inout ByteFrames) {
    frames.append(time.kind.rawValue)
    switch time.kind {
    case .none: break
    case .utc: frames.append("\(time.startMicroseconds) \(time.endMicroseconds)")
    case .civil, .civilWithOffset:
      let length = time.endMicroseconds.subtractingReportingOverflow(time.startMicroseconds).partialValue
      frames.append("\(time.civilMicroseconds ?? 0) \(length)")
      if time.kind == .civilWithOffset { frames.append(String(time.utcOffsetSeconds ?? 0)) }
    }
  }

  private static func isOrdered(_ left: RecordValue, _ right: RecordValue) -> Bool {
    let leftKey = (left.metric, left.unit, left.number.mantissa, left.number.exponent)
    let rightKey = (right.metric, right.unit, right.number.mantissa, right.number.exponent)
    return leftKey == rightKey ? left.qualifier.rawValue < right.qualifier.rawValue : leftKey < rightKey
  }
}

/// Bytes in frames of a 32-bit big-endian length and the content: no two lists of frames have the same bytes.
package struct ByteFrames {
  package private(set) var bytes: [UInt8] = []

  /// No parts.
  package init() {}

  /// Adds a part.
  package mutating func append(_ content: [UInt8]) {
    // Contents come from bounded records; a length beyond 32 bits cannot be held in memory here.
    let length = UInt32(clamping: content.count)
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    bytes += content
  }

  /// Adds a part of text, in UTF-8.
  package mutating func append(_ content: String) { append(Array(content.utf8)) }
}
