import HostPrimitives

/// Times as tests and exports write them.
enum CivilText {
  /// `2026-03-01 10:00:00`, of a moment on a clock that shows UTC.
  static func of(_ microseconds: Int64) -> String {
    CivilMoment(microseconds: microseconds).text(.none).split(separator: "T").joined(separator: " ")
  }
}
