import Foundation
import MeterCore
import TestSupport
import Testing

@testable import MeterDrivers

@Suite struct RecordingStoreTests {
  @Test func aRecordingIsPrivateEncryptedAndOpensWithEitherKey() async throws {
    let state = try RecordingState()
    let pair = SupportKey()
    try RecordingSettings.set(pair.publicKey, in: state.store.recordings)
    let name = try await state.write()
    let file = try #require(state.store.recordings.file(name))
    let mode = try #require(FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int)
    #expect(mode == 0o600)
    let sealed = try RecordingReader.sealed(path: file.path)
    #expect(Set(sealed.holders) == [.vault, .support])
    #expect(sealed.supportFingerprints == [pair.publicKey.fingerprintText])
    let here = try RecordingReader(state: state.url.path).open(sealed)
    let there = try RecordingReader(state: "/nowhere", support: pair).open(sealed)
    #expect(here == there && !here.steps.isEmpty)
    // Nothing of the meter, its address or its data stands in the clear.
    #expect(Data(sealed.bytes).range(of: Data(here.opening.address)) == nil)
    let without = #expect(throws: RecordingError.self) { try RecordingReader(state: "/nowhere").open(sealed) }
    #expect(without?.code == .noKey)
    let wrong = #expect(throws: RecordingError.self) {
      try RecordingReader(state: "/nowhere", support: SupportKey()).open(sealed)
    }
    #expect(wrong?.code == .noKey)
    let copy = try RecordingReader(state: state.url.path).exported(sealed, to: pair.publicKey)
    #expect(copy.holders == [.support])
    #expect(try RecordingReader(state: "/nowhere", support: pair).open(SealedRecording(file: copy.bytes)) == here)
    #expect(throws: RecordingError.self) { try RecordingReader(state: state.url.path).open(copy) }
  }

  @Test func withoutTheVaultsKeySupportCanReadItStill() async throws {
    let state = try RecordingState()
    try state.store.setCredential([1, 2, 3], name: "key", scope: .gateway)
    let key = state.url.appending(path: "vault/key")
    try FileManager.default.removeItem(at: key)
    // Another process, which has not read the key yet.
    let other = try RecordingState(copying: state)
    await #expect(throws: (any Error).self) { try await other.write() }
    let pair = SupportKey()
    try RecordingSettings.set(pair.publicKey, in: other.store.recordings)
    let name = try await other.write()
    let file = try #require(other.store.recordings.file(name))
    let sealed = try RecordingReader.sealed(path: file.path)
    #expect(sealed.holders == [.support])
    #expect(!(try RecordingReader(state: other.url.path, support: pair).open(sealed).steps.isEmpty))
  }

  @Test func theEnvironmentMayNameTheSupportKey() throws {
    let state = try RecordingState()
    let (set, named) = (SupportKey().publicKey, SupportKey().publicKey)
    try RecordingSettings.set(set, in: state.store.recordings)
    let file = state.url.appending(path: "named.pub").path
    try Data(named.file).write(to: URL(filePath: file))
    func key(_ environment: [String: String]) throws -> String? {
      try RecordingSettings.supportKey(state.store.recordings, environment: environment)?.fingerprintText
    }
    #expect(try key([:]) == set.fingerprintText)
    #expect(try key(["METERHOST_SUPPORT_KEY": file]) == named.fingerprintText)
    #expect(throws: RecordingError.self) { try key(["METERHOST_SUPPORT_KEY": "/nowhere"]) }
    try RecordingSettings.set(nil, in: state.store.recordings)
    #expect(try key([:]) == nil)
  }

  @Test func aVerdictIsFoundByName() async throws {
    let state = try RecordingState()
    let (recorder, bundle) = try await state.recorder()
    recorder.refuseOutput(DriverFault(.brokeRule, driver: "recorded", rule: "R12", message: "cannot be"))
    let entry = try RecordingState.entry
    let name = try RecordingWriter(store: state.store).write(
      recorder, bundle: bundle, driver: entry, opening: RecordingBench.opening,
      generation: try state.store.currentSession().generation, knowsDate: true)
    // The head names the entry's driver, which the bundle does not hold.
    let reader = RecordingReader(state: state.url.path)
    let error = await #expect(throws: RecordingError.self) {
      try await RecordingReplay(host: DriverHost()).verdict(of: name, in: reader, bundle: bundle)
    }
    #expect(error?.code == .unavailable)
    let missing = await #expect(throws: RecordingError.self) {
      try await RecordingReplay(host: DriverHost()).verdict(of: "nothing", in: reader, bundle: bundle)
    }
    #expect(missing?.code == .unknown)
  }

  @Test func recordingsGoWithTheirSessionUnlessTheyAreKept() async throws {
    let state = try RecordingState()
    _ = try state.store.startSession(SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("t"))
    let (kept, other) = (try await state.write(), try await state.write())
    #expect(state.store.recordings.keep(kept))
    #expect(state.store.recordings.keep(kept), "twice is harmless")
    #expect(!state.store.recordings.keep("nobody"))
    #expect(Set(state.names) == [kept, other])
    try state.store.endSession()
    #expect(state.names == [kept])
    #expect(state.store.recordings.remove(kept))
    #expect(!state.store.recordings.remove(kept))
    #expect(state.names.isEmpty)
  }

  @Test func aRecordingOfASessionThatHasEndedIsNotWritten() async throws {
    let state = try RecordingState()
    _ = try state.store.startSession(SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("t"))
    let generation = try state.store.currentSession().generation
    try state.store.endSession()
    let (recorder, bundle) = try await state.recorder()
    let error = #expect(throws: StoreError.self) {
      try RecordingWriter(store: state.store).write(
        recorder, bundle: bundle, driver: RecordingState.entry, opening: RecordingBench.opening,
        generation: generation, knowsDate: true)
    }
    #expect(error?.code == .staleGeneration)
    #expect(state.names.isEmpty)
  }

  @Test func numberAndAgeAreLimited() async throws {
    let state = try RecordingState()
    var settings = RecordingSettings()
    settings.number = 3
    try settings.write(to: state.store.recordings)
    #expect(RecordingSettings(state.store.recordings) == settings)
    var names: [String] = []
    for _ in 0..<5 { names.append(try await state.write()) }
    #expect(state.names.count == 3)
    #expect(state.names.contains(try #require(names.last)))
    let writer = RecordingWriter(store: state.store)
    writer.tend(now: MeterStore.wallClockMicroseconds + 29 * 86_400_000_000)
    #expect(state.names.count == 3)
    writer.tend(now: nil)
    #expect(state.names.count == 3)
    writer.tend(now: MeterStore.wallClockMicroseconds + 31 * 86_400_000_000)
    #expect(state.names.isEmpty)
  }

  @Test func theNewestOfEachMeterGoesLast() throws {
    let hash = try #require(BundleHash(bytes: [UInt8](repeating: 3, count: 32)))
    func entry(_ time: Int64, _ meter: UInt8, size: Int = 10) -> RecordingEntry {
      let head = RecordingHead(
        id: [UInt8](repeating: 0, count: 16), origin: .session, createdMicroseconds: time, driver: "d",
        driverVersion: "1.0.0", bundleName: "l", bundleHash: hash, contract: .host, hostVersion: "0", peripheral: 1,
        meterTag: [meter], end: .fault, fault: "crashed", events: 0, isTruncated: false)
      return RecordingEntry(
        file: RecordingFile(name: "\(meter)-\(time)", path: "", size: size, isKept: false), head: head)
    }
    var settings = RecordingSettings()
    let entries = [entry(1, 1), entry(2, 2), entry(3, 2), entry(4, 2)]
    func surplus(beside size: Int? = nil) -> [String] {
      RecordingRetention(settings).surplus(of: entries.shuffled(), beside: size, now: nil)
    }
    #expect(surplus().isEmpty)
    settings.number = 3
    #expect(surplus() == ["2-2"])
    settings.number = 2
    #expect(surplus() == ["2-2", "2-3"])
    settings.number = 1
    #expect(surplus() == ["2-2", "2-3", "1-1"])
    #expect(surplus(beside: 10) == ["2-2", "2-3", "1-1", "2-4"])
    settings.number = 100
    settings.megabytes = 1
    let large = [entry(1, 1, size: 600 << 10), entry(2, 2, size: 600 << 10), entry(3, 2, size: 300 << 10)]
    #expect(RecordingRetention(settings).surplus(of: large, beside: nil, now: nil) == ["2-2"])
    #expect(RecordingRetention(settings).surplus(of: large, beside: 800 << 10, now: nil) == ["2-2", "1-1", "2-3"])
  }

  @Test(arguments: ["", ".", "..", "../x", "a/b", "-x", ".x", "ä", "a b", String(repeating: "a", count: 129)])
  func namesThatCouldLeaveTheFolderAreRefused(name: String) throws {
    let state = try RecordingState()
    #expect(!RecordingFolder.isName(name))
    #expect(state.store.recordings.file(name) == nil && !state.store.recordings.remove(name))
    #expect(throws: StoreError.self) {
      try state.store.writeRecording([1], name: name, generation: state.store.currentSession().generation)
    }
  }
}
