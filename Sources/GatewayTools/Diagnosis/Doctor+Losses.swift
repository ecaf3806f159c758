import HostPrimitives
import MeterCore

/// How a person is told of commits that the state database has lost.
extension Doctor {
  static let lossCure = "read the meters again: what they still have comes again and nothing twice"

  /// What is missing, and since when it is known.
  static func words(_ losses: [StoreLoss]) -> String {
    let found = losses.map { loss in
      let time = CivilMoment(microseconds: loss.foundMicroseconds).text(.none) + "Z"
      let kept = loss.keptFolder.map { "; as it was found it is kept in \($0)" } ?? ""
      guard let commits = loss.commits else {
        return "whether commits are missing cannot be said, for what counts them is gone (seen \(time)\(kept))"
      }
      return "\(commits) commits that were acknowledged are missing (seen \(time)\(kept))"
    }
    return found.joined(separator: "; ")
  }
}
