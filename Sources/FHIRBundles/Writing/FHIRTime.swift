import HostPrimitives
import MeterCore

/// Moments as FHIR writes them.
struct FHIRTime: Sendable {
  /// How far the clock that the reading was taken by was ahead of UTC; nil where nobody knows.
  private let offset: Int?

  init(_ time: RecordTime) { offset = time.utcOffsetSeconds }

  /// FHIR writes offsets of whole minutes up to 14 hours, and years of four digits.
  private static let offsets = -50_400...50_400
  private static let last: Int64 = 253_402_300_799_999_999

  /// A moment on that clock; in UTC with `-00:00` where its offset is not known, and with `Z` where it cannot be written.
  func text(_ microseconds: Int64) -> String {
    guard let offset else { return CivilMoment(microseconds: microseconds).text(.shortest) + "-00:00" }
    let (local, isTooLarge) = microseconds.addingReportingOverflow(Int64(offset) * 1_000_000)
    guard offset.isMultiple(of: 60), Self.offsets.contains(offset), !isTooLarge, local <= Self.last else {
      return CivilMoment(microseconds: microseconds).text(.shortest) + "Z"
    }
    return CivilMoment(microseconds: local).text(.shortest) + CivilMoment.offset(offset)
  }
}
