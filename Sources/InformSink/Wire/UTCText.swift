import MeterCore
import CurlHTTP
internal import HostPrimitives

/// Moments as receivers are told them, by RFC 3339.
enum UTCText {
  /// UTC, ending in Z; fractions of a second only where there are any.
  static func string(_ microseconds: Int64) -> String {
    CivilMoment(microseconds: microseconds).text(.shortest) + "Z"
  }

  /// The same moment on a clock that is so many seconds ahead of UTC; nil for an offset that RFC 3339 cannot write.
  static func local(_ microseconds: Int64, offsetSeconds: Int) -> String? {
    offset(offsetSeconds).map {
      CivilMoment(microseconds: microseconds + Int64(offsetSeconds) * 1_000_000).text(.shortest) + $0
    }
  }

  /// `+02:00`; nil for an offset with seconds, as places had before they joined a zone, or beyond a day.
  static func offset(_ seconds: Int) -> String? {
    seconds % 60 == 0 && (-86_399...86_399).contains(seconds) ? CivilMoment.offset(seconds) : nil
  }
}
