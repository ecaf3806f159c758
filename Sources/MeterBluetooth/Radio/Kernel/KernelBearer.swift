import BluetoothWire
import HostPrimitives
import KernelBluetooth
import Synchronization

/// The kernel's ATT channel as a bearer.
final class KernelBearer: ATTBearer {
  let exchangedMTU: Int?
  private let socket: ATTSocket
  /// What came before anybody asked.
  private let early: Mutex<[[UInt8]]>
  private let onClose: @Sendable () -> Void

  init(socket: ATTSocket, opening: LinkOpening, onClose: @escaping @Sendable () -> Void) {
    self.socket = socket
    exchangedMTU = opening.mtu
    early = Mutex(opening.others)
    self.onClose = onClose
  }

  func send(_ pdu: [UInt8]) async throws(GATTError) {
    do { try await socket.send(pdu) } catch {
      throw GATTError(.disconnected, "the link broke while sending: \(error)")
    }
  }

  func receive() async throws(GATTError) -> [UInt8]? {
    if let pdu = early.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return pdu }
    do {
      let pdu = try await socket.receive()
      if pdu == nil { onClose() }
      return pdu
    } catch {
      onClose()
      throw GATTError(.disconnected, "the link broke: \(error)")
    }
  }

  func close() { onClose() }
}

/// The first exchange on a link that is going to be encrypted: the largest PDU (Core Specification, Vol 3 Part F 3.4.2), which
/// tells nothing of the meter's owner.
///
/// It is made for the kernel's sake. Debian's Linux 6.1.192 uses freed memory when a link is lost on which no frame was
/// received, as that of a meter which has forgotten its bond is lost, and the thread that closes the socket dies of it.
struct LinkOpening: Sendable {
  private static let patience = Duration.seconds(5)
  /// Most PDUs that a meter may send before it answers.
  private static let mostOthers = 16

  /// The largest PDU that both sides take; nil when it was not asked for, or not answered in time.
  private(set) var mtu: Int?
  /// What else the meter has sent.
  private(set) var others: [[UInt8]] = []

  /// None was made.
  init() {}

  /// Makes it. A link that breaks meanwhile shows in what follows.
  init(on socket: ATTSocket) async {
    let wanted = UInt16(ATTClient.maximumPDULength)
    guard (try? await socket.send(ATTPDU.exchangeMTURequest(clientMTU: wanted).encoded)) != nil else { return }
    let answers = Task {
      var opening = LinkOpening()
      while opening.mtu == nil, opening.others.count < Self.mostOthers, let pdu = try? await socket.receive() {
        opening.take(pdu)
      }
      return opening
    }
    let alarm = Task {
      try? await SystemClock().sleep(for: Self.patience)
      answers.cancel()
    }
    self = await withTaskCancellationHandler {
      await answers.value
    } onCancel: {
      answers.cancel()
    }
    alarm.cancel()
    // It was asked for, and is not asked for again.
    mtu = mtu ?? ATTPDU.defaultMTU
  }

  /// Takes what the meter has sent behind the request.
  mutating func take(_ bytes: [UInt8]) {
    switch try? ATTPDU(decoding: bytes) {
    case .exchangeMTUResponse(let server): mtu = max(ATTPDU.defaultMTU, min(ATTClient.maximumPDULength, Int(server)))
    case .errorResponse(let request, _, _) where request == .exchangeMTURequest: mtu = ATTPDU.defaultMTU
    default: others.append(bytes)
    }
  }
}
