import StrictJSON

/// The lists of a file, each entry decoded by itself: what needs the other entries comes when they are put together.
struct DecodedLists: Sendable {
  let families: [Located<DriverFamily>]
  /// In runs, one after the other.
  let drivers: [[Located<DecodedDriver>]]
  /// In runs, one after the other.
  let peripherals: [[Located<DecodedPeripheral>]]
}

/// A fragment before it is added.
struct DecodedFragment: Sendable {
  let lists: DecodedLists
  let overrides: JSONElement?
  /// With the warnings so far.
  let decoder: RegistryDecoder
}

extension RegistryDecoder {
  mutating func lists(
    families: JSONElement?, drivers: JSONElement?, peripherals: JSONElement?
  ) throws(RegistryError) -> DecodedLists {
    DecodedLists(
      families: try list(families, 4_096) { (decoder, value) throws(RegistryError) in try decoder.family(value) },
      drivers: try runs(drivers) { (decoder, value) throws(RegistryError) in try decoder.driver(value) },
      peripherals: try runs(peripherals) { (decoder, value) throws(RegistryError) in try decoder.peripheral(value) })
  }

  mutating func fragment(_ document: JSONDocument) throws(RegistryError) -> DecodedFragment {
    var object = try ObjectReader<FragmentKey>(document.root)
    _ = try object.optional(.schema)?.line()
    try checkVersion(object.required(.registryVersion))
    let families = object.optional(.families)
    let drivers = object.optional(.drivers)
    let peripherals = object.optional(.peripherals)
    let overrides = object.optional(.overrides)
    try object.finish(&warnings)
    let lists = try lists(families: families, drivers: drivers, peripherals: peripherals)
    return DecodedFragment(lists: lists, overrides: overrides, decoder: self)
  }
}
