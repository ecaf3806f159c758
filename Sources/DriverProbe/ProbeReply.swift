import DriverContract
import DriverRuntime
import CMeterDriver

/// What a probe answers. Nothing in it is believed before it is checked: a driver shares its process.
enum ProbeReply: Sendable {
  /// The drivers of the bundle.
  case hello([DriverDescription])
  /// A status of the driver.
  case status(Int32)
  case entry(ProbedEntry)
  case unit(ProbedUnit)
  /// Bytes of the heap that the last of many sessions have left behind, all together.
  case growth(Int64)
  case decoded([DecodedRun])
  case process(ProbedProcess)
  /// What an extension answered, unchecked.
  case `extension`([UInt8])
  /// A rule was broken; the driver's name is the suite's to fill in.
  case fault(DriverFault)

  var type: UInt8 {
    switch self {
    case .hello: 80
    case .status: 81
    case .entry: 82
    case .unit: 83
    case .growth: 84
    case .decoded: 85
    case .process: 86
    case .fault: 87
    case .extension: 88
    }
  }

  var payload: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .hello(let drivers): writer.put(drivers) { $1.encode(to: &$0) }
    case .status(let status): writer.put(status)
    case .entry(let entry):
      writer.put(entry.status)
      writer.put(entry.table)
      writer.put(entry.reason)
    case .unit(let unit):
      writer.put(unit.cpuNanoseconds)
      unit.raw.encode(to: &writer)
    case .growth(let bytes): writer.put(bytes)
    case .decoded(let runs): writer.put(runs) { $1.encode(to: &$0) }
    case .process(let process): process.encode(to: &writer)
    case .fault(let fault): fault.encode(to: &writer)
    case .extension(let payload): writer.put(payload)
    }
    return writer.bytes
  }

  init(type: UInt8, payload: [UInt8]) throws(WireError) {
    var reader = WireReader(payload)
    switch type {
    case 80:
      self = .hello(
        try reader.list(least: 28) { reader throws(WireError) in try DriverDescription(from: &reader) })
    case 81: self = .status(try reader.number())
    case 82:
      self = .entry(
        ProbedEntry(status: try reader.number(), table: try reader.number(), reason: try reader.text()))
    case 83:
      let time = try reader.number(Int64.self)
      self = .unit(ProbedUnit(raw: try RawUnit(from: &reader), cpuNanoseconds: time))
    case 84: self = .growth(try reader.number())
    case 85:
      self = .decoded(try reader.list(least: 8) { reader throws(WireError) in try DecodedRun(from: &reader) })
    case 86: self = .process(try ProbedProcess(from: &reader))
    case 87: self = .fault(try DriverFault(from: &reader))
    case 88: self = .extension(try reader.content())
    default: throw WireError(message: "message type \(type) is unknown")
    }
    try reader.end()
  }
}

extension DecodedRun {
  fileprivate func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.put(rounds) {
      $0.putFrozen($1.slices)
      $0.putFrozen($1.output.records)
      $0.putFrozen($1.output.values)
      $0.putFrozen($1.output.texts)
      $0.put($1.output.arena)
    }
  }

  fileprivate init(from reader: inout WireReader) throws(WireError) {
    self.init(
      status: try reader.number(),
      rounds: try reader.list(least: 20) { reader throws(WireError) in
        let slices = try reader.frozen(mh_slice.self)
        return Round(
          slices: slices,
          output: RawOutput(
            records: try reader.frozen(), values: try reader.frozen(), texts: try reader.frozen(),
            arena: try reader.content()))
      })
  }
}

extension ProbedProcess {
  fileprivate func encode(to writer: inout WireWriter) {
    writer.put(heap)
    writer.put(environment)
    writer.put(descriptors)
    writer.put(threads)
    writer.put(rounding)
    writer.put(locale)
    writer.put(servicesOutside) { $0.put($1) }
    writer.put(servicesInDecode) { $0.put($1) }
  }

  fileprivate init(from reader: inout WireReader) throws(WireError) {
    self.init(
      heap: try reader.number(), environment: try reader.number(), descriptors: try reader.number(),
      threads: try reader.number(), rounding: try reader.number(), locale: try reader.text(),
      servicesOutside: try reader.list(least: 4) { reader throws(WireError) in try reader.text() },
      servicesInDecode: try reader.list(least: 4) { reader throws(WireError) in try reader.text() })
  }
}
