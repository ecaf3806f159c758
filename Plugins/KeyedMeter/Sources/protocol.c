#include "protocol.h"

#include <string.h>

static uint32_t read_u32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static mh_str text(const char *p) {
  mh_str str = {p, strlen(p)};
  return str;
}

int32_t keyed_read_info(mh_bytes bytes, keyed_info *out) {
  if (bytes.p == NULL || bytes.n < KEYED_INFO_LENGTH) return MH_E_PROTOCOL;
  memcpy(out->id, bytes.p, KEYED_ID_LENGTH);
  out->tag_length = bytes.p[8];
  out->last_sequence = (uint16_t)(bytes.p[9] | bytes.p[10] << 8);
  return out->tag_length == 4 || out->tag_length == 8 ? MH_OK : MH_E_PROTOCOL;
}

int32_t keyed_open_packet(const mh_crypto *crypto, uint64_t peer, const keyed_info *info, mh_bytes packet,
                          uint8_t *out) {
  if (packet.p == NULL || packet.n != 4u + KEYED_RECORD_LENGTH + info->tag_length) return MH_E_PROTOCOL;
  /* The message counter, then the meter's id: no nonce comes twice in a meter's life. */
  uint8_t nonce[4 + KEYED_ID_LENGTH];
  memcpy(nonce, packet.p, 4);
  memcpy(nonce + 4, info->id, KEYED_ID_LENGTH);
  mh_cipher request = {.struct_size = sizeof request,
                       .algorithm = MH_CIPHER_AES_CCM,
                       .direction = MH_CIPHER_DECRYPT,
                       .tag_length = info->tag_length,
                       .key = text(KEYED_KEY),
                       .nonce = {nonce, sizeof nonce},
                       .associated = {info->id, KEYED_ID_LENGTH},
                       .input = {packet.p + 4, packet.n - 4}};
  uint64_t n = KEYED_RECORD_LENGTH;
  int32_t status = crypto->cipher(crypto->ctx, peer, &request, out, &n);
  return status == MH_OK && n != KEYED_RECORD_LENGTH ? MH_E_CRYPTO : status;
}

int32_t keyed_proof(const mh_crypto *crypto, uint64_t peer, const keyed_info *info, const uint8_t *challenge,
                    uint8_t *out) {
  uint8_t message[6 + KEYED_CHALLENGE_LENGTH + KEYED_ID_LENGTH] = "VERIFY";
  memcpy(message + 6, challenge, KEYED_CHALLENGE_LENGTH);
  memcpy(message + 6 + KEYED_CHALLENGE_LENGTH, info->id, KEYED_ID_LENGTH);
  uint8_t mac[16];
  uint64_t n = sizeof mac;
  mh_bytes input = {message, sizeof message};
  int32_t status = crypto->mac(crypto->ctx, peer, MH_MAC_AES_CMAC, text(KEYED_KEY), input, mac, &n);
  if (status == MH_OK) memcpy(out, mac, KEYED_CHALLENGE_LENGTH);
  return status;
}

int32_t keyed_put_record(const uint8_t *p, mh_sink *sink) {
  uint16_t sequence = (uint16_t)(p[0] | p[1] << 8);
  uint16_t tenths = (uint16_t)(p[6] | p[7] << 8);
  /* FFFF: the strip gave no result. */
  if (tenths == 0xffffu) return MH_E_NO_VALUE;
  mh_value value = {.metric = MH_METRIC_INR, .unit = MH_UNIT_INR, .exp10 = -1, .value = tenths / 10.0, .raw = tenths};
  /* Seconds of civil time since 2000-01-01. */
  int64_t t_us = (INT64_C(946684800) + read_u32(p + 2)) * 1000000;
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .flags = p[8] & 1u ? MH_REC_CONTROL : 0u,
                      .time_kind = MH_TIME_CIVIL,
                      .t_us = t_us,
                      .end_us = t_us,
                      .device_seq = sequence,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_STORED};
  /* Sequence, time and value as the meter reported them. */
  return mh_sink_record(sink, &record, &value, 1, p, KEYED_IDENTITY_LENGTH);
}
