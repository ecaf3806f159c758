/// Numbers, the lowest first.
struct GroupHeap {
  private var items: [UInt32] = []

  var first: UInt32? { items.first }

  mutating func insert(_ item: UInt32) {
    items.append(item)
    var index = items.count - 1
    while index > 0, items[(index - 1) / 2] > items[index] {
      items.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let last = items.popLast(), !items.isEmpty else { return }
    items[0] = last
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < items.count else { return }
      if child + 1 < items.count, items[child + 1] < items[child] { child += 1 }
      if items[index] <= items[child] { return }
      items.swapAt(index, child)
      index = child
    }
  }
}
