/// Which picture of the catalogue is meant: the catalogue that has the entry, and the entry's id.
package struct MeterPictureName: Sendable, Hashable {
  /// The catalogues whose entries have pictures.
  package enum Catalogue: String, Sendable, Hashable {
    /// Meters that speak over the radio.
    case bluetooth
    /// Meters whose display is read.
    case ocr
  }

  package var catalogue: Catalogue
  package var id: UInt32

  package init(_ catalogue: Catalogue, _ id: UInt32) { (self.catalogue, self.id) = (catalogue, id) }

  /// Reads what a path has, `bluetooth-1000`.
  init?(path part: String) {
    let words = part.split(separator: "-", omittingEmptySubsequences: false)
    guard words.count == 2, let catalogue = Catalogue(rawValue: String(words[0])), words[1].first?.isNumber == true,
      let id = UInt32(words[1])
    else { return nil }
    self.init(catalogue, id)
  }

  /// Where the console has it.
  var path: String { "/pictures/\(catalogue.rawValue)-\(id)" }
}
