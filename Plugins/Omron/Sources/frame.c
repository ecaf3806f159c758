#include "frame.h"

#include <string.h>

static uint8_t exclusive_or(const uint8_t *bytes, uint32_t n) {
  uint8_t sum = 0;
  for (uint32_t i = 0; i < n; i++) sum ^= bytes[i];
  return sum;
}

uint32_t omron_build(uint16_t type, uint16_t address, uint8_t size, const uint8_t *data, uint8_t *out) {
  uint32_t n = data == NULL ? 0 : size, length = OMRON_FRAME_EXTRA + n;
  if (length > OMRON_FRAME_MAX) return 0;
  out[0] = (uint8_t)length;
  out[1] = (uint8_t)(type >> 8);
  out[2] = (uint8_t)type;
  out[3] = (uint8_t)(address >> 8);
  out[4] = (uint8_t)address;
  out[5] = size;
  if (n != 0) memcpy(out + 6, data, n);
  out[length - 2] = 0;
  out[length - 1] = exclusive_or(out, length - 1);
  return length;
}

int32_t omron_read_frame(mh_bytes bytes, omron_frame *out) {
  if (bytes.p == NULL || bytes.n < OMRON_FRAME_EXTRA) return MH_E_PROTOCOL;
  uint32_t length = bytes.p[0];
  if (length < OMRON_FRAME_EXTRA || length > OMRON_FRAME_MAX || length > bytes.n) return MH_E_PROTOCOL;
  if (exclusive_or(bytes.p, length) != 0) return MH_E_PROTOCOL;
  memset(out, 0, sizeof *out);
  out->type = (uint16_t)(bytes.p[1] << 8 | bytes.p[2]);
  out->address = (uint16_t)(bytes.p[3] << 8 | bytes.p[4]);
  out->n = bytes.p[5];
  if (length == OMRON_FRAME_EXTRA) {
    out->code = bytes.p[6];
    return MH_OK;
  }
  /* More than there is, or another length than it says: nothing of it can be placed. Only the answer to the start is longer
   * than the size that it repeats. */
  if (out->n > length - OMRON_FRAME_EXTRA) return MH_E_PROTOCOL;
  out->has_data = 1;
  memcpy(out->data, bytes.p + 6, out->n);
  return MH_OK;
}

void omron_forget_pieces(omron_pieces *pieces) { memset(pieces->length, 0, sizeof pieces->length); }

int32_t omron_take_piece(omron_pieces *pieces, uint32_t channel, mh_bytes value, omron_frame *out) {
  if (channel >= OMRON_CHANNELS || value.p == NULL || value.n == 0 || value.n > OMRON_CHANNEL_WIDTH)
    return MH_E_PROTOCOL;
  /* A second first piece begins another frame: what had come of the one before belongs to it no more. */
  if (channel == 0 && pieces->length[0] != 0) omron_forget_pieces(pieces);
  memcpy(pieces->bytes[channel], value.p, value.n);
  pieces->length[channel] = (uint8_t)value.n;
  if (pieces->length[0] == 0) return 0;
  uint32_t length = pieces->bytes[0][0], needed = (length + OMRON_CHANNEL_WIDTH - 1) / OMRON_CHANNEL_WIDTH;
  if (length < OMRON_FRAME_EXTRA || length > OMRON_FRAME_MAX) {
    omron_forget_pieces(pieces);
    return MH_E_PROTOCOL;
  }
  uint8_t whole[OMRON_FRAME_MAX];
  for (uint32_t i = 0; i < needed; i++) {
    uint32_t rest = length - i * OMRON_CHANNEL_WIDTH, due = rest < OMRON_CHANNEL_WIDTH ? rest : OMRON_CHANNEL_WIDTH;
    if (pieces->length[i] == 0) return 0;
    if (pieces->length[i] < due) {
      omron_forget_pieces(pieces);
      return MH_E_PROTOCOL;
    }
    memcpy(whole + i * OMRON_CHANNEL_WIDTH, pieces->bytes[i], due);
  }
  omron_forget_pieces(pieces);
  int32_t status = omron_read_frame((mh_bytes){whole, length}, out);
  return status == MH_OK ? 1 : status;
}
