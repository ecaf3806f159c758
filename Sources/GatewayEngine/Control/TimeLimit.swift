import GatewayAPI

/// Limits in seconds, as they come from outside.
enum TimeLimit {
  /// - Throws: ``GatewayError`` with code `time_limit` for what is no time above 0, or more than a day.
  static func check(_ limits: Double...) throws(GatewayError) {
    guard limits.allSatisfy({ $0 > 0 && $0 <= 86_400 }) else {
      throw GatewayError(.usage, code: "time_limit", "a time limit is seconds above 0, at most 86400")
    }
  }
}
