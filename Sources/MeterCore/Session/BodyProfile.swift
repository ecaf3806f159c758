internal import HostPrimitives

/// What a person has said of their body, so that more can be computed of what a scale has measured. Without it nothing is.
public struct BodyProfile: Sendable, Hashable, Codable {
  /// The sex that the published formulas tell apart.
  public enum Sex: String, Sendable, Hashable, Codable, CaseIterable {
    case female, male
  }

  /// Centimetres.
  public let heightCentimetres: Double
  /// The sex.
  public let sex: Sex
  /// The day of birth, `YYYY-MM-DD`.
  public let born: String

  enum CodingKeys: String, CodingKey {
    case sex, born
    case heightCentimetres = "height_cm"
  }

  /// Heights of people, in centimetres.
  public static let heights: ClosedRange<Double> = 100...230

  /// A profile from its parts.
  ///
  /// - Parameter born: `YYYY-MM-DD`, from 1900 on.
  /// - Returns: Nil for a height that nobody has, and for what is no day.
  public init?(heightCentimetres: Double, sex: Sex, born: String) {
    guard Self.heights.contains(heightCentimetres), let day = CivilDate(text: born.utf8), day.year >= 1900 else {
      return nil
    }
    self.heightCentimetres = heightCentimetres
    self.sex = sex
    self.born = born
  }

  /// Completed years on a day of the person's calendar; nil before the day of birth.
  func age(on day: CivilDate) -> Int64? {
    guard let birth = CivilDate(text: born.utf8) else { return nil }
    let hadBirthday = (day.month, day.day) >= (birth.month, birth.day)
    let years = day.year - birth.year - (hadBirthday ? 0 : 1)
    return years >= 0 ? years : nil
  }
}
