#include "frame.h"

namespace taidoc {

/* The low byte of the sum of all bytes before it. */
static uint8_t checksum(const uint8_t *bytes) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i + 1 < frame_size; i++) sum += bytes[i];
  return static_cast<uint8_t>(sum & 0xffu);
}

Frame encode(Command command, const Payload &payload) {
  Frame frame = {{start_byte, opcode(command), payload.d[0], payload.d[1], payload.d[2], payload.d[3], request_byte, 0}};
  frame.b[frame_size - 1] = checksum(frame.b);
  return frame;
}

bool read_reply(const uint8_t *bytes, Reply *out) {
  if (bytes[0] != start_byte || bytes[6] != reply_byte || bytes[7] != checksum(bytes)) return false;
  *out = Reply{bytes[1], Payload{{bytes[2], bytes[3], bytes[4], bytes[5]}}};
  return true;
}

bool FrameReader::take(uint8_t byte, Reply *out) {
  if (n_ == 0 && byte != start_byte) {
    skipped_++;
    return false;
  }
  bytes_[n_++] = byte;
  if (n_ < frame_size) return false;
  if (read_reply(bytes_, out)) {
    n_ = 0;
    return true;
  }
  /* Not a frame after all: perhaps one starts later in what was taken for it. */
  uint32_t next = 1;
  while (next < n_ && bytes_[next] != start_byte) next++;
  drop(next);
  return false;
}

void FrameReader::drop(uint32_t count) {
  for (uint32_t i = count; i < n_; i++) bytes_[i - count] = bytes_[i];
  n_ -= count;
  skipped_ += count;
}

} // namespace taidoc
