import DriverContract

/// What a shared object says about itself, read without loading it. Only what the loader itself uses is believed:
/// program headers and the dynamic table, never section headers (System V ABI, gABI chapters 4 and 5).
struct ELFInspector: Sendable, Hashable {
  /// `e_machine`.
  private(set) var machine: UInt16
  /// `e_type`.
  private(set) var type: UInt16
  /// Names of needed libraries.
  private(set) var needed: [String] = []
  /// DT_RPATH and DT_RUNPATH.
  private(set) var searchPaths: [String] = []
  /// DT_FILTER, DT_AUXILIARY, DT_AUDIT and DT_DEPAUDIT: libraries that are loaded without being needed.
  private(set) var filters: [String] = []
  /// Defined symbols that others can see.
  private(set) var exports: [String] = []
  /// Symbols that it uses and others define.
  private(set) var imports: [String] = []
  /// What the contract's notes say; several are an oddity that the rules refuse.
  private(set) var contracts: [ContractVersion] = []
  /// The stack would be executable.
  private(set) var wantsExecutableStack = true
  /// Code would be written to: text relocations, or a segment both writable and executable.
  private(set) var writesCode = false

  /// `ET_DYN`.
  static let sharedObject: UInt16 = 3
  /// `e_machine` of this process.
  static var hostMachine: UInt16 {
    #if arch(x86_64)
      62
    #elseif arch(arm64)
      183
    #else
      #error("say which e_machine this architecture has")
    #endif
  }

  /// Whether the bytes begin as a 64-bit little-endian ELF file.
  static func isELF64(_ content: [UInt8]) -> Bool { ELFBytes(content).matches(0, [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]) }

  /// Reads the file. Type and machine are read but not judged; nothing else is looked at when they are others.
  init(_ content: [UInt8], machine wanted: UInt16 = hostMachine) throws(ELFError) {
    guard Self.isELF64(content) else { throw ELFError(message: "it is no 64-bit little-endian ELF file") }
    let bytes = ELFBytes(content)
    type = try bytes.number(16, "the type")
    machine = try bytes.number(18, "the machine")
    guard type == Self.sharedObject, machine == wanted else { return }
    let segments = try ELFSegment.all(bytes)
    for segment in segments {
      switch segment.type {
      case ELFSegment.load: writesCode = writesCode || segment.isWritable && segment.isExecutable
      case ELFSegment.note: contracts += try ELFNotes.contracts(in: segment, bytes)
      case ELFSegment.stack: wantsExecutableStack = segment.isExecutable
      default: break
      }
    }
    guard let dynamic = segments.first(where: { $0.type == ELFSegment.dynamic }) else {
      throw ELFError(message: "it has no dynamic table")
    }
    let table = try ELFDynamicTable(dynamic, segments, bytes)
    needed = try table.strings(.needed)
    for tag: ELFDynamicTable.Tag in [.rpath, .runpath] { searchPaths += try table.strings(tag) }
    for tag: ELFDynamicTable.Tag in [.filter, .auxiliary, .audit, .depaudit] { filters += try table.strings(tag) }
    writesCode = writesCode || table.hasTextRelocations
    exports = try table.exports()
    imports = try table.imports()
  }
}

/// A program header.
struct ELFSegment {
  static let load: UInt32 = 1
  static let dynamic: UInt32 = 2
  static let note: UInt32 = 4
  static let stack: UInt32 = 0x6474_e551

  let type: UInt32
  let flags: UInt32
  let offset: UInt64
  let address: UInt64
  let size: UInt64
  let alignment: UInt64

  var isExecutable: Bool { flags & 1 != 0 }
  var isWritable: Bool { flags & 2 != 0 }

  static func all(_ bytes: ELFBytes) throws(ELFError) -> [ELFSegment] {
    let start = try bytes.number(32, "the program header table", as: UInt64.self)
    let entry = try bytes.number(54, "the program header size", as: UInt16.self)
    let count = try bytes.number(56, "the number of program headers", as: UInt16.self)
    guard entry == 56, count <= 256 else { throw ELFError(message: "its program headers have an impossible shape") }
    var segments: [ELFSegment] = []
    for index in 0..<UInt64(count) {
      let (place, overflow) = start.addingReportingOverflow(56 * index)
      guard !overflow, place < UInt64.max - 56 else {
        throw ELFError(message: "a program header lies outside the file")
      }
      segments.append(
        ELFSegment(
          type: try bytes.number(place, "a program header"), flags: try bytes.number(place + 4, "a program header"),
          offset: try bytes.number(place + 8, "a program header"),
          address: try bytes.number(place + 16, "a program header"),
          size: try bytes.number(place + 32, "a program header"),
          alignment: try bytes.number(place + 48, "a program header")))
    }
    for segment in segments where segment.type == load || segment.type == dynamic || segment.type == note {
      let (end, overflow) = segment.offset.addingReportingOverflow(segment.size)
      guard !overflow, end <= UInt64(bytes.count), !segment.address.addingReportingOverflow(segment.size).overflow
      else { throw ELFError(message: "a segment lies outside the file") }
    }
    return segments
  }
}
