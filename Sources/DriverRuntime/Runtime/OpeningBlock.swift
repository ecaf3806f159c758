package import DriverContract
package import CMeterDriver

/// An opening in the form that the contract wants, in one piece of memory of its own.
package final class OpeningBlock {
  package let table: UnsafeMutablePointer<mh_open>
  private let parameters: UnsafeMutableBufferPointer<mh_param>
  private let arena: UnsafeMutableRawBufferPointer

  package init(_ opening: DriverOpening, peer: UInt64) {
    let strings = [opening.manufacturer, opening.model, opening.name, opening.advertisedName].map { Array($0.utf8) }
    let parts = strings + [opening.advertisement] + opening.parameters.map(Self.content)
    let arena = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, parts.reduce(0) { $0 + $1.count }), alignment: 8)
    var used = 0
    func place(_ part: [UInt8]) -> (UnsafeRawPointer?, UInt64) {
      guard !part.isEmpty else { return (nil, 0) }
      let slot = UnsafeMutableRawBufferPointer(rebasing: arena[used..<used + part.count])
      slot.copyBytes(from: part)
      used += part.count
      return (UnsafeRawPointer(slot.baseAddress), UInt64(part.count))
    }
    func words(_ part: [UInt8]) -> mh_str {
      let (start, count) = place(part)
      return mh_str(p: start?.assumingMemoryBound(to: CChar.self), n: count)
    }
    func bytes(_ part: [UInt8]) -> mh_bytes {
      let (start, count) = place(part)
      return mh_bytes(p: start?.assumingMemoryBound(to: UInt8.self), n: count)
    }
    let parameters = UnsafeMutableBufferPointer<mh_param>.allocate(capacity: max(1, opening.parameters.count))
    for (index, parameter) in opening.parameters.enumerated() {
      parameters.initializeElement(at: index, to: Self.parameter(parameter, bytes))
    }
    var head = mh_open()
    head.struct_size = UInt32(MemoryLayout<mh_open>.size)
    head.peripheral_id = opening.peripheralID
    head.purpose = opening.purpose.rawValue
    head.clock_trust = opening.clockTrust.rawValue
    head.peer = peer
    head.unix_us = opening.unixMicroseconds
    head.since_us = opening.since ?? .min
    head.until_us = opening.until ?? .max
    head.utc_offset_s = opening.utcOffsetSeconds
    head.limit = opening.limit
    withUnsafeMutableBytes(of: &head.address) { $0.copyBytes(from: opening.address.prefix(6)) }
    head.address_type = opening.addressType
    head.security = opening.security
    head.n_params = UInt32(opening.parameters.count)
    head.manufacturer = words(strings[0])
    head.model = words(strings[1])
    head.name = words(strings[2])
    head.advertised_name = words(strings[3])
    head.advertisement = bytes(opening.advertisement)
    head.params = UnsafePointer(parameters.baseAddress)
    table = .allocate(capacity: 1)
    table.initialize(to: head)
    self.parameters = parameters
    self.arena = arena
  }

  deinit {
    table.deallocate()
    parameters.deallocate()
    arena.deallocate()
  }

  private static func content(_ parameter: DriverParameter) -> [UInt8] {
    switch parameter.value {
    case .integer, .float: []
    case .bytes(let bytes): bytes
    case .text(let text): Array(text.utf8)
    }
  }

  private static func parameter(_ parameter: DriverParameter, _ place: ([UInt8]) -> mh_bytes) -> mh_param {
    var result = mh_param()
    result.name = parameter.name
    switch parameter.value {
    case .integer(let number):
      result.type = UInt16(MH_PARAM_TYPE_INTEGER)
      result.i = number
    case .float(let number):
      result.type = UInt16(MH_PARAM_TYPE_FLOAT)
      result.f = number
    case .bytes:
      result.type = UInt16(MH_PARAM_TYPE_BYTES)
      result.b = place(content(parameter))
    case .text:
      result.type = UInt16(MH_PARAM_TYPE_TEXT)
      result.b = place(content(parameter))
    }
    return result
  }
}
