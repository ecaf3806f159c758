import MeterDriver

// How far the cursor may move, and what has been left behind it.
extension Transfer {
  var isBroken: Bool { isDamaged || !damaged.isEmpty }

  /// Something was sent that could not be taken, and stays in the meter.
  var hasLeft: Bool { isBroken || !waiting.isEmpty || hasUnnamed }

  /// Records have come, of whatever kind.
  var hasRecords: Bool { !entries.isEmpty || !pairing.measurements.isEmpty || skipped > 0 || newestSeen != nil }

  /// A record ahead of the cursor has come. Those behind it come, too, when numbers have gone around the circle.
  var hasNew: Bool {
    guard let cursor else { return !entries.isEmpty }
    return entries.contains { cursor.distance(to: $0.identity.sequence) > 0 }
  }

  /// Another request follows in this session, for which nothing may be left over from this one.
  var isFollowed: Bool {
    switch request {
    case .newest: newestSeen != nil && newestSeen != cursor?.newest
    case .from: isDoubtful || !sawCursorRecord
    case .all: isDoubtful || skipped > 0 && !sawCursorRecord
    case .everything, .whole: false
    }
  }

  /// A meter may say that it is through before it is: an announced context is missing, or records came newest first, and not down to where
  /// the last session ended.
  ///
  /// - Parameter hasContexts: The meter can send contexts.
  mutating func mayGoOn(hasContexts: Bool) -> Bool {
    if hasContexts, awaitsContext, isFollowed { return true }
    if request == .newest { return false }
    if hasContexts, !isDoubtful, lacksContext() { return true }
    guard !request.isJudgedTogether, let first = entries.first, let last = entries.last,
      serialDistance(from: last.identity.sequence, to: first.identity.sequence) > 0
    else { return false }
    if case .from = request, !sawCursorRecord { return true }
    return serialDistance(from: cursor?.newest.sequence ?? .max, to: last.identity.sequence) > 1
  }

  mutating func movePrefix(_ output: inout Output) {
    // Until the cursor's own record has come, this may be another life of the memory.
    if case .from = request, !sawCursorRecord { return }
    let start = prefix
    while prefix < entries.count, prefix != open, entries[prefix].state == .final, !isBroken {
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
