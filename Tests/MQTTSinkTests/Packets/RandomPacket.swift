import TestSupport

@testable import MQTTSink

extension SeededGenerator {
  mutating func text(_ counts: ClosedRange<Int> = 0...20) -> String {
    String(
      (0..<Int.random(in: counts, using: &self)).map { _ in
        Array("abcXYZ09/-_é漢😀 ".unicodeScalars).map(Character.init)[Int.random(in: 0..<16, using: &self) % 15]
      })
  }

  mutating func properties() -> MQTTProperties {
    var properties = MQTTProperties()
    var seen: Set<MQTTProperties.Identifier> = []
    for _ in 0..<Int.random(in: 0...5, using: &self) {
      let all = MQTTProperties.Identifier.allCases
      let identifier = all[Int.random(in: 0..<all.count, using: &self)]
      guard identifier.mayRepeat || seen.insert(identifier).inserted else { continue }
      let value: MQTTProperties.Value =
        switch identifier.form {
        case .byte: .byte(UInt8.random(in: 0...255, using: &self))
        case .twoBytes: .twoBytes(uint16())
        case .fourBytes: .fourBytes(UInt32.random(in: 0...UInt32.max, using: &self))
        case .integer: .integer(Int.random(in: 0...MQTTWriter.greatestInteger, using: &self))
        case .text: .text(text())
        case .binary: .binary(bytes(0...20))
        case .pair: .pair(text(), text())
        }
      properties.set(identifier, value)
    }
    return properties
  }

  mutating func reason() -> MQTTReason { MQTTReason(rawValue: UInt8.random(in: 0...255, using: &self)) }

  mutating func identifier() -> UInt16 { UInt16.random(in: 1...0xFFFF, using: &self) }

  /// Any packet that can be written.
  mutating func packet() -> MQTTPacket {
    switch Int.random(in: 0...8, using: &self) {
    case 0:
      var connect = MQTTConnect(clientID: text(), keepAlive: uint16())
      connect.isCleanStart = Bool.random(using: &self)
      connect.userName = Bool.random(using: &self) ? text() : nil
      connect.password = Bool.random(using: &self) ? bytes(0...30) : nil
      connect.properties = properties()
      if Bool.random(using: &self) {
        connect.will = MQTTConnect.Will(
          topic: text(), payload: bytes(0...40), isRetained: Bool.random(using: &self),
          quality: UInt8.random(in: 0...1, using: &self), properties: properties())
      }
      return .connect(connect)
    case 1:
      return .connack(
        MQTTConnack(isSessionPresent: Bool.random(using: &self), reason: reason(), properties: properties()))
    case 2:
      let identifier = Bool.random(using: &self) ? identifier() : nil
      return .publish(
        MQTTPublish(
          topic: text(1...30), payload: bytes(0...300), identifier: identifier, isRetained: Bool.random(using: &self),
          isDuplicate: identifier != nil && Bool.random(using: &self), properties: properties()))
    case 3: return .puback(MQTTPuback(identifier: identifier(), reason: reason(), properties: properties()))
    case 4:
      let filters = (0..<Int.random(in: 1...4, using: &self)).map { _ in
        MQTTSubscribe.Filter(
          topic: text(1...20), quality: UInt8.random(in: 0...1, using: &self), isWithoutOwn: Bool.random(using: &self),
          isWithoutRetained: Bool.random(using: &self))
      }
      return .subscribe(MQTTSubscribe(identifier: identifier(), filters: filters))
    case 5:
      let reasons = (0..<Int.random(in: 1...4, using: &self)).map { _ in reason() }
      return .suback(MQTTSuback(identifier: identifier(), reasons: reasons, properties: properties()))
    case 6: return .pingreq
    case 7: return .pingresp
    default: return .disconnect(MQTTDisconnect(reason: reason(), properties: properties()))
    }
  }
}
