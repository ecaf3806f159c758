#include "reading.h"

static uint16_t put_values(const eu_reading *reading, mh_value *values) {
  values[0] = (mh_value){.metric = MH_METRIC_BODY_WEIGHT,
                         .unit = MH_UNIT_KILOGRAM,
                         .exp10 = -2,
                         .value = reading->weight / 100.0,
                         .raw = reading->weight};
  uint16_t n = 1;
  if (reading->impedance != 0)
    values[n++] = (mh_value){.metric = MH_METRIC_BODY_IMPEDANCE,
                             .unit = MH_UNIT_OHM,
                             .exp10 = -1,
                             .value = reading->impedance / 10.0,
                             .raw = reading->impedance};
  if (reading->heart_rate != 0)
    values[n++] = (mh_value){.metric = MH_METRIC_HEART_RATE,
                             .unit = MH_UNIT_PER_MINUTE,
                             .value = reading->heart_rate,
                             .raw = reading->heart_rate};
  return n;
}

int32_t eu_reading_emit(const eu_reading *reading, mh_sink *sink) {
  mh_value values[3];
  uint16_t n = put_values(reading, values);
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .flags = reading->is_settling ? MH_REC_PROVISIONAL : 0,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (!reading->is_stored) return mh_sink_record(sink, &record, values, n, NULL, 0);
  /* Whether the scale also keeps what it has sent live is not known: a person decides. */
  record.flags = MH_REC_HELD;
  record.ident_class = MH_IDENT_STORED;
  if (reading->has_time) {
    record.time_kind = MH_TIME_CIVIL;
    record.t_us = record.end_us = reading->t_us;
  } else {
    record.flags |= MH_REC_CLOCK_SUSPECT;
  }
  return mh_sink_record(sink, &record, values, n, reading->ident, EUFY_IDENT);
}
