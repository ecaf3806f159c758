import MeterDriver

// How far the cursor may move, and what has been left behind it.
extension Transfer {
  var isBroken: Bool { isDamaged || !damaged.isEmpty }

  /// Something was sent that could not be taken, and stays in the meter.
  var hasLeft: Bool { isBroken || !waiting.isEmpty || hasUnnamed }

  /// Records have come, of whatever kind.
  var hasRecords: Bool { !entries.isEmpty || !together.isEmpty || skipped > 0 || newestSeen != nil }

  /// Newest first, and not down to where the last session ended: a meter may say that it is through before it is.
  var mayGoOn: Bool {
    guard !request.isJudgedTogether, request != .newest, entries.count > 1, let first = entries.first,
      let last = entries.last
    else { return false }
    let base = cursor?.newest.sequence ?? .max
    return serialDistance(from: last.identity.sequence, to: first.identity.sequence) > 0
      && serialDistance(from: base, to: last.identity.sequence) > 1
  }

  mutating func movePrefix(_ output: inout Output) {
    let start = prefix
    while prefix < entries.count, entries[prefix].state == .final, !isBroken {
      let sequence = entries[prefix].identity.sequence
      let expected: UInt16 = prefix == 0 ? (cursor.map { $0.newest.sequence &+ 1 } ?? 0) : next(after: prefix - 1)
      guard sequence == expected else { break }
      prefix += 1
    }
    if prefix > start { store(entries[prefix - 1].identity, &output) }
  }

  private func next(after index: Int) -> UInt16 { entries[index].identity.sequence &+ 1 }

  mutating func moveToEnd(_ output: inout Output) {
    guard !isDamaged, let first = entries.first else { return }
    let base = cursor?.newest.sequence ?? first.identity.sequence
    var limit = Int.max
    for sequence in damaged { limit = min(limit, serialDistance(from: base, to: sequence)) }
    for item in waiting { limit = min(limit, serialDistance(from: base, to: item.measurement.sequence)) }
    var best: Identity?
    var bestDistance = cursor == nil ? Int.min : 0
    for entry in entries {
      let distance = serialDistance(from: base, to: entry.identity.sequence)
      if distance < limit, distance > bestDistance || best == nil && cursor == nil {
        best = entry.identity
        bestDistance = distance
      }
    }
    if limit == .max, let knownNewest, entries.contains(where: { $0.identity == knownNewest }) { best = knownNewest }
    if let best { store(best, &output) }
  }

  mutating func store(_ newest: Identity, _ output: inout Output) {
    let cursor = ResumeCursor(epoch: epoch, newest: newest)
    moved = cursor
    output.store(cursor.bytes, as: ResumeCursor.key)
  }
}
