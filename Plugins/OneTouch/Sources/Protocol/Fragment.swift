/// What one value of the two characteristics is: its first byte holds the kind in the upper two bits and a number in the
/// lower six.
enum FragmentHeader: Equatable {
  /// The first fragment of a frame; the number counts all of them.
  case first(count: UInt8)
  /// A later fragment.
  case next(number: UInt8)
  /// The other side has the fragment with this header number.
  case acknowledgement(number: UInt8)
  /// Not known to occur.
  case unknown

  init(_ byte: UInt8) {
    let number = byte & 0x3f
    switch byte & 0xc0 {
    case 0x00: self = .first(count: number)
    case 0x40: self = .next(number: number)
    case 0x80: self = .acknowledgement(number: number)
    default: self = .unknown
    }
  }

  var byte: UInt8 {
    switch self {
    case .first(let count): count
    case .next(let number): 0x40 | number
    case .acknowledgement(let number): 0x80 | number
    case .unknown: 0xc0
    }
  }
}

/// Why a fragment is not taken.
enum FragmentError: Error, Equatable {
  /// No byte at all, or no frame byte behind the header.
  case empty
  /// A first fragment that announces none, or more bytes than a frame can have.
  case impossible
  /// A later fragment without its first one, or out of its order.
  case outOfOrder
}

/// A frame cut into fragments for sending. The header numbers count down: how many fragments are left with this one
/// (sivulich/AppiaGlucometers, Bleuart.java).
struct FragmentQueue {
  private let fragments: [[UInt8]]
  private var place = 0

  /// - Parameter size: The most bytes that one fragment may have, header included; at least 2.
  init(_ frame: [UInt8], size: Int) {
    let room = max(size, 2) - 1
    let count = (frame.count + room - 1) / room
    fragments = (0..<count).map { index in
      let left = UInt8(truncatingIfNeeded: count - index)
      let header = index == 0 ? FragmentHeader.first(count: left) : .next(number: left)
      return [header.byte] + frame[index * room..<min((index + 1) * room, frame.count)]
    }
  }

  /// The fragment that is to be sent or waits for its acknowledgement; nil when all are through.
  var current: [UInt8]? { place < fragments.count ? fragments[place] : nil }

  /// Takes an acknowledgement; false when it is for no fragment of ours that waits.
  mutating func acknowledge(_ number: UInt8) -> Bool {
    guard let current, current[0] & 0x3f == number else { return false }
    place += 1
    return true
  }

  /// Starts again at the first fragment.
  mutating func rewind() { place = 0 }
}

/// Joins received fragments to a frame. Public sources disagree whether later fragments count down or up; the second
/// fragment decides, and the frame's checksum has the last word.
struct FragmentAssembler {
  private var frame: [UInt8] = []
  private var count: UInt8 = 0
  private var received: UInt8 = 0
  private var countsUp = false

  /// True between the first fragment of a frame and its last.
  var isInside: Bool { received > 0 }

  /// Takes a fragment; the frame when it was the last one. A first fragment always starts a new frame, and after an error
  /// everything that was received of a frame is forgotten.
  mutating func take(_ fragment: [UInt8]) throws(FragmentError) -> [UInt8]? {
    guard fragment.count >= 2 else {
      reset()
      throw .empty
    }
    switch FragmentHeader(fragment[0]) {
    case .first(let announced):
      reset()
      guard announced > 0 else { throw .impossible }
      count = announced
    case .next(let number):
      guard isInside, accepts(number) else {
        reset()
        throw .outOfOrder
      }
    case .acknowledgement, .unknown: throw .outOfOrder
    }
    guard frame.count + fragment.count - 1 <= Frame.longest else {
      reset()
      throw .impossible
    }
    frame.append(contentsOf: fragment[1...])
    received += 1
    guard received == count else { return nil }
    defer { reset() }
    return frame
  }

  mutating func reset() {
    frame.removeAll(keepingCapacity: true)
    count = 0
    received = 0
    countsUp = false
  }

  private mutating func accepts(_ number: UInt8) -> Bool {
    let down = count - received
    if received == 1, number != down { countsUp = number == 1 }
    return number == (countsUp ? received : down)
  }
}
