import CMeterDriver
@testable import DriverTestBench
import Testing

/// What the Swift author library hands to the host and takes from it, seen through the C contract.
@Suite struct AuthorLibraryTests {
  func open() throws -> TestSession { try TestHost(library: "libauthor-probe.so").open() }

  @Test func aQuestionNamesWhereItsAnswerIsKept() throws {
    let uuid = mh_uuid(
      b: (0, 0, 0x15, 0x24, 0x12, 0x12, 0xef, 0xde, 0x15, 0x23, 0x78, 0x5f, 0xea, 0xbc, 0xd1, 0x23))
    let kept = try open().commit(.vendorServices([(55, 0x10, uuid)], service: uuid)).actions
    #expect(
      kept == [
        TestAction(
          kind: MH_DO_ASK_USER, token: 55, argument: 1, code: MH_ASK_PASSKEY, flags: UInt16(MH_ASK_SECRET),
          argument2: 6, value: Array("credential/key".utf8), text: "Type it.")
      ])
    // The same 16-bit id inside another service is another characteristic.
    let other = try open().commit(.vendorServices([(55, 0x10, uuid)], service: mh_uuid16(0x1524))).actions
    #expect(other.map(\.token) == [0] && other[0].value.isEmpty)
  }

  @Test(
    arguments: [
      (Array("S-1\0\0".utf8), "S-1"), (Array("Zürich €😀".utf8), "Zürich €😀"), ([0x41, 0xff, 0x42], "A?B"),
      ([0xc3], "?"), ([0xed, 0xa0, 0x80], "???"), ([0xf4, 0x90, 0x80, 0x80], "????"), ([0xc0, 0x80], "??"), ([], ""),
    ] as [([UInt8], String)])
  func textsFollowTheirRecordAndAreAlwaysUTF8(bytes: [UInt8], expected: String) throws {
    for capacities in [Capacities.ample, Capacities(records: 1, values: 1, arena: 64, texts: 2, actionsPerRound: 1)] {
      let session = try open()
      session.capacities = capacities
      let records = session.commit(.notification(1, bytes)).records
      #expect(records.map(\.identity) == [[1, 0xaa, 0xbb], [2, 0xaa, 0xbb]])
      #expect(
        records.allSatisfy {
          $0.texts == [UInt16(MH_METRIC_SERIAL_NUMBER): expected, UInt16(MH_METRIC_MODEL): "M1"]
        })
      #expect(records.allSatisfy { $0.flags == MH_REC_TOMBSTONE && $0.group == 7 })
      #expect(records.allSatisfy { $0.length == 10 && $0.utcOffsetSeconds == 3600 })
      #expect(records.allSatisfy { $0.values.map(\.flags) == [UInt16(MH_VALUE_ROUNDED)] && $0.time == 10 })
    }
  }

  @Test func randomBytesAndFilesComeFromTheHost() throws {
    let session = try open()
    session.host.state.assets = ["table": [1, 2, 3]]
    #expect(session.commit(.notification(2, [])).actions.map(\.value) == [[0, 1, 2, 3]])
    #expect(session.commit(.notification(3, [])).actions.map(\.value) == [[1, 2, 3]])
    #expect(session.commit(.notification(4, [])).actions.map(\.kind) == [MH_DO_FINISH])
    session.host.state.assets = ["other": [1]]
    #expect(session.commit(.notification(3, [])).actions.map(\.value) == [[0xff]])
    #expect(session.commit(.notification(4, [])).status == MH_E_ARG)
  }

  @Test func keysAreUsedByName() throws {
    let session = try open()
    #expect(session.commit(.notification(5, [1, 2])).status == MH_E_DENIED)
    session.host.state.keys = ["credential/key": 0x0f]
    // The bench's cipher: each byte with the key, then the nonce and as many bytes of tag as were asked for.
    let unit = session.commit(.notification(5, [1, 2]))
    #expect(unit.actions.dropLast().map(\.value) == [[0x0e, 0x0d, 9, 4, 4, 4, 4], [1, 1, 2]])
    #expect(unit.actions.last?.code == MH_FAIL_KEY_MISSING && unit.actions.last?.argument == 1)
  }

  @Test func advertisementsAreTakenApart() throws {
    let session = try open()
    let both: [UInt8] = [2, 1, 6, 5, 0x16, 0x1d, 0x18, 7, 8, 4, 0xff, 0x57, 1, 9]
    #expect(session.commit(.advertisement(both)).actions.map(\.value) == [[7, 8], [9]])
    for damaged in [[], [0], [5, 0x16, 0x1d, 0x18, 7], [2, 0x16, 0x1d], [0, 5, 0x16, 0x1d, 0x18, 7, 8]] as [[UInt8]] {
      #expect(session.commit(.advertisement(damaged)).actions.map(\.value) == [[0xff], [0xff]])
    }
  }
}
