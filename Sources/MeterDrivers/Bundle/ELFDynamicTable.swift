/// The dynamic table of a shared object: what the loader reads before it runs anything.
struct ELFDynamicTable {
  enum Tag: UInt64 {
    case needed = 1
    case hash = 4
    case strings = 5
    case symbols = 6
    case stringsSize = 10
    case rpath = 15
    case textRelocations = 22
    case runpath = 29
    case flags = 30
    case gnuHash = 0x6fff_fef5
    case audit = 0x6fff_fefc
    case depaudit = 0x6fff_fefb
    case auxiliary = 0x7fff_fffd
    case filter = 0x7fff_ffff
  }

  private let bytes: ELFBytes
  private let segments: [ELFSegment]
  private var entries: [(tag: UInt64, value: UInt64)] = []

  init(_ segment: ELFSegment, _ segments: [ELFSegment], _ bytes: ELFBytes) throws(ELFError) {
    self.bytes = bytes
    self.segments = segments.filter { $0.type == ELFSegment.load }
    // The loader finds the table by its address: it must lie where the file says.
    let place = try Self.offset(of: segment.address, self.segments)
    guard place == segment.offset else { throw ELFError(message: "its dynamic table is not what the loader maps") }
    for index in 0..<segment.size / 16 {
      let tag = try bytes.number(place + 16 * index, "the dynamic table", as: UInt64.self)
      if tag == 0 { break }
      guard entries.count < 4096 else { throw ELFError(message: "its dynamic table is too long") }
      entries.append((tag, try bytes.number(place + 16 * index + 8, "the dynamic table")))
    }
  }

  /// DT_TEXTREL, or DF_TEXTREL in DT_FLAGS.
  var hasTextRelocations: Bool {
    value(.textRelocations) != nil || (value(.flags) ?? 0) & 4 != 0
  }

  /// The strings that entries of a tag name.
  func strings(_ tag: Tag) throws(ELFError) -> [String] {
    var strings: [String] = []
    for entry in entries where entry.tag == tag.rawValue { strings.append(try string(entry.value, "\(tag)")) }
    return strings
  }

  /// Defined global, weak or unique symbols of default or protected visibility.
  func exports() throws(ELFError) -> [String] {
    try symbols { info, visibility, section in
      section != 0 && [1, 2, 10].contains(info >> 4) && (visibility == 0 || visibility == 3)
    }
  }

  /// Symbols that the file uses and others define.
  func imports() throws(ELFError) -> [String] {
    try symbols { info, _, section in section == 0 && [1, 2].contains(info >> 4) }
  }

  private func symbols(
    where isWanted: (_ info: UInt8, _ visibility: UInt8, _ section: UInt16) -> Bool
  ) throws(ELFError) -> [String] {
    guard let address = value(.symbols) else { return [] }
    let place = try Self.offset(of: address, segments)
    let count = try symbolCount()
    // 24 bytes a symbol: more of them than the file has room for is a lie.
    guard count <= UInt64(bytes.count) / 24 else { throw ELFError(message: "its symbol table exceeds the file") }
    var names: [String] = []
    for index in 0..<count {
      let symbol = place + 24 * index
      let info = try bytes.number(symbol + 4, "a symbol", as: UInt8.self)
      let visibility = try bytes.number(symbol + 5, "a symbol", as: UInt8.self) & 3
      let section = try bytes.number(symbol + 6, "a symbol", as: UInt16.self)
      guard isWanted(info, visibility, section) else { continue }
      names.append(try string(UInt64(try bytes.number(symbol, "a symbol", as: UInt32.self)), "a symbol's name"))
    }
    return names
  }

  /// The table's length stands nowhere: DT_HASH tells it, and DT_GNU_HASH by the end of its last chain.
  private func symbolCount() throws(ELFError) -> UInt64 {
    var count: UInt64 = 0
    if let address = value(.hash) {
      let place = try Self.offset(of: address, segments)
      count = UInt64(try bytes.number(place + 4, "the hash table", as: UInt32.self))
    }
    if let address = value(.gnuHash) {
      count = max(count, try gnuCount(try Self.offset(of: address, segments)))
    }
    guard value(.hash) != nil || value(.gnuHash) != nil else { throw ELFError(message: "it has no hash table") }
    return count
  }

  private func gnuCount(_ place: UInt64) throws(ELFError) -> UInt64 {
    let buckets = UInt64(try bytes.number(place, "the GNU hash table", as: UInt32.self))
    let first = UInt64(try bytes.number(place + 4, "the GNU hash table", as: UInt32.self))
    let filter = UInt64(try bytes.number(place + 8, "the GNU hash table", as: UInt32.self))
    guard buckets <= UInt64(bytes.count) / 4, filter <= UInt64(bytes.count) / 8 else {
      throw ELFError(message: "its GNU hash table exceeds the file")
    }
    let bucketPlace = place + 16 + 8 * filter
    var last: UInt64 = 0
    for index in 0..<buckets {
      last = max(last, UInt64(try bytes.number(bucketPlace + 4 * index, "the GNU hash table", as: UInt32.self)))
    }
    guard last >= first else { return last == 0 ? first : last }
    let chains = bucketPlace + 4 * buckets
    // Ends within the file: a read past it throws.
    while try bytes.number(chains + 4 * (last - first), "the GNU hash table", as: UInt32.self) & 1 == 0 { last += 1 }
    return last + 1
  }

  private func string(_ offset: UInt64, _ what: String) throws(ELFError) -> String {
    guard let address = value(.strings), let size = value(.stringsSize), offset < size else {
      throw ELFError(message: "\(what) lies outside the string table")
    }
    let place = try Self.offset(of: address, segments)
    let (end, overflow) = place.addingReportingOverflow(size)
    guard !overflow else { throw ELFError(message: "its string table lies outside the file") }
    return try bytes.string(place + offset, limit: end, what)
  }

  private func value(_ tag: Tag) -> UInt64? { entries.last { $0.tag == tag.rawValue }?.value }

  private static func offset(of address: UInt64, _ segments: [ELFSegment]) throws(ELFError) -> UInt64 {
    // The last one wins, as in the loader, which maps later segments over earlier ones.
    guard let segment = segments.last(where: { address >= $0.address && address - $0.address < $0.size }) else {
      throw ELFError(message: "an address points into no segment of the file")
    }
    return segment.offset + (address - segment.address)
  }
}
