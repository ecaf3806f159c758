#include "decode.h"

/* Flags of the measurement (Heart Rate Service 1.0, 3.1.1.1). Bits 5 to 7 are reserved. */
#define FLAG_WIDE 0x01u
#define FLAG_ENERGY 0x08u
#define FLAG_INTERVALS 0x10u

/* Bits 1 and 2: 0 and 1 the sensor cannot tell, 2 no contact with the skin, 3 contact. */
#define CONTACT_NONE 2u

/* As many as fit into any host's sink beside rate, contact and energy: a record that needs more may never fit (rule R13).
 * No heart beats so often between two packets. */
#define INTERVALS_MAX (MH_SINK_VALUES_MIN - 3)

typedef struct measurement {
  uint16_t rate;
  uint16_t energy;
  uint16_t n_intervals;
  uint8_t contact;
  uint8_t has_energy;
  const uint8_t *intervals;
} measurement;

static uint16_t two_bytes(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static int32_t parse(mh_bytes bytes, measurement *out) {
  if (bytes.p == NULL || bytes.n == 0 || bytes.n > HEART_RATE_PACKET_MAX) return MH_E_PROTOCOL;
  uint8_t flags = bytes.p[0];
  uint64_t at = 1, width = flags & FLAG_WIDE ? 2 : 1;
  *out = (measurement){.contact = flags >> 1 & 3u, .has_energy = (flags & FLAG_ENERGY) != 0};
  if (bytes.n < at + width + (out->has_energy ? 2u : 0u)) return MH_E_PROTOCOL;
  out->rate = width == 2 ? two_bytes(bytes.p + at) : bytes.p[at];
  at += width;
  if (out->has_energy) {
    out->energy = two_bytes(bytes.p + at);
    at += 2;
  }
  /* Intervals fill the rest of the packet. A half one at the end is none. */
  if (flags & FLAG_INTERVALS) {
    out->intervals = bytes.p + at;
    out->n_intervals = (uint16_t)((bytes.n - at) / 2);
    if (out->n_intervals > INTERVALS_MAX) return MH_E_PROTOCOL;
  }
  /* A strap off the skin repeats its last value, sends 0 or the greatest number of its format; of a byte, some do so in 16 bits and
   * beside a contact as well. No heart of somebody who wears a strap beats so fast. */
  if (out->contact == CONTACT_NONE || out->rate == 0) return MH_E_NO_VALUE;
  if (out->rate == UINT16_MAX || out->rate == UINT8_MAX) return MH_E_NO_VALUE;
  return MH_OK;
}

static mh_value count(uint16_t metric, uint16_t unit, uint16_t number) {
  return (mh_value){.metric = metric, .unit = unit, .value = number, .raw = number};
}

int32_t heart_rate_check(mh_bytes bytes) {
  measurement parsed;
  return parse(bytes, &parsed);
}

int32_t heart_rate_decode(mh_bytes bytes, int is_provisional, mh_sink *sink) {
  measurement parsed;
  int32_t status = parse(bytes, &parsed);
  if (status != MH_OK) return status;

  mh_value values[3 + INTERVALS_MAX];
  uint16_t n_values = 0;
  values[n_values++] = count(MH_METRIC_HEART_RATE, MH_UNIT_PER_MINUTE, parsed.rate);
  values[n_values++] = count(MH_METRIC_SENSOR_CONTACT, MH_UNIT_NONE, parsed.contact);
  if (parsed.has_energy) {
    values[n_values] = count(MH_METRIC_ENERGY_EXPENDED, MH_UNIT_KILOJOULE, parsed.energy);
    /* The counter stays at its greatest number when it has reached it (Heart Rate Service 1.0, 3.1.1.3). */
    if (parsed.energy == UINT16_MAX) values[n_values].qualifier = MH_QUAL_ABOVE;
    n_values++;
  }
  for (uint16_t i = 0; i < parsed.n_intervals; i++) {
    uint16_t raw = two_bytes(parsed.intervals + 2 * i);
    if (raw == 0 || raw == UINT16_MAX) continue;
    /* 1/1024 s = 9765625 x 10^-10 s: an exact decimal, and raw / 1024 an exact double. */
    values[n_values++] = (mh_value){.metric = MH_METRIC_RR_INTERVAL,
                                    .unit = MH_UNIT_SECOND,
                                    .exp10 = -10,
                                    .value = raw / 1024.0,
                                    .raw = raw * INT64_C(9765625)};
  }
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .flags = is_provisional ? MH_REC_PROVISIONAL : 0,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  return mh_sink_record(sink, &record, values, n_values, NULL, 0);
}
