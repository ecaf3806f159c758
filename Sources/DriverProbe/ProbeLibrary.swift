import DriverContract
import DriverRuntime
import CLinux
import CMeterDriver

/// A bundle in a probe: mapped as a worker does it, and asked for its drivers as often as the suite likes (rules R1, R4).
final class ProbeLibrary {
  let name: String
  let host: UnsafePointer<mh_host>
  private(set) var drivers: [DriverDescription] = []
  private var tables: [UnsafePointer<mh_driver>] = []
  private let entry: Entry

  private typealias Entry =
    @convention(c) (
      UnsafePointer<mh_host>?, UInt32, UnsafeMutablePointer<UnsafePointer<mh_driver>?>?, UnsafeMutablePointer<mh_str>?
    ) -> Int32

  init(descriptor: Int32, name: String, host: UnsafePointer<mh_host>) throws(DriverFault) {
    self.name = name
    self.host = host
    var words = [CChar](repeating: 0, count: 512)
    var isOwn: Int32 = 0
    guard let object = clinux_map_object("/proc/self/fd/\(descriptor)", &words, UInt32(words.count)),
      let address = clinux_symbol(object, "mh_driver_entry", &isOwn, &words, UInt32(words.count)), isOwn == 1
    else {
      let cause = String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw DriverFault(.loadFailed, driver: name, rule: "R20", message: "the bundle cannot be mapped", cause: cause)
    }
    entry = unsafeBitCast(address, to: Entry.self)
  }

  /// Lists the drivers.
  func load() throws(DriverFault) {
    for index in 0..<UInt32(MH_DRIVERS_MAX) {
      let (said, table) = ask(index)
      switch said.status {
      case MH_END: return
      case MH_OK: break
      case MH_REFUSED:
        throw DriverFault(
          .refused, driver: name, message: "the bundle will not serve this host", cause: said.reason)
      default:
        throw DriverFault(
          .brokeRule, driver: name, rule: "R1", message: "mh_driver_entry returned \(statusName(said.status))")
      }
      let description = try DriverTableCheck(bundle: name, index: index).check(table)
      guard let table else { return }
      drivers.append(description)
      tables.append(table)
    }
  }

  /// What the bundle says to an index.
  func ask(_ index: UInt32) -> (said: ProbedEntry, table: UnsafePointer<mh_driver>?) {
    var table: UnsafePointer<mh_driver>?
    var why = mh_str(p: nil, n: 0)
    let status = entry(host, index, &table, &why)
    let words = why.n <= 1024 ? HostServices.borrowed(why.p, why.n).map { String(decoding: $0, as: UTF8.self) } : nil
    let said = ProbedEntry(
      status: status, table: status == MH_OK ? UInt64(UInt(bitPattern: table)) : 0,
      reason: status == MH_REFUSED ? words ?? "" : "")
    return (said, status == MH_OK ? table : nil)
  }

  /// The Bluetooth table of a driver.
  func bluetooth(_ id: String) throws(DriverFault) -> mh_bluetooth {
    guard let table = try driver(id).pointee.bluetooth else {
      throw DriverFault(.unknownDriver, driver: id, message: "the driver has no Bluetooth table")
    }
    return grownStruct(table, empty: mh_bluetooth())
  }

  /// Whether a driver hands out a table under an id.
  func hasExtension(_ driver: String, _ id: String) throws(DriverFault) -> Bool {
    let table = grownStruct(try self.driver(driver), empty: mh_driver())
    return table.extension?(id) != nil
  }

  /// A table beyond the frozen contract, as a worker takes it.
  func table<Table: BitwiseCopyable>(
    _ id: String, _ name: DriverExtension, empty: Table
  ) throws(DriverFault) -> Table {
    try DriverTableCheck.table(of: grownStruct(try driver(id), empty: mh_driver()), id, name, empty: empty)
  }

  /// A probe makes one call at a time.
  func inTurn(_ body: () -> Int32) -> Int32 { body() }

  private func driver(_ id: String) throws(DriverFault) -> UnsafePointer<mh_driver> {
    guard let index = drivers.firstIndex(where: { $0.id == id }) else {
      throw DriverFault(.unknownDriver, driver: id, message: "bundle \(name) holds no such driver")
    }
    return tables[index]
  }
}

extension ProbeLibrary: ExtensionTables {}
