/// What the end of a file says: how much of it is whole, and what it holds.
struct FileEnd {
  /// What is to stay of the file: all but what a killed process or a power cut has left by half.
  private(set) var wholeLength: Int64
  /// What the last lines are about, the last one first.
  private(set) var items: [DeliveredItem] = []
  /// How many bytes were read for that.
  private(set) var read: Int64 = 0

  private var isSettled: Bool
  /// The reading whose last lines are missing.
  private var open: DeliveredItem?

  /// - Parameters:
  ///   - isCurrent: Whether the file is still written, so that its end may be one by half.
  ///   - most: How many items are looked for at most.
  ///   - limit: How many bytes are read for them at most; the end of a current file is found in any case.
  init(
    of lines: LinesFromEnd, length: Int64, form: any LineForm, isCurrent: Bool, most: Int, limit: Int64
  ) throws(FileSinkError) {
    var lines = lines
    wholeLength = length
    isSettled = !isCurrent
    while !isSettled || items.count < most && read < limit, let line = try lines.next() {
      read += Int64(line.bytes.count)
      let mark = form.mark(line.bytes)
      if !isSettled, isTorn(line, mark) {
        wholeLength = line.start
        continue
      }
      isSettled = true
      if let mark, mark.isLast { items.append(mark.item) }
    }
  }

  private mutating func isTorn(_ line: LinesFromEnd.Line, _ mark: LineMark?) -> Bool {
    guard line.isWhole else { return true }
    let isOfOpen = open != nil && mark?.item == open
    guard let mark, isOfOpen || !mark.isLast else { return false }
    // Some of a reading's rows without its last one.
    open = mark.row == 1 ? nil : mark.item
    return true
  }
}
