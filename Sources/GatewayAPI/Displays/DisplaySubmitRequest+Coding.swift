import Foundation
import MeterCore

extension DisplaySubmitRequest {
  private enum CodingKeys: String, CodingKey {
    case reading, peripheral, generation, measurements, moment, bundle, picture, delivers
    case isCorrected = "corrected"
    case isDrawn = "drawn"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      reading: try container.decode(UUID.self, forKey: .reading),
      peripheral: try container.decode(UInt32.self, forKey: .peripheral),
      generation: SessionGeneration(rawValue: try container.decode(Int64.self, forKey: .generation)),
      measurements: try container.decode([DisplayMeasurement].self, forKey: .measurements),
      moment: try container.decode(DisplayMoment.self, forKey: .moment),
      picture: try container.decodeIfPresent(Data.self, forKey: .picture))
    isCorrected = try container.decode(.isCorrected, else: isCorrected)
    isDrawn = try container.decode(.isDrawn, else: isDrawn)
    bundle = try container.decodeIfPresent(String.self, forKey: .bundle)
    delivers = try container.decode(.delivers, else: delivers)
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(reading, forKey: .reading)
    try container.encode(peripheral, forKey: .peripheral)
    try container.encode(generation.rawValue, forKey: .generation)
    try container.encode(measurements, forKey: .measurements)
    try container.encode(moment, forKey: .moment)
    try container.encode(isCorrected, forKey: .isCorrected)
    try container.encode(isDrawn, forKey: .isDrawn)
    try container.encodeIfPresent(bundle, forKey: .bundle)
    try container.encodeIfPresent(picture, forKey: .picture)
    try container.encode(delivers, forKey: .delivers)
  }
}
