/// How wide the columns of a table are, so that it fits a width. Names may be cut, values never.
package struct TableLayout: Sendable, Hashable {
  /// The width of each column.
  package let widths: [Int]
  /// Whether the rows fit; else each row stands as a list of its cells.
  package let fits: Bool

  /// The least that is left of a name.
  private static let leastName = 8
  private static let gap = 2

  /// - Parameters:
  ///   - wanted: How wide each column would be.
  ///   - names: The columns that may be cut.
  ///   - limit: The width of the screen; nil: there is none.
  package init(wanted: [Int], names: Set<Int>, limit: Int?) {
    var widths = wanted
    let total = { widths.reduce(0, +) + max(0, widths.count - 1) * Self.gap }
    if let limit {
      // The widest name first: what is short already stays whole.
      while total() > limit,
        let widest = names.filter({ widths.indices.contains($0) && widths[$0] > Self.leastName })
          .max(by: { (widths[$0], $1) < (widths[$1], $0) })
      {
        widths[widest] -= 1
      }
    }
    fits = limit.map { total() <= $0 } ?? true
    self.widths = fits ? widths : wanted
  }
}
