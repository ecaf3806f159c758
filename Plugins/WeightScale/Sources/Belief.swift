import MeterDriver

// Scales put bytes of their own under the profile's UUID. A composition is believed only when its values fit each other, the weight
// beside it, and a person; a weight stands whatever comes of its composition.
extension BodyComposition {
  /// Whether the packet can be what the profile says.
  ///
  /// - Parameter measured: The weight that it belongs to; nil where there is none.
  func isBelievable(beside measured: WeightMeasurement? = nil) -> Bool {
    // Bytes behind the last announced field are a future version's, or a layout that is none of the profile's.
    guard unreadBytes < 4, (20...750).contains(fat), !isReported(metabolism) || (1500...15_000).contains(metabolism),
      !isReported(impedance) || (500...30_000).contains(impedance), !isReported(height) || isHeight(height, isImperial)
    else { return false }
    // Nobody is less than a twentieth muscle, nor both fat and muscle.
    guard !isReported(musclePercent) || (50...1000 - fat).contains(musclePercent) else { return false }
    let own = isReported(weight) ? grams(weight) : nil
    if let own, let measured, abs(own - measured.grams) > max(1000, measured.grams / 50) { return false }
    if let measured, measured.hasHeight, isReported(height), measured.isImperial == isImperial,
      abs(Int(height) - Int(measured.height)) > 20
    {
      return false
    }
    guard let body = measured?.grams ?? own ?? impliedWeight else { return fits(nil) }
    return fits(body)
  }

  /// The weight that fat-free mass and fat are of.
  private var impliedWeight: Int64? {
    isReported(fatFreeMass) ? grams(fatFreeMass) * 1000 / Int64(1000 - fat) : nil
  }

  /// Whether masses and metabolism are those of a body of this weight, in grams; nil: of any.
  private func fits(_ body: Int64?) -> Bool {
    if isReported(waterMass), isReported(fatFreeMass), grams(waterMass) > grams(fatFreeMass) { return false }
    guard let body else { return true }
    let most = body + body / 50
    for mass in [muscleMass, fatFreeMass, softLeanMass, waterMass] where isReported(mass) && grams(mass) > most {
      return false
    }
    // Nobody is less than a twentieth muscle, nor a seventh water.
    if isReported(muscleMass), grams(muscleMass) < body / 20 { return false }
    if isReported(waterMass), grams(waterMass) < body / 7 { return false }
    if isReported(softLeanMass), grams(softLeanMass) < body / 7 { return false }
    if isReported(fatFreeMass), abs(grams(fatFreeMass) - body * Int64(1000 - fat) / 1000) > body / 10 { return false }
    // At rest a body needs 40 to 150 kJ a kilogram and day, a small child's more (Schofield 1985).
    guard isReported(metabolism) else { return true }
    let perKilogram = Int64(metabolism) * 1000 / max(body, 1)
    return (40...(body < 25_000 ? 300 : 150)).contains(perKilogram)
  }

  /// Steps of 0.005 kg or 0.01 lb.
  private func grams(_ raw: UInt16) -> Int64 { isImperial ? Int64(raw) * 453_592 / 100_000 : Int64(raw) * 5 }
}

extension WeightMeasurement {
  var grams: Int64 { isImperial ? Int64(weight) * 453_592 / 100_000 : Int64(weight) * step }

  /// Whether body mass index and height are those of this weight: both come from what a person has told the scale.
  var hasFittingIndex: Bool {
    guard isReported(height), isReported(bmi) else { return true }
    guard isHeight(height, isImperial) else { return false }
    let millimetres = isImperial ? Int64(height) * 254 / 100 : Int64(height)
    // Tenths of kg/m2.
    let expected = grams * 10_000 / max(millimetres * millimetres, 1)
    return abs(expected - Int64(bmi)) <= max(expected / 6, 10)
  }
}

/// Whether somebody can be so tall: 0.4 to 2.6 m.
private func isHeight(_ height: UInt16, _ isImperial: Bool) -> Bool {
  isImperial ? (160...1020).contains(height) : (400...2600).contains(height)
}
