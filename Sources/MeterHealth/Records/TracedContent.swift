import Crypto
import Foundation
import HostPrimitives
import MeterCore

/// What is remembered of the content of a record, to compare a later export with: its values, and a digest of the rest.
package struct TracedContent: Sendable, Hashable {
  /// A value with its unit, exact to nine decimal places.
  package struct Value: Sendable, Hashable {
    package var number: HealthDecimal
    /// UCUM.
    package var unit: String
    /// Whether its source had summed it up.
    package var isMerged = false
    /// Whether it is as exact as the export has it; else it is a sum that was rounded to thousandths.
    package var isExact = false

    /// Whether both are one value in two units.
    fileprivate func isNearly(_ other: Value) -> Bool {
      guard unit == other.unit, isMerged == other.isMerged, isExact == other.isExact else { return false }
      let (one, two) = (number.fraction, other.number.fraction)
      if one.isNearly(two) { return true }
      guard !isExact, let gap = one.subtracting(two), let least = Fraction(1, over: 1_000),
        let negated = least.multiplied(by: Fraction(-1))
      else { return false }
      return (negated...least).contains(gap)
    }
  }

  package var values: [String: Value]
  /// Of words, times and parts; empty where there are none.
  package var rest: String
  /// Whether it came in pieces: what is remembered of them together is all that there is.
  package var isOfPieces: Bool

  package init(values: [String: Value] = [:], rest: String = "", isOfPieces: Bool = false) {
    self.values = values
    self.rest = rest
    self.isOfPieces = isOfPieces
  }

  /// Values as they are compared.
  package init(_ metrics: [HealthMetric], merged: Set<String> = [], rest: String = "") {
    self.init(rest: rest)
    for metric in metrics { add(metric, isMerged: merged.contains(metric.name)) }
  }

  /// Adds a value under its name, or under another one.
  package mutating func add(_ metric: HealthMetric, as name: String? = nil, isMerged: Bool = false) {
    let number = metric.exact?.rounded(places: 9) ?? metric.value
    values[name ?? metric.name] = Value(
      number: number, unit: metric.unit, isMerged: isMerged, isExact: metric.exact != nil)
  }

  /// Whether both tell the same: an export of another unit has other digits behind the sixth.
  package func isNearly(_ other: TracedContent) -> Bool {
    guard rest == other.rest, values.count == other.values.count else { return false }
    return values.allSatisfy { name, value in other.values[name].map(value.isNearly) ?? false }
  }

  /// Whether both are of one reading: they have a value of one name, and all that both have are nearly equal.
  package func isOfOneReading(_ other: TracedContent) -> Bool {
    let common = values.compactMap { name, value in other.values[name].map { (value, $0) } }
    return !common.isEmpty && common.allSatisfy { $0.isNearly($1) }
  }

  /// A digest of texts.
  package static func digest(_ texts: [String]) -> String {
    guard !texts.isEmpty else { return "" }
    var frames = ByteFrames()
    for text in texts { frames.append(text) }
    return Array(SHA256.hash(data: frames.bytes).prefix(12)).hexadecimal
  }
}

// As the store keeps it: `steps=1100,0,{count},m;body_weight=816466,4,kg,x|rest|p`. Names and units have none of these marks.
extension TracedContent {
  /// The text that is kept.
  package var stored: String {
    let parts = values.sorted { $0.key < $1.key }.map { name, value in
      "\(name)=\(value.number.mantissa),\(value.number.places),\(value.unit)" + (value.isMerged ? ",m" : "")
        + (value.isExact ? ",x" : "")
    }
    return "\(parts.joined(separator: ";"))|\(rest)|\(isOfPieces ? "p" : "")"
  }

  /// Reads it back; nil for what nothing has written.
  package init?(stored: String) {
    let parts = stored.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    self.init(rest: String(parts[1]), isOfPieces: parts[2] == "p")
    for part in parts[0].split(separator: ";") {
      guard let equals = part.lastIndex(of: "=") else { return nil }
      let words = part[part.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
      guard words.count >= 3, words[3...].allSatisfy({ $0 == "m" || $0 == "x" }),
        let mantissa = Int64(words[0]), let places = Int(words[1]), (0...18).contains(places)
      else { return nil }
      values[String(part[..<equals])] = Value(
        number: HealthDecimal(mantissa: mantissa, places: places), unit: String(words[2]),
        isMerged: words[3...].contains("m"), isExact: words[3...].contains("x"))
    }
  }
}
