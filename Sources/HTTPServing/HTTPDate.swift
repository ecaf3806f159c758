import HostPrimitives

/// A moment in the form of the fields of HTTP (RFC 9110, 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
struct HTTPDate: Sendable, Hashable {
  // 1970-01-01 was a Thursday.
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds since 1970-01-01T00:00Z.
  let unixSeconds: Int64

  /// The field's value.
  var text: String {
    let (day, second) = unixSeconds.dividedDown(by: 86_400)
    let date = CivilDate(daysSince1970: day)
    let name = Self.days[Int(day.dividedDown(by: 7).remainder)]
    let month = Self.months[Int(date.month) - 1]
    let time = [second / 3600, second / 60 % 60, second % 60].map { $0.digits(2) }.joined(separator: ":")
    return "\(name), \(date.day.digits(2)) \(month) \(date.year.digits(4)) \(time) GMT"
  }
}
