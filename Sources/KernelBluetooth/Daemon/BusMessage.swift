/// A call to an object on the bus.
struct BusCall: Sendable, Hashable {
  /// The bus itself.
  static let bus = "org.freedesktop.DBus"
  /// The name that bluetoothd owns.
  static let daemon = "org.bluez"

  /// Who is asked: a name on the bus.
  var destination: String
  /// The object.
  var path: String
  /// The interface of the method.
  var interface: String
  /// The method.
  var member: String
  /// Text and paths; nothing else is sent in a call.
  var arguments: [BusValue] = []

  /// A call of the bus itself (D-Bus specification, "Message Bus Messages").
  static func bus(_ member: String, _ argument: String? = nil) -> BusCall {
    BusCall(
      destination: bus, path: "/org/freedesktop/DBus", interface: bus, member: member,
      arguments: argument.map { [.text($0)] } ?? [])
  }
}

struct BusMessage: Sendable, Hashable {
  /// What kind of message it is.
  enum Kind: Sendable, Hashable {
    /// Somebody calls a method of this program.
    case call
    /// The answer to a call of this program.
    case answer(to: UInt32)
    /// The refusal of a call of this program, by its name.
    case refusal(of: UInt32, name: String)
    /// Something has happened.
    case signal
  }

  /// What kind of message it is.
  var kind: Kind
  /// Who has sent it: a unique name, or the bus.
  var sender: String
  /// The object, of calls and signals.
  var path: String
  /// The interface, where one is named.
  var interface: String
  /// The method or the signal.
  var member: String
  /// Its content; nil when there is more of it than is ever read.
  var arguments: [BusValue]?
}

/// How somebody on the bus has refused a call.
struct BusRefusal: Error, Sendable, Hashable {
  /// The error's name, as `org.bluez.Error.Failed`.
  var name: String

  /// The bus or bluetoothd knows no such object, or it has no such interface any more.
  var isUnknownObject: Bool {
    [
      "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownInterface", "org.bluez.Error.DoesNotExist",
    ].contains(name)
  }

  /// The bus says that nobody has the name that was asked for.
  var isNobody: Bool { name == "org.freedesktop.DBus.Error.NameHasNoOwner" }

  /// There is no bluetoothd any more.
  var isDaemonGone: Bool {
    [
      "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected",
    ].contains(name)
  }
}

extension KernelBluetoothError {
  /// There is no bluetoothd, or not any more.
  static let daemonGone = KernelBluetoothError(
    .noAnswer, "bluetoothd has ended; start it with `systemctl start bluetooth`, and try again")
  /// bluetoothd, or the bus, says nothing.
  static let daemonSilent = KernelBluetoothError(
    .noAnswer, "bluetoothd does not answer; start it again with `systemctl restart bluetooth`")
  /// What bluetoothd says has another form than it should.
  static let daemonUnknown = KernelBluetoothError(
    .refused, "bluetoothd answers in a way that this version does not know")

  /// A call that bluetoothd or the bus has refused.
  init(_ refusal: BusRefusal, trying action: String) {
    switch refusal.name {
    case _ where refusal.isDaemonGone: self = .daemonGone
    case "org.freedesktop.DBus.Error.AccessDenied", "org.bluez.Error.NotPermitted", "org.bluez.Error.NotAuthorized":
      self.init(
        .noPermission,
        "bluetoothd may not be asked to \(action) (\(refusal.name)); put the program's user into the group `bluetooth`")
    case "org.bluez.Error.NotReady":
      self.init(.poweredOff, "bluetoothd cannot \(action): the adapter is off; run `bluetoothctl power on`")
    default: self.init(.refused, "bluetoothd cannot \(action) (\(refusal.name.prefix(120)))")
    }
  }
}
