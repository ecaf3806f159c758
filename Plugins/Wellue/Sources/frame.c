#include "frame.h"

#include <string.h>

uint8_t wellue_crc(const uint8_t *bytes, uint64_t n) {
  uint8_t crc = 0;
  for (uint64_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = (uint8_t)(crc & 0x80u ? crc << 1 ^ 0x07 : crc << 1);
  }
  return crc;
}

enum wellue_found wellue_find(const uint8_t *bytes, uint64_t n, uint8_t lead, wellue_frame *out) {
  if (n == 0 || bytes[0] != lead) return WELLUE_NOISE;
  if (n >= 3 && (bytes[1] ^ bytes[2]) != 0xff) return WELLUE_NOISE;
  if (n < WELLUE_HEADER) return WELLUE_PART;
  uint16_t length = (uint16_t)(bytes[5] | bytes[6] << 8);
  if (length > WELLUE_PAYLOAD_MAX) return WELLUE_NOISE;
  if (n < length + WELLUE_OVERHEAD) return WELLUE_PART;
  uint64_t before = length + WELLUE_HEADER;
  if (wellue_crc(bytes, before) != bytes[before]) return WELLUE_NOISE;
  *out = (wellue_frame){
      .code = bytes[1], .first = bytes[3], .second = bytes[4], .length = length, .payload = bytes + WELLUE_HEADER};
  return WELLUE_FRAME;
}

uint64_t wellue_write(uint8_t lead, uint8_t code, const uint8_t *payload, uint8_t n_payload, uint8_t *out) {
  const uint8_t header[WELLUE_HEADER] = {lead, code, (uint8_t)~code, 0, 0, n_payload, 0};
  memcpy(out, header, WELLUE_HEADER);
  if (n_payload != 0) memcpy(out + WELLUE_HEADER, payload, n_payload);
  uint64_t before = WELLUE_HEADER + (uint64_t)n_payload;
  out[before] = wellue_crc(out, before);
  return before + 1;
}

int32_t wellue_append(wellue_stream *stream, mh_bytes value) {
  if (value.n > sizeof stream->bytes - stream->n || (value.n != 0 && value.p == NULL)) {
    stream->n = 0;
    return MH_E_PROTOCOL;
  }
  if (value.n != 0) memcpy(stream->bytes + stream->n, value.p, value.n);
  stream->n = (uint16_t)(stream->n + value.n);
  return MH_OK;
}

static void drop(wellue_stream *stream, uint16_t count) {
  stream->n = (uint16_t)(stream->n - count);
  memmove(stream->bytes, stream->bytes + count, stream->n);
}

int wellue_next(wellue_stream *stream, uint8_t lead, uint8_t *frame, wellue_frame *out, uint32_t *n_noise) {
  uint16_t at = 0;
  enum wellue_found found = WELLUE_NOISE;
  while (at < stream->n) {
    found = wellue_find(stream->bytes + at, (uint64_t)(stream->n - at), lead, out);
    if (found != WELLUE_NOISE) break;
    at++;
  }
  *n_noise += at;
  drop(stream, at);
  if (stream->n == 0 || found != WELLUE_FRAME) return 0;
  uint16_t length = (uint16_t)(out->length + WELLUE_OVERHEAD);
  memcpy(frame, stream->bytes, length);
  out->payload = frame + WELLUE_HEADER;
  drop(stream, length);
  return 1;
}
