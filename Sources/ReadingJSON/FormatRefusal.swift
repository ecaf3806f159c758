package import MeterCore

/// Why a reading cannot be written, whatever the receiver.
package struct FormatRefusal: Error, Sendable, Hashable {
  /// Stable names of the reasons.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// Control solution is never delivered.
    case control
    /// A number has more places than are written out.
    case number
  }

  /// The reason.
  package let code: Code
  /// What is wrong with the reading; it holds no health value.
  package let message: String

  /// Refuses what no form has a place for.
  package static func check(_ record: Record) throws(FormatRefusal) {
    guard !record.flags.contains(.control) else {
      throw FormatRefusal(code: .control, message: "control solution is never delivered")
    }
    guard record.everyNumber.allSatisfy(\.isWritable) else {
      throw FormatRefusal(
        code: .number,
        message: "a number has its last digit more than 18 places from the point; correct or discard the reading")
    }
  }
}

extension Record {
  fileprivate var everyNumber: [ReportedNumber] {
    var numbers = values.delivered.map(\.number)
    guard let details else { return numbers }
    for segment in details.segments {
      numbers += segment.values.delivered.map(\.number)
      for food in segment.foods {
        numbers += food.values.delivered.map(\.number) + [food.servingAmount].compactMap(\.self)
      }
    }
    for channel in details.series?.channels ?? [] { numbers += channel.points.map(\.number) }
    for extra in details.extras { if case .number(let number) = extra.value { numbers.append(number) } }
    return numbers
  }
}
