import CMeterDriver
import CMeterDriverNote

/// The drivers of this bundle. The bundle's module names them in the one function that the library calls:
///
/// ```swift
/// @c(mh_swift_bundle) public func registerDrivers() { Bundle.register(ScaleDriver.self) }
/// ```
public enum Bundle {
  /// The most drivers that one bundle can hold: the contract's functions do not name their driver, so each place has
  /// functions of its own.
  public static var capacity: Int { 4 }

  /// Adds a driver. More than ``capacity`` are refused: the host is told when it asks for them.
  public static func register<Driver: MeterDriver>(_ type: Driver.Type) {
    guard registered.count < capacity else {
      tooMany = true
      return
    }
    let place = registered.count
    registered.append(TypedRegistration<Driver>(Driver.identity))
    tables[place] = makeTable(place, Driver.identity)
    var list = FunctionList(decode: decodeFunction(place))
    Driver.declare(&list)
    guard let functions = list.functions else { return }
    tables[place].functions = UnsafePointer(functions)
    tables[place].n_functions = UInt64(list.count)
  }

  // Written under mh_swift_once before anything reads them, constant for the rest of the process.
  nonisolated(unsafe) static var registered: [Registration] = []
  nonisolated(unsafe) static var tooMany = false
  nonisolated(unsafe) static var tooManyFunctions = false
  nonisolated(unsafe) static let tables = UnsafeMutablePointer<mh_driver>.allocate(capacity: 4)

  private static func makeTable(_ place: Int, _ identity: DriverIdentity) -> mh_driver {
    let bluetooth = UnsafeMutablePointer<mh_bluetooth>.allocate(capacity: 1)
    bluetooth.initialize(to: mh_bluetooth())
    bluetooth.pointee.struct_size = UInt32(MemoryLayout<mh_bluetooth>.size)
    bluetooth.pointee.open = openFunction(place)
    bluetooth.pointee.event = { Bundle.event($0, $1, $2) }
    bluetooth.pointee.close = { Bundle.close($0) }
    bluetooth.pointee.decode = decodeFunction(place)
    var table = mh_driver()
    table.struct_size = UInt32(MemoryLayout<mh_driver>.size)
    table.abi_major = mh_abi_major()
    table.abi_minor = mh_abi_minor()
    table.layout_hash = mh_layout_hash()
    table.capabilities = identity.capabilities.rawValue
    table.id = identity.id.contractText
    table.version = identity.version.contractText
    table.vendor = identity.vendor.contractText
    table.bluetooth = UnsafePointer(bluetooth)
    return table
  }

  private static func openFunction(_ place: Int) -> OpenFunction {
    switch place {
    case 0: { Bundle.open(0, $0, $1, $2) }
    case 1: { Bundle.open(1, $0, $1, $2) }
    case 2: { Bundle.open(2, $0, $1, $2) }
    default: { Bundle.open(3, $0, $1, $2) }
    }
  }

  private static func decodeFunction(_ place: Int) -> DecodeFunction {
    switch place {
    case 0: { Bundle.decode(0, $0, $1, $2, $3, $4, $5) }
    case 1: { Bundle.decode(1, $0, $1, $2, $3, $4, $5) }
    case 2: { Bundle.decode(2, $0, $1, $2, $3, $4, $5) }
    default: { Bundle.decode(3, $0, $1, $2, $3, $4, $5) }
    }
  }
}

typealias OpenFunction =
  @convention(c) (UnsafePointer<mh_host>?, UnsafePointer<mh_open>?, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
typealias DecodeFunction =
  @convention(c) (
    UnsafePointer<mh_open>?, mh_bytes, UnsafeMutablePointer<mh_slice>?, UInt64, UnsafeMutablePointer<mh_sink>?,
    UnsafeMutablePointer<UInt64>?
  ) -> Int32
