import DriverContract

/// Finds the contract's note (rule R20, `mh_note`) among the notes of a segment.
enum ELFNotes {
  /// "MeterHost" with its terminator.
  private static let owner = Array("MeterHost".utf8) + [0]

  static func contracts(in segment: ELFSegment, _ bytes: ELFBytes) throws(ELFError) -> [ContractVersion] {
    let alignment: UInt64 = segment.alignment == 8 ? 8 : 4
    let end = segment.offset + segment.size
    var place = segment.offset
    var found: [ContractVersion] = []
    while end - place >= 12 {
      let ownerSize = UInt64(try bytes.number(place, "a note", as: UInt32.self))
      let contentSize = UInt64(try bytes.number(place + 4, "a note", as: UInt32.self))
      let type = try bytes.number(place + 8, "a note", as: UInt32.self)
      let content = aligned(place + 12 + ownerSize, alignment)
      let next = aligned(content + contentSize, alignment)
      guard content <= end, contentSize <= end - content else { throw ELFError(message: "a note exceeds its segment") }
      if type == 1, ownerSize == UInt64(owner.count), contentSize == 12, bytes.matches(place + 12, owner) {
        found.append(
          ContractVersion(
            major: try bytes.number(content, "the contract's note"),
            minor: try bytes.number(content + 2, "the contract's note"),
            layoutHash: try bytes.number(content + 4, "the contract's note")))
      }
      guard next < end else { break }
      place = next
    }
    return found
  }

  private static func aligned(_ value: UInt64, _ alignment: UInt64) -> UInt64 {
    (value + alignment - 1) & ~(alignment - 1)
  }
}
