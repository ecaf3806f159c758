package import GatewayAPI

/// What is there already when the setup begins, or goes on after it was broken off.
package struct SetupFacts: Sendable, Hashable {
  /// The session in force.
  package struct Session: Sendable, Hashable {
    package let user: String
    package let organization: String
    package let receiver: String

    package init(user: String, organization: String, receiver: String) {
      (self.user, self.organization, self.receiver) = (user, organization, receiver)
    }
  }

  /// The service of the machine.
  package enum Service: Sendable, Hashable {
    /// No unit is installed.
    case absent
    /// - Parameter isRunning: It runs and begins with the machine.
    /// - Parameter mayEnable: This user may switch it on.
    case installed(isRunning: Bool, mayEnable: Bool)
  }

  /// Where session and readings are.
  package var state = ""
  package var session: Session?
  /// What keeps the machine's Bluetooth from being used, each with its cure; empty where nothing does, or virtual meters are read.
  package var radioProblems: [DoctorFinding] = []
  /// What is read passively.
  package var passive: [UInt32] = []
  package var service = Service.absent
  /// What is proposed where a person has to say it.
  package var proposedUser = ""
  package var proposedFolder = ""

  package init() {}
}

/// A meter that was heard, with the entries of the catalogue that it may be.
package struct SetupMeter: Sendable, Hashable {
  /// An entry of the catalogue.
  package struct Entry: Sendable, Hashable {
    package let peripheral: UInt32
    package let name: String
    package let needsPairing: Bool
    /// What to press before it can be paired.
    package let pairingInstructions: String
    /// What to press before it can be read.
    package let readingInstructions: String
    package let canBePassive: Bool

    package init(
      peripheral: UInt32, name: String, needsPairing: Bool, pairingInstructions: String, readingInstructions: String,
      canBePassive: Bool
    ) {
      self.peripheral = peripheral
      self.name = name
      self.needsPairing = needsPairing
      self.pairingInstructions = pairingInstructions
      self.readingInstructions = readingInstructions
      self.canBePassive = canBePassive
    }
  }

  package let address: String
  package let name: String
  package let isPaired: Bool
  /// The likeliest first; at least one.
  package let entries: [Entry]

  package init?(address: String, name: String, isPaired: Bool, entries: [Entry]) {
    guard !entries.isEmpty else { return nil }
    (self.address, self.name, self.isPaired, self.entries) = (address, name, isPaired, entries)
  }
}

/// Where the readings of a new session go.
package struct SetupSession: Sendable, Hashable {
  /// A receiver with its token, or a folder.
  package enum Destination: Sendable, Hashable {
    case receiver(url: String, token: SetupToken)
    case folder(String)
  }

  package let user: String
  package let organization: String
  package let destination: Destination
}

/// Where a token comes from.
package enum SetupToken: Sendable, Hashable {
  case file(String)
  /// Typed by a person.
  case text(String)
}

/// Something that the setup has to have done for it.
package enum SetupAction: Sendable, Hashable {
  /// Find out what is there.
  case look
  case startSession(SetupSession)
  /// Look at the radio again.
  case examineRadio
  case scan
  case pair(peripheral: UInt32, address: String)
  case read(peripheral: UInt32, address: String, takesHistory: Bool)
  case setPassive([UInt32])
  case enableService
}

/// What has come of it.
package enum SetupResult: Sendable {
  case facts(SetupFacts)
  case radio([DoctorFinding])
  case heard([SetupMeter])
  case done
  case failed(GatewayError)
}
