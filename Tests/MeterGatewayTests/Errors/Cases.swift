import BluetoothWire
import MeterCore
import MeterGateway
import MeterReceiver
import VirtualMeter

extension StoreError.Code: CaseIterable {
  static var allCases: [Self] {
    [
      .busy, .staleGeneration, .diskFull, .corrupt, .missingDatabase, .readOnly, .locked, .inputOutput, .storageLimit,
      .queueFull, .storageKey, .newerVersion, .unknownCursor, .folder, .notFound, .imageRefused, .otherUser, .sink,
      .recoveryFile, .vaultKey, .vault, .database,
    ]
  }
}
extension RecordImage.Refusal.Code: CaseIterable {
  static var allCases: [Self] { [.empty, .tooLarge, .notAnImage, .otherType] }
}
extension TransportError.Code: CaseIterable {
  static var allCases: [Self] {
    [
      .unreachable, .tls, .timeout, .interrupted, .responseTooLarge, .foreignAnswer, .invalidRequest, .cancelled,
      .unavailable,
    ]
  }
}
extension EncodingRefusal.Code: CaseIterable {
  static var allCases: [Self] {
    [.control, .nothingToSend, .duplicate, .noSuchType, .noPlace, .notConvertible, .offset]
  }
}
extension AdmissionRejection.Code: CaseIterable {
  static var allCases: [Self] {
    [.noValue, .inconsistentNumber, .unitNotAllowed, .wrongKind, .noIdentity, .impossibleTime]
  }
}
extension ReceiverError.Code: CaseIterable {
  static var allCases: [Self] {
    [
      .invalidConfiguration, .cannotListen, .stopped, .databaseFailure, .databaseTooNew, .databaseUnreachable,
      .databaseRefused, .databaseEncoding, .databaseNotDurable, .invalidIdentifier, .invalidToken, .tokenInUse,
      .alreadyExists, .notFound,
    ]
  }
}
extension VirtualMeterError.Code: CaseIterable {
  static var allCases: [Self] { [.busy, .socket, .addressTaken, .air] }
}
extension MeterScriptError.Code: CaseIterable {
  static var allCases: [Self] { [.unreadable, .notJSON, .missingKey, .unknownKey, .invalidValue] }
}
extension VirtualAirError.Code: CaseIterable {
  static var allCases: [Self] { [.noFolder, .relativeFolder, .pathTooLong] }
}
extension FeedbackProblem.Code: CaseIterable {
  static var allCases: [Self] { [.notifierMissing, .playerMissing, .soundFile, .hookFile, .failed, .timeout] }
}
