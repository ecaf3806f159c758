import DriverContract

/// What a bundle must be before it is loaded (rules R1, R4, R20).
public struct BundleRules: Sendable, Hashable {
  /// A bundle may need libswiftCore.so.
  public var allowsSwiftRuntime: Bool
  /// The registry is marked `development`: a bundle without a hash is loaded.
  public var allowsMissingHash: Bool
  /// A bundle may need the system's decoders of JPEG and PNG: one whose entry offers the extension that is for them.
  public var allowsPictureLibraries: Bool
  /// Largest file, bytes.
  public var maximumSize: Int
  /// The contracts that are served.
  var contract = ContractRule.host

  /// Rules; the defaults are those of a gateway in use.
  public init(
    allowsSwiftRuntime: Bool = false, allowsMissingHash: Bool = false, allowsPictureLibraries: Bool = false,
    maximumSize: Int = 64 << 20
  ) {
    self.allowsPictureLibraries = allowsPictureLibraries
    self.allowsSwiftRuntime = allowsSwiftRuntime
    self.allowsMissingHash = allowsMissingHash
    self.maximumSize = maximumSize
  }

  /// Libraries that a bundle may need.
  package var allowedLibraries: Set<String> {
    let system: Set<String> = [
      "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
      "ld-linux-aarch64.so.1",
    ]
    let pictures: Set<String> = ["libjpeg.so.62", "libpng16.so.16", "libz.so.1"]
    return system.union(allowsSwiftRuntime ? ["libswiftCore.so"] : []).union(allowsPictureLibraries ? pictures : [])
  }

  /// The one symbol that a bundle exports.
  static let entry = "mh_driver_entry"

  /// Judges the content of a bundle for a machine: this one's, or one that a package is made for.
  func check(
    _ content: [UInt8], path: String, machine: UInt16 = ELFInspector.hostMachine
  ) throws(BundleError) {
    guard ELFInspector.isELF64(content) else {
      throw BundleError(
        .notELF, path: path, rule: "R20", message: "this is no 64-bit ELF file; give the bundle that the build made")
    }
    let object: ELFInspector
    do { object = try ELFInspector(content, machine: machine) } catch {
      throw BundleError(
        .malformed, path: path, rule: "R20", message: "the file contradicts itself: \(error.message); build it again")
    }
    try checkKind(object, path, machine)
    try checkContract(object, path)
    try checkLibraries(object, path)
    try checkExports(object, path)
    try checkMemory(object, path)
  }

  private func checkKind(_ object: ELFInspector, _ path: String, _ machine: UInt16) throws(BundleError) {
    guard object.machine == machine else {
      throw BundleError(
        .wrongArchitecture, path: path, rule: "R20",
        message: "the bundle was built for machine \(object.machine), wanted is \(machine); "
          + "install the bundle of this architecture")
    }
    guard object.type == ELFInspector.sharedObject else {
      throw BundleError(
        .notSharedObject, path: path, rule: "R20",
        message: "ELF type \(object.type) is no shared object; link the bundle with -shared")
    }
  }

  private func checkContract(_ object: ELFInspector, _ path: String) throws(BundleError) {
    guard let contract = object.contracts.first else {
      throw BundleError(
        .missingNote, path: path, rule: "R20",
        message: "the note with the contract's version is missing; put MH_DRIVER_NOTE into the bundle")
    }
    guard object.contracts.allSatisfy({ $0 == contract }) else {
      throw BundleError(
        .wrongContract, path: path, rule: "R4",
        message: "the bundle has notes of several contracts; put MH_DRIVER_NOTE into it once")
    }
    if let (reason, cure) = self.contract.refusal(of: contract) {
      throw BundleError(.wrongContract, path: path, rule: "R4", message: "the bundle \(reason); \(cure)")
    }
  }

  private func checkLibraries(_ object: ELFInspector, _ file: String) throws(BundleError) {
    if let library = object.needed.first(where: { !allowedLibraries.contains($0) }) {
      throw BundleError(
        .forbiddenLibrary, path: file, rule: "R20",
        message: "the bundle needs \(library), which is not on the list "
          + "(\(allowedLibraries.sorted().joined(separator: ", "))); link it statically")
    }
    if let filter = object.filters.first {
      throw BundleError(
        .forbiddenLibrary, path: file, rule: "R20",
        message: "the bundle makes the loader take \(filter) as a filter or auditor; link it without one")
    }
    // SwiftPM writes $ORIGIN into every library; a sealed bundle has no folder, so it leads nowhere.
    let harmless: Set<Substring> = ["$ORIGIN", "${ORIGIN}"]
    if let path = object.searchPaths.first(where: { !$0.split(separator: ":").allSatisfy(harmless.contains) }) {
      throw BundleError(
        .forbiddenSearchPath, path: file, rule: "R20",
        message: "the bundle brings a search path of its own (\(path)); link it without -rpath")
    }
  }

  private func checkExports(_ object: ELFInspector, _ path: String) throws(BundleError) {
    guard object.exports.contains(Self.entry) else {
      throw BundleError(
        .missingSymbol, path: path, rule: "R1",
        message: "the bundle itself does not define \(Self.entry); a library that it needs cannot do it for it")
    }
    let extra = object.exports.filter { $0 != Self.entry }
    guard extra.isEmpty else {
      throw BundleError(
        .extraSymbol, path: path, rule: "R1",
        message: "the bundle also exports \(extra.prefix(8).joined(separator: ", ")); link it with SDK/driver.map")
    }
  }

  private func checkMemory(_ object: ELFInspector, _ path: String) throws(BundleError) {
    if object.wantsExecutableStack {
      throw BundleError(
        .executableStack, path: path, rule: "R20",
        message: "the bundle wants an executable stack; link it with -z noexecstack")
    }
    if object.writesCode {
      throw BundleError(
        .writableCode, path: path, rule: "R20",
        message: "the bundle's code would have to be writable; compile it with -fPIC, link it with -z text")
    }
  }
}
