import HostPrimitives
package import DriverContract
package import CMeterDriver
import Glibc

/// Reads and checks the table of one driver (rules R2 to R4).
package struct DriverTableCheck {
  package let bundle: String
  package let index: UInt32
  package var rule = ContractRule.host

  package init(bundle: String, index: UInt32, rule: ContractRule = .host) {
    (self.bundle, self.index, self.rule) = (bundle, index, rule)
  }

  package static let longestName: UInt64 = 128
  /// Most bytes of a function's name or signature.
  package static let longestWord = 256
  package static let mostFunctions = UInt64(MH_FUNCTIONS_MAX)

  /// Whether a description is one that this check could have made: a worker's is not believed.
  package static func admits(_ description: DriverDescription) -> Bool {
    let names = [description.id, description.version, description.vendor]
    let words = description.functions.flatMap { [$0.name, $0.signature] }
    return description.functions.count <= Int(mostFunctions)
      && Set(description.extensions).count == description.extensions.count
      && names.allSatisfy { (1...Int(longestName)).contains($0.utf8.count) && $0 == $0.oneLine(atMost: .max) }
      && words.allSatisfy { (1...longestWord).contains($0.utf8.count) && $0 == $0.oneLine(atMost: .max) }
  }

  package func check(_ table: UnsafePointer<mh_driver>?) throws(DriverFault) -> DriverDescription {
    guard let table, UInt(bitPattern: table) % UInt(MemoryLayout<mh_driver>.alignment) == 0 else {
      throw fault("R1", "mh_driver_entry said MH_OK and gave no table")
    }
    // The head is the same in every version of the contract; the rest is read only when the version is ours.
    let size = UnsafeRawPointer(table).load(as: UInt32.self)
    guard size >= 16 else { throw fault("R3", "the driver's table says it has \(size) bytes") }
    let theirs = ContractVersion(
      major: UnsafeRawPointer(table).load(fromByteOffset: 4, as: UInt16.self),
      minor: UnsafeRawPointer(table).load(fromByteOffset: 6, as: UInt16.self),
      layoutHash: UnsafeRawPointer(table).load(fromByteOffset: 8, as: UInt64.self))
    if let (reason, cure) = rule.refusal(of: theirs) { throw fault("R4", "it \(reason); \(cure)") }
    guard size >= FrozenSize.driver else {
      throw fault("R3", "the driver's table has \(size) bytes; \(FrozenSize.driver) are needed")
    }
    let driver = grownStruct(table, empty: mh_driver())
    let capabilities = DriverCapabilities(rawValue: driver.capabilities)
    try checkFunctions(of: driver.bluetooth, capabilities)
    return DriverDescription(
      id: try name(driver.id, "id"), version: try name(driver.version, "version"),
      vendor: try name(driver.vendor, "vendor"), capabilities: capabilities, functions: try functions(driver),
      extensions: DriverExtension.allCases.filter { Self.table(of: driver, $0) != nil })
  }

  /// A table beyond the contract; nil when the driver does not offer it.
  package static func table(of driver: mh_driver, _ name: DriverExtension) -> UnsafeRawPointer? {
    name.rawValue.withCString { driver.extension?($0) }
  }

  /// The same as the struct that this host knows, with zeros for what the driver's own ends before.
  ///
  /// - Parameter id: The driver's.
  package static func table<Table: BitwiseCopyable>(
    of driver: mh_driver, _ id: String, _ name: DriverExtension, empty: Table
  ) throws(DriverFault) -> Table {
    guard let found = table(of: driver, name) else {
      throw DriverFault(
        .unknownDriver, driver: id, message: "the driver does not offer the extension \(name.rawValue)")
    }
    guard UInt(bitPattern: found) % UInt(MemoryLayout<Table>.alignment) == 0,
      found.load(as: UInt32.self) >= UInt32(MemoryLayout<Table>.size),
      found.load(fromByteOffset: 4, as: UInt32.self) == 0
    else {
      throw DriverFault(
        .brokeRule, driver: id, rule: "R3",
        message: "its table \(name.rawValue) lies at an odd address, is too short or has a reserved field set; build "
          + "the bundle with this release's headers")
    }
    return grownStruct(found.assumingMemoryBound(to: Table.self), empty: empty)
  }

  private func checkFunctions(
    of bluetooth: UnsafePointer<mh_bluetooth>?, _ capabilities: DriverCapabilities
  ) throws(DriverFault) {
    guard let bluetooth else {
      // Capabilities of later minors may come with tables of their own.
      guard capabilities.isDisjoint(with: [.connect, .advertisementOnly, .decode]) else {
        throw fault("R3", "it claims capabilities without a Bluetooth table")
      }
      return
    }
    guard UInt(bitPattern: bluetooth) % UInt(MemoryLayout<mh_bluetooth>.alignment) == 0 else {
      throw fault("R3", "its Bluetooth table lies at an odd address")
    }
    let size = UnsafeRawPointer(bluetooth).load(as: UInt32.self)
    guard size >= FrozenSize.bluetooth else {
      throw fault("R3", "its Bluetooth table has \(size) bytes; \(FrozenSize.bluetooth) are needed")
    }
    let table = grownStruct(bluetooth, empty: mh_bluetooth())
    guard table.reserved == 0 else { throw fault("R3", "its Bluetooth table has a reserved field set") }
    let hasSession = table.open != nil && table.event != nil && table.close != nil
    if !capabilities.isDisjoint(with: [.connect, .advertisementOnly]), !hasSession {
      throw fault("R3", "it claims sessions without open, event and close")
    }
    if capabilities.contains(.decode), table.decode == nil { throw fault("R14", "it claims decode without a function") }
  }

  private func functions(_ driver: mh_driver) throws(DriverFault) -> [DriverFunction] {
    guard driver.n_functions > 0 else { return [] }
    guard driver.n_functions <= Self.mostFunctions, let functions = driver.functions else {
      throw fault("R19", "it lists \(driver.n_functions) functions without a usable table")
    }
    var list: [DriverFunction] = []
    for index in 0..<Int(driver.n_functions) {
      guard functions[index].function != nil, let name = words(functions[index].name),
        let signature = words(functions[index].signature)
      else { throw fault("R19", "function \(index) lacks its name, signature or address") }
      list.append(DriverFunction(name: name, signature: signature))
    }
    return list
  }

  private func words(_ string: UnsafePointer<CChar>?) -> String? {
    guard let string else { return nil }
    let count = strnlen(string, Self.longestWord + 1)
    guard (1...Self.longestWord).contains(count),
      let word = String(validating: UnsafeRawBufferPointer(start: string, count: count), as: UTF8.self),
      word == word.oneLine(atMost: .max)
    else { return nil }
    return word
  }

  private func name(_ string: mh_str, _ what: String) throws(DriverFault) -> String {
    guard (1...Self.longestName).contains(string.n), let bytes = HostServices.borrowed(string.p, string.n),
      let text = String(validating: bytes, as: UTF8.self), text == text.oneLine(atMost: .max)
    else { throw fault("R6", "its \(what) is empty, longer than \(Self.longestName) bytes or no line of UTF-8") }
    return text
  }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    DriverFault(.brokeRule, driver: bundle, rule: rule, message: "driver \(index): \(what)")
  }
}
