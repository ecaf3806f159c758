/// The word that is at most a third of its letters away from `word` (optimal string alignment distance).
package func nearest(to word: String, among known: [String]) -> String? {
  let letters = Array(word.utf8.prefix(64))
  let distances = known.map { (distance(letters, Array($0.utf8)), $0) }
  guard let best = distances.min(by: { $0.0 < $1.0 }), best.0 <= max(1, best.1.utf8.count / 3) else { return nil }
  return best.1
}

private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
  var before: [Int] = []
  var row = Array(0...other.count)
  for i in 0..<one.count {
    var next = [i + 1]
    for j in 0..<other.count {
      var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (one[i] == other[j] ? 0 : 1))
      if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] { least = min(least, before[j - 1] + 1) }
      next.append(least)
    }
    before = row
    row = next
  }
  return row[other.count]
}
