import Crypto
import DriverContract
import Foundation
import HostPrimitives
import MeterCore

/// A sample of a piece as the store keeps it: with its source, and without its place.
struct KeptSample: Codable {
  private var quantity: HealthQuantity.RawValue
  private var start: Int64
  private var end: Int64
  private var offset: Int?
  private var value: [String]?
  private var flags: UInt16
  private var stage: UInt32?
  private var text: String?
  private var id: String?
  private var modified: Int64?
  private var attributes: [Attribute]?
  private var parts: [KeptSample]?
  private var source: Source?

  private struct Attribute: Codable {
    var key: String
    var text: String?
    var number: [String]?
  }

  private struct Source: Codable {
    var key: String
    var name: String
    var detail: String
    var flags: UInt32
  }

  /// Reduces a sample to what is kept of it.
  init(_ sample: HealthSample, of source: HealthSource?) {
    quantity = sample.quantity.rawValue
    (start, end, offset) = (sample.start, sample.end, sample.utcOffset)
    value = sample.value.map(Self.words)
    flags = sample.flags.rawValue
    stage = sample.stage?.rawValue
    (text, id) = (sample.text, sample.id)
    modified = sample.modified == 0 ? nil : sample.modified
    attributes =
      sample.attributes.isEmpty
      ? nil
      : sample.attributes.map { Attribute(key: $0.key, text: $0.text, number: $0.number.map(Self.words)) }
    parts = sample.parts.isEmpty ? nil : sample.parts.map { KeptSample($0, of: nil) }
    self.source = source.map { Source(key: $0.key, name: $0.name, detail: $0.detail, flags: $0.flags.rawValue) }
  }

  /// The source; nil for a part.
  var keptSource: HealthSource? {
    source.map {
      HealthSource($0.name, key: $0.key, detail: $0.detail, flags: HealthSource.Flags(rawValue: $0.flags))
    }
  }

  /// The sample again; nil for what nothing has kept.
  func sample(source: Int) -> HealthSample? {
    guard let quantity = HealthQuantity(rawValue: quantity) else { return nil }
    var sample = HealthSample(quantity, start: start, end: end, value: value.flatMap(Self.number), source: source)
    sample.utcOffset = offset
    sample.flags = HealthSample.Flags(rawValue: flags)
    sample.stage = stage.flatMap(SleepStage.init(rawValue:))
    (sample.text, sample.id, sample.modified) = (text, id, modified ?? 0)
    sample.attributes = (attributes ?? []).compactMap { attribute in
      if let text = attribute.text { return HealthAttribute(attribute.key, text) }
      return attribute.number.flatMap(Self.number).map { HealthAttribute(attribute.key, $0) }
    }
    sample.parts = (parts ?? []).compactMap { $0.sample(source: source) }
    return sample
  }

  private static func words(_ number: Fraction) -> [String] { ["\(number.numerator)", "\(number.denominator)"] }

  private static func number(_ words: [String]) -> Fraction? {
    guard words.count == 2, let above = Int128(words[0]), let below = Int128(words[1]) else { return nil }
    return Fraction(above, over: below)
  }
}

extension KeptSample {
  /// What makes a sample of a later piece the same one: not its value where the piece may tell a minute or a day that was not over.
  ///
  /// - Parameter number: Which of several equal ones within one piece, where these are several things, such as two equal apples.
  static func digest(_ sample: HealthSample, source key: String, number: Int = 0) -> Data {
    var frames = ByteFrames()
    let times = [sample.start, sample.end].map { "\($0.dividedDown(by: 1_000_000).quotient)" }
    for text in [sample.quantity.word, key] + times { frames.append(text) }
    frames.append(sample.text(HealthAttribute.Key.date) ?? "")
    if let stage = sample.stage { frames.append("\(stage.rawValue)") }
    if let id = sample.id { frames.append(id) }
    if sample.quantity.kind == .nutrition {
      frames.append(sample.value.map { "\($0.numerator)/\($0.denominator)" } ?? "")
      frames.append("\(number)")
    }
    return Data(SHA256.hash(data: frames.bytes).prefix(16))
  }
}
