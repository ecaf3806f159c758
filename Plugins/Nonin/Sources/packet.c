#include "packet.h"

#define LENGTH 10u
#define WEAK 0x02u
#define SMART_POINT 0x04u
#define SEARCHING 0x08u
/* The finger lies as it must (3230), the sensor is on a finger (3150). */
#define CORRECT_CHECK 0x10u

#define SATURATION_MAX 100u
/* 511 stands for "missing", and so does 255 with some oximeters; nothing above 325 is said to be shown. */
#define PULSE_MAX 325u
#define PULSE_NONE 255u
#define AMPLITUDE_MAX 10000u

static uint16_t two_bytes(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

int32_t nonin_parse(mh_bytes bytes, nonin_packet *packet) {
  const uint8_t *p = bytes.p;
  /* The first byte counts the packet's; a later version may append to it. */
  if (p == NULL || bytes.n < LENGTH || p[0] < LENGTH || p[0] > bytes.n) return MH_E_PROTOCOL;
  uint8_t status = p[1];
  *packet = (nonin_packet){.saturation = p[7],
                           .pulse = two_bytes(p + 8),
                           .amplitude = two_bytes(p + 3),
                           .is_verified = (status & SMART_POINT) != 0};
  if (packet->amplitude > AMPLITUDE_MAX) packet->amplitude = 0;
  if ((status & CORRECT_CHECK) == 0 || (status & (SEARCHING | WEAK)) != 0) return MH_E_NO_VALUE;
  /* 127 stands for "missing". Without a pulse there is no saturation. */
  if (packet->saturation == 0 || packet->saturation > SATURATION_MAX) return MH_E_NO_VALUE;
  if (packet->pulse == 0 || packet->pulse > PULSE_MAX || packet->pulse == PULSE_NONE) return MH_E_NO_VALUE;
  return MH_OK;
}

static mh_value number(uint16_t metric, uint16_t unit, uint16_t raw) {
  return (mh_value){.metric = metric, .unit = unit, .value = raw, .raw = raw};
}

int32_t nonin_emit(const nonin_packet *packet, mh_sink *sink) {
  mh_value values[3] = {number(MH_METRIC_SPO2, MH_UNIT_PERCENT, packet->saturation),
                        number(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, packet->pulse)};
  uint16_t n_values = 2;
  if (packet->amplitude != 0)
    values[n_values++] = (mh_value){.metric = MH_METRIC_PULSE_AMPLITUDE_INDEX,
                                    .unit = MH_UNIT_PERCENT,
                                    .exp10 = -2,
                                    .value = packet->amplitude / 100.0,
                                    .raw = packet->amplitude};
  /* The counter counts seconds since the finger came, and begins again with the next one: no identity. */
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .flags = packet->is_verified ? 0 : MH_REC_PROVISIONAL,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  return mh_sink_record(sink, &record, values, n_values, NULL, 0);
}
