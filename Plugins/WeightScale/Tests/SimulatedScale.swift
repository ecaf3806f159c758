import CMeterDriver
@testable import DriverTestBench

/// A scale whose packets leave one at a time, each after the confirmation of the one before, and are deleted when they
/// are confirmed. Pure: it counts PDUs so that a link can break after any of them.
struct SimulatedScale {
  enum Handle {
    static let clock: UInt16 = 8
    static let weight: UInt16 = 20
    static let composition: UInt16 = 30
    static let control: UInt16 = 40
  }

  struct Packet: Equatable {
    let handle: UInt16
    let bytes: [UInt8]
  }

  var packets: [Packet]
  /// Nil: no User Control Point.
  var code: UInt16?
  var hasComposition = true
  /// Packets stay after they are confirmed and come again at the next connection.
  var resendsAll = false

  var services: [TestService] {
    var list = [TestService(id: 0x181d, characteristics: [(Handle.weight, 0x20, 0x2a9d), (22, 0x02, 0x2a9e)])]
    if hasComposition { list.append(TestService(id: 0x181b, characteristics: [(Handle.composition, 0x20, 0x2a9c)])) }
    if code != nil { list.append(TestService(id: 0x181c, characteristics: [(Handle.control, 0x28, 0x2a9f)])) }
    return list
  }

  static func weight(_ bytes: [UInt8]) -> Packet { Packet(handle: Handle.weight, bytes: bytes) }
  static func composition(_ bytes: [UInt8]) -> Packet { Packet(handle: Handle.composition, bytes: bytes) }

  /// What a whole session brings; the link breaks after `limit` PDUs. Every unit is committed before its confirmation.
  mutating func read(
    _ host: TestHost, _ opening: TestOpening = TestOpening(), limit: Int = .max
  ) throws -> (records: [TestRecord], end: TestAction?) {
    let session = try host.open(opening)
    var left = limit
    var records: [TestRecord] = []
    var end: TestAction?
    var subscribed: Set<UInt16> = []
    var answer: [UInt8]?
    var pending: [TestAction] = []
    func commit(_ event: TestEvent) {
      let unit = session.commit(event)
      records += unit.records
      pending += unit.actions
    }
    commit(.database(services))
    var queue = packets
    while end == nil, left > 0 {
      if !pending.isEmpty {
        let action = pending.removeFirst()
        switch action.kind {
        case MH_DO_SUBSCRIBE:
          left -= 1
          guard left > 0 else { break }
          subscribed.insert(action.handle)
          commit(.subscribed(token: action.token))
        case MH_DO_WRITE:
          left -= 1
          guard left > 0 else { break }
          let sent = UInt16(action.value[2]) | UInt16(action.value[3]) << 8
          answer = [0x20, 2, sent == code ? 1 : 5]
          commit(.wrote(token: action.token))
        case MH_DO_FINISH, MH_DO_FAIL: end = action
        default: break
        }
      } else if let response = answer {
        answer = nil
        left -= 1
        commit(.indication(Handle.control, response))
      } else if subscribed.contains(Handle.weight), let packet = queue.first {
        // The indication, then its confirmation: the link may break between the two.
        left -= 1
        guard left > 0 else { break }
        if subscribed.contains(packet.handle) { commit(.indication(packet.handle, packet.bytes)) }
        left -= 1
        guard left > 0 else { break }
        queue.removeFirst()
        if !resendsAll { packets.removeFirst() }
      } else {
        commit(.timer(7))
      }
    }
    if end == nil {
      let unit = session.commit(.disconnected)
      records += unit.records
      end = unit.actions.last
    }
    return (records, end)
  }
}
