/// Places of meters in the order of a time: a binary heap whose outdated places are passed over when their turn comes.
struct MeterQueue: Sendable {
  struct Place: Sendable {
    /// Who has the least comes first.
    let key: Duration
    /// Decides between equal keys, and says which place of the meter this is: no number is used twice.
    let serial: UInt64
    /// Where the meter stands in the book.
    let meter: Int

    func precedes(_ other: Place) -> Bool { key == other.key ? serial < other.serial : key < other.key }
  }

  private(set) var places: [Place] = []

  var first: Place? { places.first }

  mutating func insert(_ place: Place) {
    places.append(place)
    rise(from: places.count - 1)
  }

  mutating func removeFirst() {
    guard let last = places.popLast(), !places.isEmpty else { return }
    places[0] = last
    sink(from: 0)
  }

  /// Drops the places that do not count any more.
  mutating func compact(keeping counts: (Place) -> Bool) {
    places = places.filter(counts)
    for index in stride(from: places.count / 2, through: 0, by: -1) { sink(from: index) }
  }

  private mutating func rise(from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard places[index].precedes(places[parent]) else { return }
      places.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func sink(from start: Int) {
    var index = start
    while true {
      var least = index
      for child in 2 * index + 1..<2 * index + 3 where child < places.count && places[child].precedes(places[least]) {
        least = child
      }
      guard least != index else { return }
      places.swapAt(index, least)
      index = least
    }
  }
}
