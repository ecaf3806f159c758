// A package that is disabled is not in the registry. Whoever asks for what it has brought is told so.
extension Registry {
  /// The disabled package that has this entry; nil: there is none. Looks at the disk.
  public func disabledPackage(with peripheral: PeripheralKey) -> String? {
    disabled { $0.reach.peripherals.contains(peripheral) }
  }

  /// The disabled package that has this driver; nil: there is none. Looks at the disk.
  public func disabledPackage(withDriver id: String) -> String? {
    disabled { fragment in fragment.drivers.contains { $0.id == id } }
  }

  private func disabled(_ matches: (PackageFragment) -> Bool) -> String? {
    // It is looked for to say more about an error that is there already: an unreadable folder is no other one.
    guard let fragments, let disabled = try? PackageFolder.disabledFragments(fragments) else { return nil }
    return disabled.keys.sorted().first { id in
      disabled[id].flatMap { try? PackageFragment($0, name: id) }.map(matches) ?? false
    }
  }

  /// Words for who asks for something of a disabled package.
  public static func isDisabled(_ what: String, package: String) -> String {
    "\(what) is of the package \(package), which is disabled; enable it with `meterhost driver enable \(package)`"
  }
}
