/// A sentence over a page about what was done, or why it was not.
struct PageNotice: Sendable, Hashable {
  let text: String
  /// What to do about it; nil where there is nothing to do.
  let hint: String?
  /// `done` or `problem`, for the style.
  let kind: String
  /// Read aloud at once where it is a problem.
  let role: String

  static func done(_ text: String) -> PageNotice { PageNotice(text: text, hint: nil, kind: "done", role: "status") }

  static func problem(_ text: String, hint: String? = nil) -> PageNotice {
    PageNotice(text: text.clipped(to: 1000), hint: hint?.clipped(to: 1000), kind: "problem", role: "alert")
  }
}
