import HostPrimitives
import MeterCore

/// Looks whether the patient is still the one whom a person has confirmed: before the first reading, and once a day. Records of patients
/// are merged, and given to others by mistake.
actor PatientWatch {
  private let desk: PatientDesk
  private let confirmed: String
  private let clock: any HostClock
  private var trusted: HostInstant?

  /// How long one look is good for.
  static let interval: Duration = .seconds(86_400)

  init(_ desk: PatientDesk, confirmed: String, clock: any HostClock) {
    (self.desk, self.confirmed, self.clock) = (desk, confirmed, clock)
  }

  /// What the server says of the patient.
  enum Verdict: Hashable {
    case same
    /// It is somebody else now, or the same person under another name: a person has to look.
    case other
    case unknown(FHIRSinkError)
  }

  /// Whether readings may go there.
  ///
  /// - Parameter asksAgain: Also where it was asked not long ago.
  func look(_ secret: AccessToken?, asksAgain: Bool = false) async -> Verdict {
    if !asksAgain, let trusted, clock.now < trusted { return .same }
    trusted = nil
    do throws(FHIRSinkError) {
      guard try await desk.patient(secret).digest == confirmed else { return .other }
    } catch {
      return .unknown(error)
    }
    trusted = clock.now + Self.interval
    return .same
  }

  static let other =
    "the patient's name, birth date or gender is not what a person has confirmed; nothing is sent: look who it is, and add the "
    + "receiver again"
}
