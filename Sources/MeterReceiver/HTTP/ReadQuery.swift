import Hummingbird

extension Page {
  static let longest = 1000

  /// The page that a request's `limit` (default 100) and `offset` (default 0) ask for.
  ///
  /// - Throws: `Refusal` 400.
  init(_ request: Request) throws(Refusal) {
    var errors = FieldErrors()
    let parameters = request.uri.queryParameters
    let page = Page(
      limit: parameters["limit"].map(String.init), offset: parameters["offset"].map(String.init), &errors)
    guard errors.isEmpty, let page else { throw Refusal(.badRequest, fields: errors) }
    self = page
  }

  init?(limit: String?, offset: String?, _ errors: inout FieldErrors) {
    let limit = Int(limit ?? "100").flatMap { (1...Self.longest).contains($0) ? $0 : nil }
    let offset = Int(offset ?? "0").flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
    if limit == nil { errors.add("limit", "must be 1 to \(Self.longest)") }
    if offset == nil { errors.add("offset", "must be 0 or more") }
    guard let limit, let offset else { return nil }
    self.init(limit: limit, offset: offset)
  }
}

/// Window and page of a read: `start_date`, `end_date` (both inclusive, UTC, today by default), `limit`, `offset`.
struct ReadQuery: Equatable {
  static let longestWindow = 30

  var window: Range<UTCTimestamp>
  var page: Page

  init(_ request: Request, now: UTCTimestamp) throws {
    let parameters = request.uri.queryParameters
    try self.init(
      start: parameters["start_date"].map(String.init), end: parameters["end_date"].map(String.init),
      limit: parameters["limit"].map(String.init), offset: parameters["offset"].map(String.init), now: now)
  }

  init(start: String?, end: String?, limit: String?, offset: String?, now: UTCTimestamp) throws(Refusal) {
    let today = String(now.text.prefix(10))
    var errors = FieldErrors()
    let first = UTCTimestamp(date: start ?? today)
    let last = UTCTimestamp(date: end ?? today)
    if first == nil { errors.add("start_date", "must be a date such as 2026-01-31") }
    if last == nil { errors.add("end_date", "must be a date such as 2026-01-31") }
    let page = Page(limit: limit, offset: offset, &errors)
    if let first, let last {
      let days = (last.milliseconds - first.milliseconds) / UTCTimestamp.millisecondsPerDay
      if last < first { errors.add("end_date", "is before start_date") }
      if days > Self.longestWindow {
        errors.add("end_date", "is more than \(Self.longestWindow) days after start_date")
      }
    }
    guard errors.isEmpty, let first, let last, let page else {
      throw Refusal(.badRequest, fields: errors)
    }
    window = first..<UTCTimestamp(milliseconds: last.milliseconds + UTCTimestamp.millisecondsPerDay)
    self.page = page
  }
}
