import HostPrimitives

/// `readings-2026-03-01T080000Z-001.jsonl`: the moment in UTC at which a file was begun, and a number. By their names files are in the
/// order in which they were begun.
struct FileName: Sendable, Hashable, Comparable {
  /// Since 1970-01-01T00:00Z.
  let seconds: Int64
  /// 1 to 999: which of the files of this second it is.
  let number: Int
  let format: FileSinkSetting.Format

  private static let prefix = "readings-"
  /// Until the year 9999: names have all the same length.
  private static let secondsRange: ClosedRange<Int64> = 0...253_402_300_799
  private static let greatestNumber = 999

  private init(seconds: Int64, number: Int, format: FileSinkSetting.Format) {
    (self.seconds, self.number, self.format) = (seconds, number, format)
  }

  /// The file that a name is of; nil for a name that this sink gives no file.
  init?(_ text: String, _ format: FileSinkSetting.Format) {
    let bytes = Array(text.utf8)
    let head = Self.prefix.utf8.count
    func field(_ range: Range<Int>) -> Int64? {
      let digits = bytes[(head + range.lowerBound)..<(head + range.upperBound)]
      guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return Int64(String(decoding: digits, as: UTF8.self))
    }
    guard bytes.count > head + 22, let day = CivilDate(text: bytes[head..<(head + 10)]), let hour = field(11..<13),
      let minute = field(13..<15), let second = field(15..<17), let count = field(19..<22)
    else { return nil }
    self.init(
      seconds: day.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second, number: Int(count), format: format)
    // What is left of the name, and fields that are too large.
    guard Self.secondsRange.contains(seconds), number > 0, self.text.isExactly(text) else { return nil }
  }

  /// The name of the file that is begun at a moment.
  ///
  /// - Parameter last: The last one that there is; the clock may have been set back since.
  init(after last: FileName?, at microseconds: Int64, _ format: FileSinkSetting.Format) {
    let now = min(max(microseconds.dividedDown(by: 1_000_000).quotient, 0), Self.secondsRange.upperBound)
    guard let last, last.seconds >= now else {
      self.init(seconds: now, number: 1, format: format)
      return
    }
    let isFull = last.number >= Self.greatestNumber && last.seconds < Self.secondsRange.upperBound
    self.init(
      seconds: isFull ? last.seconds + 1 : last.seconds, number: isFull ? 1 : last.number + 1, format: format)
  }

  var text: String {
    let moment = CivilMoment(microseconds: seconds * 1_000_000).text(.none).replacing(":", with: "")
    return "\(Self.prefix)\(moment)Z-\(Int64(number).digits(3)).\(format.rawValue)"
  }

  /// Whether a later day or month than the file's has begun; a clock that was set back begins none.
  func isOver(_ rotation: FileSinkSetting.Rotation, at microseconds: Int64) -> Bool {
    let now = microseconds.dividedDown(by: 1_000_000).quotient
    return Self.period(rotation, now) > Self.period(rotation, seconds)
  }

  private static func period(_ rotation: FileSinkSetting.Rotation, _ seconds: Int64) -> Int64 {
    let day = seconds.dividedDown(by: 86_400).quotient
    switch rotation {
    case .never: return 0
    case .day: return day
    case .month:
      let date = CivilDate(daysSince1970: day)
      return date.year * 12 + date.month
    }
  }

  static func < (first: FileName, second: FileName) -> Bool {
    (first.seconds, first.number) < (second.seconds, second.number)
  }
}
