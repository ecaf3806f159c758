import Foundation
import HostPrimitives
import MeterDrivers

/// First inputs, in the form that `SDK/fuzz/fuzz.h` describes: every vector decoded, and a session of every meter in which
/// it sends them. Of a driver of exports: every export, given in several ways.
struct FuzzSeeds {
  let meters: [FuzzMeter]
  let vectors: [FuzzVector]
  let exports: [[UInt8]]

  /// The most bytes of an input that is a file.
  static let longestExport = 1 << 16

  private enum Options {
    static let session: UInt8 = 0x01
    static let gone: UInt8 = 0x01
    static let smallRoom: UInt8 = 0x02
    static let pairing: UInt8 = 0x08
    static let encrypted: UInt8 = 0x10
    static let twice: UInt8 = 0x80
  }

  private enum Opcode {
    static let services: UInt8 = 0
    static let answer: UInt8 = 1
    static let notification: UInt8 = 3
    static let indication: UInt8 = 4
    static let timer: UInt8 = 5
    static let advertisement: UInt8 = 10
    static let disconnected: UInt8 = 12
    static let again: UInt8 = 13
  }

  /// How an export is given: as a whole, into small sinks, in the pieces that the file says and as a whole, and so that it is gone.
  private static let manners: [UInt8] = [0, Options.smallRoom, Options.smallRoom | Options.twice, Options.gone]

  /// Every property: read, write in both ways, notify, indicate. The registry does not tell them.
  private static let properties: UInt8 = 0x3E

  var inputs: [[UInt8]] {
    vectors.compactMap(decoding) + meters.flatMap(sessions) + exports.flatMap(files)
  }

  private func files(_ export: [UInt8]) -> [[UInt8]] {
    let file = Array(export.prefix(Self.longestExport - 1))
    return Self.manners.map { manner in [manner] + file }
  }

  private func decoding(_ vector: FuzzVector) -> [UInt8]? {
    let isServiceData = vector.service_data == true
    let code = vector.uuid.uuid16 ?? meters.lazy.compactMap { $0.code(of: vector.uuid, isServiceData) }.first
    return code.map { [0, isServiceData ? 1 : 0] + $0.littleEndianBytes + text(vector.bytes) }
  }

  private func sessions(_ meter: FuzzMeter) -> [[UInt8]] {
    let known = meter.services.prefix(6)
    let characteristics = Array(
      known.enumerated().flatMap { place, service in service.characteristics.map { ($0.uuid, UInt8(place)) } }
        .prefix(24))
    guard !characteristics.isEmpty else { return vectors.isEmpty ? [] : [advertised] }
    var start: [UInt8] = [Opcode.services, UInt8(known.count)] + known.flatMap { uuid($0.uuid) }
    start.append(UInt8(characteristics.count))
    for (id, service) in characteristics { start += uuid(id) + [service, Self.properties] }
    // What the driver asks first: subscriptions, a read, a request.
    start += [UInt8](repeating: 0, count: 6).flatMap { _ in [Opcode.answer] + text([]) }
    var values: [UInt8] = []
    for (place, (id, _)) in characteristics.enumerated() {
      for vector in vectors where id == vector.uuid && vector.service_data != true {
        for opcode in [Opcode.notification, Opcode.indication] {
          values += [opcode, UInt8(place)] + text(vector.bytes) + [Opcode.answer] + text(vector.bytes)
        }
      }
    }
    let end: [UInt8] = [Opcode.timer, 0, Opcode.disconnected]
    let options = Options.session | Options.twice
    return [
      [options] + start + values + end,
      [options | Options.smallRoom | Options.encrypted] + start + values + [Opcode.again] + start + values + end,
      [options | Options.pairing] + start + values + end,
    ]
  }

  /// A session without a connection.
  private var advertised: [UInt8] {
    let reports = vectors.flatMap { vector -> [UInt8] in
      // Flags, then service data with its UUID (Core Specification Supplement, Part A 1.11).
      let data = (vector.uuid.uuid16 ?? 0).littleEndianBytes + vector.bytes
      return [Opcode.advertisement] + text([2, 0x01, 0x06, UInt8(clamping: data.count + 1), 0x16] + data)
    }
    return [Options.session | Options.twice] + reports + [Opcode.disconnected]
  }

  private func uuid(_ id: UUIDString) -> [UInt8] {
    if let short = id.uuid16 { return text(short.bigEndianBytes) }
    return text(Array(id.bigEndianBytes))
  }

  private func text(_ bytes: [UInt8]) -> [UInt8] {
    let kept = bytes.prefix(255)
    return [UInt8(kept.count)] + kept
  }
}
