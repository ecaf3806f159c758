/// Which of many texts a name starts with, found in one walk along the name.
///
/// The texts are sorted: those that share the beginning of the name are neighbours, and each byte of the name leaves fewer
/// of them. The cost grows with the name's length and the logarithm of the number of texts, whatever a name is made to be.
struct PrefixTable: Sendable {
  private var bytes: [UInt8] = []
  /// Where each text starts in `bytes`, and where the last one ends.
  private var starts = [0]

  /// - Parameter sorted: The texts in the order of their bytes, each once.
  init(sorted texts: [[UInt8]]) {
    for text in texts {
      bytes += text
      starts.append(bytes.count)
    }
  }

  /// Calls the body with the place of every text that the name starts with, shortest first.
  func forEachPrefix(of name: [UInt8], _ body: (Int) -> Void) {
    var (low, high) = (0, starts.count - 1)
    var depth = 0
    while low < high {
      // All texts that are left begin with the first `depth` bytes of the name; the one that ends there is the first.
      if starts[low + 1] - starts[low] == depth {
        body(low)
        low += 1
      }
      guard depth < name.count, low < high else { return }
      low = first(from: low, to: high, depth) { $0 >= name[depth] }
      high = first(from: low, to: high, depth) { $0 > name[depth] }
      depth += 1
    }
  }

  /// The first text whose byte at a depth is so; the bytes of these texts ascend there.
  private func first(from low: Int, to high: Int, _ depth: Int, where isFound: (UInt8) -> Bool) -> Int {
    var (low, high) = (low, high)
    while low < high {
      let middle = low + (high - low) / 2
      if isFound(bytes[starts[middle] + depth]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
