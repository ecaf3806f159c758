#include "reading.h"

static mh_value weight_in_kilogram(uint32_t grams) {
  mh_value value = {.metric = MH_METRIC_BODY_WEIGHT, .unit = MH_UNIT_KILOGRAM, .value = grams / 1000.0};
  /* The display has no third decimal, and neither have the grams that are sent. */
  int is_tenth = grams % 10 == 0;
  value.exp10 = is_tenth ? -2 : -3;
  value.raw = is_tenth ? grams / 10 : grams;
  return value;
}

static mh_value impedance(uint16_t ohm) {
  return (mh_value){.metric = MH_METRIC_BODY_IMPEDANCE, .unit = MH_UNIT_OHM, .value = ohm, .raw = ohm};
}

static int32_t emit_stored(const et_reading *reading, mh_sink *sink) {
  mh_value values[2] = {{.metric = MH_METRIC_BODY_WEIGHT,
                         .unit = MH_UNIT_POUND,
                         .exp10 = -2,
                         .value = reading->weight / 100.0,
                         .raw = reading->weight}};
  if (reading->is_kilogram) values[0] = weight_in_kilogram(reading->weight);
  uint16_t n = 1;
  if (reading->impedance != 0) values[n++] = impedance(reading->impedance);
  /* The same weighing may have been delivered live, without a time to know it by: a person decides. */
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .flags = MH_REC_HELD,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .time_kind = MH_TIME_UTC,
                      .t_us = (int64_t)reading->time * 1000000,
                      .ident_class = MH_IDENT_STORED};
  record.end_us = record.t_us;
  uint8_t ident[ETEKCITY_IDENT];
  for (int i = 0; i < 4; i++) ident[i] = (uint8_t)(reading->time >> (8 * i));
  for (int i = 0; i < 4; i++) ident[4 + i] = (uint8_t)(reading->weight >> (8 * i));
  return mh_sink_record(sink, &record, values, n, ident, ETEKCITY_IDENT);
}

int32_t et_reading_emit(const et_reading *reading, mh_sink *sink) {
  if (reading->is_stored) return emit_stored(reading, sink);
  mh_value values[3] = {weight_in_kilogram(reading->weight)};
  uint16_t n = 1;
  if (reading->impedance != 0) values[n++] = impedance(reading->impedance);
  if (reading->heart_rate != 0)
    values[n++] = (mh_value){.metric = MH_METRIC_HEART_RATE,
                             .unit = MH_UNIT_PER_MINUTE,
                             .value = reading->heart_rate,
                             .raw = reading->heart_rate};
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .flags = reading->is_settling ? MH_REC_PROVISIONAL : 0,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  return mh_sink_record(sink, &record, values, n, NULL, 0);
}
