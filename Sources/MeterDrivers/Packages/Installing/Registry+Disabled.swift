// A package that is disabled is not in the registry. Whoever asks for what it has brought is told so.
extension Registry {
  /// The disabled package that has this entry; nil: there is none. Looks at the disk.
  package func disabledPackage(with peripheral: PeripheralKey) -> String? {
    disabled { $0.reach.peripherals.contains(peripheral) }
  }

  /// The disabled package that has this driver; nil: there is none. Looks at the disk.
  package func disabledPackage(withDriver id: String) -> String? {
    disabled { fragment in fragment.drivers.contains { $0.id == id } }
  }

  private func disabled(_ matches: (PackageFragment) -> Bool) -> String? {
    // It is looked for to say more about an error that is there already: an unreadable folder is no other one.
    guard let fragments, let disabled = try? PackageFolder.disabledFragments(fragments) else { return nil }
    return disabled.keys.sorted().first { id in
      disabled[id].flatMap { try? PackageFragment($0, name: id) }.map(matches) ?? false
    }
  }

  /// Words for somebody who asks for a Bluetooth entry that there is not: what there is, that its package is disabled, or
  /// that a camera reads it.
  package func isNoBluetoothPeripheral(_ id: UInt32) -> String {
    if let package = disabledPackage(with: PeripheralKey(id: id)) {
      return Self.isDisabled("the Bluetooth peripheral \(id)", package: package)
    }
    guard let other = peripheral(id: id, kind: .ocr) else { return "there is no Bluetooth peripheral \(id)" }
    return "there is no Bluetooth peripheral \(id): \(other.name) is read from its display, with `meterhost snap read "
      + "--peripheral \(id)`"
  }

  /// Words for who asks for something of a disabled package.
  public static func isDisabled(_ what: String, package: String) -> String {
    "\(what) is of the package \(package), which is disabled; enable it with `meterhost driver enable \(package)`"
  }
}
