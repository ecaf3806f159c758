import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Recovery files that earlier versions have written, as they wrote them.
@Suite("Recovery files of version 1") struct OldRecoveryFileTests {
  private static let text = #"""
    {"digest":"db7ade5cff583a18362027e060f14c3335bcf68652f4882fe9723541f74589e1",
    "entries":[{"record":{"contentHash":[64,98,92,244,134,30,109,36,254,182,108,236,29,60,206,127,234,142,187,252,
    217,64,241,167,220,219,11,149,71,41,10,55],
    "flags":0,"identityClass":"live","logID":"6b1f2f0e-4d0a-4c56-9d0d-1f6f0a1c2b3d","notes":[],"origin":"manual",
    "revision":1,"source":{"deviceID":"manual","driverID":"submission","driverVersion":"0.1.0","peripheralID":0},
    "time":{"endMicroseconds":1772352000000000,"kind":"utc","startMicroseconds":1772352000000000,
    "utcOffsetSeconds":0,"zoneSource":"gateway"},"type":"diabetes","values":[{"isRounded":false,"metric":1,
    "number":{"exponent":0,"mantissa":112},"qualifier":"exact","unit":2}]},"revision":1,"sink":"inform",
    "state":"pending"}],"user":{"organizationID":"clinic","userID":"ada"},"version":1}
    """#

  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder()
    file = folder.url.appending(path: "session-1.json")
  }

  private func recover(_ text: String) throws -> RecoverySummary {
    try Data(text.utf8).write(to: file)
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    return try store.recover(file)
  }

  @Test("are read back") func readBack() throws {
    #expect(try recover(Self.text).pending.map(\.description) == ["6b1f2f0e-4d0a-4c56-9d0d-1f6f0a1c2b3d"])
  }

  @Test("are refused when they were changed", arguments: [("112", "113"), ("ada", "eve"), ("inform", "others")])
  func changed(_ was: String, _ now: String) throws {
    let error = #expect(throws: StoreError.self) {
      try recover(Self.text.replacingOccurrences(of: was, with: now))
    }
    #expect(error?.code == .recoveryFile)
  }

  /// A file of version 2, as it was written.
  private static let lines = #"""
    {"user":{"organizationID":"clinic","userID":"ada"},"version":2}
    {"record":{"lastError":"HTTP 503","record":{"contentHash":[64,98,92,244,134,30,109,36,254,182,108,236,29,60,206,127,234,142,187,252,217,64,241,167,220,219,11,149,71,41,10,55],"flags":0,"identityClass":"live","logID":"6b1f2f0e-4d0a-4c56-9d0d-1f6f0a1c2b3d","notes":[],"origin":"manual","revision":1,"source":{"deviceID":"manual","driverID":"submission","driverVersion":"0.1.0","peripheralID":0},"time":{"endMicroseconds":1772352000000000,"kind":"utc","startMicroseconds":1772352000000000,"utcOffsetSeconds":0,"zoneSource":"gateway"},"type":"diabetes","values":[{"isRounded":false,"metric":1,"number":{"exponent":0,"mantissa":112},"qualifier":"exact","unit":2}]},"revision":1,"sink":"inform","state":"pending"}}
    {"end":{"digest":"150a3321e8c1e72353ba63f044f3bfdba1cf72c809356290271ac20919c5219b","images":0,"records":1}}

    """#

  @Test("of version 2 are read back as well") func linesReadBack() throws {
    #expect(try recover(Self.lines).pending.map(\.description) == ["6b1f2f0e-4d0a-4c56-9d0d-1f6f0a1c2b3d"])
    #expect(try UnsyncedPage(of: file).entries.map(\.lastError) == ["HTTP 503"])
  }
}
