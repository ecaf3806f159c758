import HostPrimitives

/// What tells one kind of device from another in its advertisement and scan response: services, companies and name.
///
/// Says what ``AdvertisingData`` says of the structures of both in this order, without an object for each of them. One
/// value is made once and reads advertisement after advertisement: its lists keep their memory.
public struct AdvertisingFacts: Sendable {
  /// The services of all lists, sorted, each once.
  public private(set) var services: [BluetoothUUID] = []
  /// The services that have data, sorted, each once.
  public private(set) var dataServices: [BluetoothUUID] = []
  /// The companies of the manufacturers' data, sorted, each once.
  public private(set) var companies: [UInt16] = []
  /// The name in UTF-8 as ``AdvertisingData/localName`` has it; empty without one.
  public private(set) var name: [UInt8] = []
  /// Whether there is a name, be it an empty one.
  public private(set) var hasName = false
  private var hasCompleteName = false

  /// What is known of nobody.
  public init() {}

  /// Forgets what was read before and reads an advertisement, and the scan response that belongs to it; never fails, as
  /// ``AdvertisingData/init(parsing:)``.
  public mutating func read(_ advertisement: [UInt8], scanResponse: [UInt8] = []) {
    services.removeAll(keepingCapacity: true)
    dataServices.removeAll(keepingCapacity: true)
    companies.removeAll(keepingCapacity: true)
    name.removeAll(keepingCapacity: true)
    (hasName, hasCompleteName) = (false, false)
    add(advertisement)
    add(scanResponse)
    Self.sortOnce(&services)
    Self.sortOnce(&dataServices)
    Self.sortOnce(&companies)
    repairName()
  }

  /// Whether a service is advertised.
  public func hasService(_ service: BluetoothUUID) -> Bool { Self.holds(services, service) }

  /// Whether a service has data.
  public func hasData(of service: BluetoothUUID) -> Bool { Self.holds(dataServices, service) }

  /// Whether there is data of a company.
  public func hasCompany(_ company: UInt16) -> Bool { Self.holds(companies, company) }

  private static func holds<Element: Comparable>(_ sorted: [Element], _ element: Element) -> Bool {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = low + (high - low) / 2
      if sorted[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == element
  }

  private mutating func add(_ bytes: [UInt8]) {
    var structures = AdvertisingStructures(bytes)
    while let structure = structures.next(in: bytes) {
      let value = structure.value
      switch structure.type {
      case AdvertisingData.Kind.services16: addServices(bytes, value, size: 2)
      case AdvertisingData.Kind.services32: addServices(bytes, value, size: 4)
      case AdvertisingData.Kind.services128: addServices(bytes, value, size: 16)
      case AdvertisingData.Kind.serviceData16: addDataService(bytes, value, size: 2)
      case AdvertisingData.Kind.serviceData32: addDataService(bytes, value, size: 4)
      case AdvertisingData.Kind.serviceData128: addDataService(bytes, value, size: 16)
      case AdvertisingData.Kind.shortenedName: if !hasName { setName(bytes, value) }
      case AdvertisingData.Kind.completeName:
        if !hasCompleteName { setName(bytes, value) }
        hasCompleteName = true
      case AdvertisingData.Kind.manufacturer:
        guard value.count >= 2 else { break }
        companies.append(bytes[...].number(at: value.lowerBound) ?? 0)
      default: break
      }
    }
  }

  private mutating func addServices(_ bytes: [UInt8], _ value: Range<Int>, size: Int) {
    var place = value.lowerBound
    // An incomplete tail is none.
    while place + size <= value.upperBound {
      services.append(BluetoothUUID(littleEndian: bytes, at: place, size: size))
      place += size
    }
  }

  private mutating func addDataService(_ bytes: [UInt8], _ value: Range<Int>, size: Int) {
    guard value.count >= size else { return }
    dataServices.append(BluetoothUUID(littleEndian: bytes, at: value.lowerBound, size: size))
  }

  private mutating func setName(_ bytes: [UInt8], _ value: Range<Int>) {
    var end = value.upperBound
    while end > value.lowerBound, bytes[end - 1] == 0 { end -= 1 }
    name.removeAll(keepingCapacity: true)
    name.append(contentsOf: bytes[value.lowerBound..<end])
    hasName = true
  }

  /// A name that is no UTF-8 is compared as it is shown.
  private mutating func repairName() {
    guard name.contains(where: { $0 >= 0x80 }) else { return }
    name = Array(String(decoding: name, as: UTF8.self).utf8)
  }

  private static func sortOnce<Element: Comparable>(_ list: inout [Element]) {
    guard list.count > 1 else { return }
    list.sort()
    var kept = 1
    for index in 1..<list.count where list[index] != list[kept - 1] {
      list[kept] = list[index]
      kept += 1
    }
    list.removeLast(list.count - kept)
  }
}

extension BluetoothUUID: Comparable {
  /// The order of the 16 bytes of the text form.
  public static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }
}
