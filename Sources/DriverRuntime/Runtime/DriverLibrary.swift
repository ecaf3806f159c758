public import DriverContract
import CLinux
package import CMeterDriver
import Synchronization

/// A bundle mapped into this process: its drivers, for the life of the process (rules R1, R4, R20).
///
/// Whoever maps a bundle runs its code: verify the bytes first, and keep the descriptor open for ever.
public final class DriverLibrary: Sendable {
  /// The bundle's name in messages.
  public let name: String
  /// The drivers in the bundle's order.
  public let drivers: [DriverDescription]
  private let turn = Mutex<Void>(())
  // Constant tables of an object that is never unmapped, in the order of `drivers`.
  private nonisolated(unsafe) let tables: [UnsafePointer<mh_driver>]

  /// The most drivers that a bundle may hold.
  package static let mostDrivers = UInt32(MH_DRIVERS_MAX)

  private typealias Entry =
    @convention(c) (
      UnsafePointer<mh_host>?, UInt32, UnsafeMutablePointer<UnsafePointer<mh_driver>?>?, UnsafeMutablePointer<mh_str>?
    ) -> Int32

  /// Maps the bundle behind an open descriptor and lists its drivers.
  ///
  /// - Parameters:
  ///   - descriptor: An open file; must stay open for the life of the process, because the loader knows a bundle by
  ///     the path that is made of its number.
  ///   - name: How messages call the bundle.
  /// - Throws: `DriverFault` `loadFailed`, `refused` or `brokeRule`.
  public convenience init(descriptor: Int32, name: String) throws(DriverFault) {
    try self.init(descriptor: descriptor, name: name, rule: .host)
  }

  package init(descriptor: Int32, name: String, rule: ContractRule) throws(DriverFault) {
    let entry = try Self.entry(descriptor: descriptor, name: name)
    var drivers: [DriverDescription] = []
    var tables: [UnsafePointer<mh_driver>] = []
    for index in 0..<Self.mostDrivers {
      guard let table = try Self.driver(index, entry, name) else { break }
      let description = try DriverTableCheck(bundle: name, index: index, rule: rule).check(table)
      guard !drivers.contains(where: { $0.id == description.id }) else {
        throw DriverFault(
          .brokeRule, driver: name, rule: "R1", message: "two drivers of the bundle have the id \(description.id)")
      }
      drivers.append(description)
      tables.append(table)
    }
    guard !drivers.isEmpty else {
      throw DriverFault(.brokeRule, driver: name, rule: "R1", message: "the bundle holds no driver")
    }
    self.name = name
    self.drivers = drivers
    self.tables = tables
  }

  private static func entry(descriptor: Int32, name: String) throws(DriverFault) -> Entry {
    var words = [CChar](repeating: 0, count: 512)
    guard let object = clinux_map_object("/proc/self/fd/\(descriptor)", &words, UInt32(words.count)) else {
      throw DriverFault(
        .loadFailed, driver: name, rule: "R20", message: "the bundle cannot be mapped", cause: string(words))
    }
    var isOwn: Int32 = 0
    guard let address = clinux_symbol(object, "mh_driver_entry", &isOwn, &words, UInt32(words.count)) else {
      throw DriverFault(
        .loadFailed, driver: name, rule: "R1",
        message: "the bundle does not export mh_driver_entry; it is no driver, or was linked without SDK/driver.map")
    }
    guard isOwn == 1 else {
      throw DriverFault(
        .loadFailed, driver: name, rule: "R20",
        message: "mh_driver_entry comes from a library that the bundle needs (\(string(words))), not from the bundle")
    }
    return unsafeBitCast(address, to: Entry.self)
  }

  private static func driver(
    _ index: UInt32, _ entry: Entry, _ name: String
  ) throws(DriverFault) -> UnsafePointer<mh_driver>? {
    var table: UnsafePointer<mh_driver>?
    var why = mh_str(p: nil, n: 0)
    let status = entry(HostServices.table, index, &table, &why)
    switch status {
    case MH_OK: return table
    case MH_END: return nil
    case MH_REFUSED:
      let words = why.n <= 1024 ? HostServices.borrowed(why.p, why.n).map { String(decoding: $0, as: UTF8.self) } : nil
      throw DriverFault(
        .refused, driver: name, message: "the bundle will not serve this host", cause: words ?? "it did not say why")
    default:
      throw DriverFault(
        .brokeRule, driver: name, rule: "R1", message: "mh_driver_entry returned \(statusName(status))")
    }
  }

  private func index(of id: String) throws(DriverFault) -> Int {
    guard let index = drivers.firstIndex(where: { $0.id == id }) else {
      let known = drivers.map(\.id).joined(separator: ", ")
      throw DriverFault(.unknownDriver, driver: id, message: "bundle \(name) holds no such driver, only \(known)")
    }
    return index
  }

  /// The Bluetooth table of a driver that has all of the capabilities.
  package func bluetooth(_ id: String, _ needed: DriverCapabilities) throws(DriverFault) -> mh_bluetooth {
    let index = try index(of: id)
    guard !drivers[index].capabilities.isDisjoint(with: needed), let table = tables[index].pointee.bluetooth else {
      throw DriverFault(
        .unknownDriver, driver: id, message: "the driver does not offer what is asked of it (capabilities)")
    }
    return grownStruct(table, empty: mh_bluetooth())
  }

  /// Calls a function of a draft extension. Those may keep what they work with for the whole process, so their calls come one
  /// after the other, whoever makes them: two readers of one bundle would write over each other's pictures.
  package func inTurn(_ body: () -> Int32) -> Int32 { turn.withLock { _ in body() } }

  /// A table beyond the frozen contract (rule R5), with zeros for what the driver's own ends before.
  package func table<Table: BitwiseCopyable>(
    _ id: String, _ name: DriverExtension, empty: Table
  ) throws(DriverFault) -> Table {
    try DriverTableCheck.table(
      of: grownStruct(tables[try index(of: id)], empty: mh_driver()), id, name, empty: empty)
  }

  /// The address of an extension function, whose name and signature are read from the driver's table once more: nothing
  /// but the table says how it must be called (rule R19).
  package func function(_ id: String, _ call: FunctionCall) throws(DriverFault) -> @convention(c) () -> Void {
    let table = grownStruct(tables[try index(of: id)], empty: mh_driver())
    for place in 0..<Int(clamping: min(table.n_functions, UInt64(MH_FUNCTIONS_MAX))) {
      guard let found = table.functions?[place], let name = found.name, String(cString: name) == call.function,
        let signature = found.signature.map({ String(cString: $0) }), let address = found.function
      else { continue }
      guard signature == call.signature.description else {
        throw DriverFault(
          .brokeRule, driver: id, rule: "R19",
          message: "the bundle's function \(call.function) is \(signature), the registry says \(call.signature); "
            + "install the bundle that belongs to the entry, or correct the entry")
      }
      return address
    }
    throw DriverFault(.unknownDriver, driver: id, rule: "R19", message: "the driver has no function \(call.function)")
  }

  private static func string(_ words: [CChar]) -> String {
    String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
