/* The frame of TaiDoc's protocol: 51 command d0 d1 d2 d3 direction sum. Pure: no sink, no host. */
#ifndef TAIDOC_FRAME_H
#define TAIDOC_FRAME_H

#include <meterhost/abi.h>

namespace taidoc {

/* Everything that this driver can ask of a meter. The list is closed and its members are not numbers of the protocol:
 * opcode() alone knows those, and the command that erases a meter's memory is not among them. */
enum class Command : uint8_t {
  Connect,
  GetClock,
  GetModel,
  RecordTime,
  RecordValue,
  RecordCount,
  SetClock,
  PowerOff,
};

/* The byte of the protocol (glucometers-tech/glucometer-protocols, taidoc/td42xx, and advmeds-bluetooth-lib). */
constexpr uint8_t opcode(Command command) {
  switch (command) {
  case Command::Connect: return 0x22;
  case Command::GetClock: return 0x23;
  case Command::GetModel: return 0x24;
  case Command::RecordTime: return 0x25;
  case Command::RecordValue: return 0x26;
  case Command::RecordCount: return 0x2b;
  case Command::SetClock: return 0x33;
  case Command::PowerOff: return 0x50;
  }
  /* A value outside the enumeration asks for the model, which changes nothing in a meter. */
  return 0x24;
}

/* 52 erases all readings of the person. */
constexpr uint8_t erase_opcode = 0x52;
static_assert(opcode(Command::Connect) != erase_opcode && opcode(Command::GetClock) != erase_opcode &&
                  opcode(Command::GetModel) != erase_opcode && opcode(Command::RecordTime) != erase_opcode &&
                  opcode(Command::RecordValue) != erase_opcode && opcode(Command::RecordCount) != erase_opcode &&
                  opcode(Command::SetClock) != erase_opcode && opcode(Command::PowerOff) != erase_opcode &&
                  opcode(static_cast<Command>(erase_opcode)) != erase_opcode,
              "no command may erase a meter's memory");

constexpr uint8_t start_byte = 0x51;
/* Direction: host to meter, meter to host. */
constexpr uint8_t request_byte = 0xa3;
constexpr uint8_t reply_byte = 0xa5;
constexpr uint32_t frame_size = 8;
constexpr uint32_t payload_size = 4;

/* The four bytes between the command and the direction. */
struct Payload {
  uint8_t d[payload_size];
};

constexpr bool operator==(const Payload &a, const Payload &b) {
  return a.d[0] == b.d[0] && a.d[1] == b.d[1] && a.d[2] == b.d[2] && a.d[3] == b.d[3];
}

constexpr uint16_t low_word(const Payload &payload) {
  return static_cast<uint16_t>(payload.d[0] | payload.d[1] << 8);
}

struct Frame {
  uint8_t b[frame_size];
};

/* What is sent to the meter. There is no other way to make one. */
Frame encode(Command command, const Payload &payload);

/* A reply that was found whole and with the right sum. */
struct Reply {
  uint8_t opcode;
  Payload payload;
};

/* Whether eight bytes are a whole reply. */
bool read_reply(const uint8_t *bytes, Reply *out);

/* Finds replies in what the meter sends: frames may be split over notifications or stand side by side in one, and
 * bytes that belong to no frame are passed over up to the next start byte. */
class FrameReader {
public:
  void reset() { n_ = 0; }
  /* Takes one byte; true when it completes a reply. */
  bool take(uint8_t byte, Reply *out);
  /* How many bytes were passed over so far. */
  uint32_t skipped() const { return skipped_; }

private:
  void drop(uint32_t count);

  uint8_t bytes_[frame_size];
  uint32_t n_;
  uint32_t skipped_;
};

} // namespace taidoc

#endif
