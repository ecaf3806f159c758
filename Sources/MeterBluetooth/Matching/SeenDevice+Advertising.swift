public import BluetoothWire
internal import MeterDrivers

extension SeenDevice {
  /// What an advertisement shows.
  public init(_ report: AdvertisingReport) { self.init(report.advertisingData, address: report.address) }

  /// What the advertising data of a device show: those of its advertisement, or with those of its scan response behind.
  public init(_ data: AdvertisingData, address: BluetoothAddress) {
    self.init(
      services: Set(data.serviceUUIDs.compactMap { UUIDString(bigEndian: $0.bytes) }),
      dataServices: Set(data.serviceData.compactMap { UUIDString(bigEndian: $0.service.bytes) }),
      companyIDs: Set(data.manufacturerData.map(\.company)), name: data.localName, address: address.description)
  }
}
