/// One transaction bundle: a record and the devices that it came by.
package struct FHIRBundle: Sendable, Hashable {
  /// The bundle in UTF-8, without white space.
  package let json: [UInt8]
  /// The index of the main observation's entry: what the server answers there has the record's id.
  package let mainEntry: Int
  /// The main observation's identifier, by which it is found again: the name of the person's reading, and of a sum that of a value of it.
  package let mainIdentifier: String
  /// How many entries there are, and so how many answers.
  package let entryCount: Int
}
