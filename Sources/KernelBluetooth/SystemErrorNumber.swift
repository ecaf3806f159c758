import Glibc

/// The error numbers that Bluetooth sockets tell apart.
enum SystemErrorNumber {
  static let familyNotSupported = EAFNOSUPPORT
  static let protocolNotSupported = EPROTONOSUPPORT
  static let notPermitted = EPERM
  static let accessDenied = EACCES
  static let inProgress = EINPROGRESS
  static let invalidArgument = EINVAL
  static let noRoute = EHOSTUNREACH
  static let hostDown = EHOSTDOWN
  static let networkDown = ENETDOWN
  static let noDevice = ENODEV
  static let timedOut = ETIMEDOUT
  static let busy = EBUSY
  static let alreadyConnected = EISCONN
  static let refused = ECONNREFUSED
  static let aborted = ECONNABORTED
  static let reset = ECONNRESET
}
