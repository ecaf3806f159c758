import Hummingbird

/// Window and page of a Legacy read. The window may be days or moments, both ends inclusive, and as long as one likes.
struct LegacyQuery: Sendable {
  let window: Range<UTCTimestamp>
  let page: Page

  init(_ request: Request, now: UTCTimestamp) throws(Refusal) {
    let parameters = request.uri.queryParameters
    let today = String(now.text.prefix(10))
    var errors = FieldErrors()
    // A + that was not escaped arrives as a blank.
    let texts = ["start_date", "end_date"].map { name in
      parameters[name].map { String($0).replacing(" ", with: "+") } ?? today
    }
    let start = UTCTimestamp(date: texts[0]) ?? UTCTimestamp(offset: texts[0])
    let end =
      UTCTimestamp(date: texts[1]).map { $0.milliseconds + UTCTimestamp.millisecondsPerDay }
      ?? UTCTimestamp(offset: texts[1]).map { $0.milliseconds + 1 }
    for (name, isValid) in [("start_date", start != nil), ("end_date", end != nil)] where !isValid {
      errors.add(name, "must be a date such as 2026-01-31, or a time such as 2026-01-31T07:05:00+00:00")
    }
    if let start, let end, end <= start.milliseconds { errors.add("end_date", "is before start_date") }
    let page = Page(
      limit: parameters["limit"].map(String.init), offset: parameters["offset"].map(String.init), &errors)
    guard errors.isEmpty, let start, let end, let page else { throw Refusal(.badRequest, fields: errors) }
    window = start..<UTCTimestamp(milliseconds: end)
    self.page = page
  }

  /// The head of the answer, with links that hold no token.
  ///
  /// - Parameters:
  ///   - path: The path that was asked.
  ///   - total: How many records the window has.
  func summary(path: String, total: Int) -> JSONObject {
    let start = window.lowerBound.text
    let end = UTCTimestamp(milliseconds: window.upperBound.milliseconds - 1).text
    func link(_ offset: Int) -> JSONValue {
      .string("\(path)?start_date=\(start)&end_date=\(end)&limit=\(page.limit)&offset=\(offset)")
    }
    let position: JSONObject = [
      "start_date": .string(start), "end_date": .string(end), "offset": .integer(page.offset),
      "limit": .integer(page.limit),
    ]
    var summary: JSONObject = ["status": .integer(200), "message": .string("Ok"), "results": .integer(total)]
    summary.members += position.members
    summary["previous"] = page.offset == 0 ? .null : link(max(0, page.offset - page.limit))
    summary["next"] = page.offset + page.limit < total ? link(page.offset + page.limit) : .null
    summary["params"] = .object(position)
    return summary
  }
}
