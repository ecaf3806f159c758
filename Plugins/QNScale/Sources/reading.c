#include "reading.h"

/* 2015-01-01 in seconds since 2000: no scale of the kind was made before. */
#define SET_FROM 473385600u
/* No bathroom scale bears more than 300 kg. */
#define HEAVIEST_HUNDREDTHS 30000u
#define HEAVIEST_TENTHS 3000u
/* Below this a number of hundredths could be one of tenths: what tells them apart was found out, not published. */
#define CERTAIN_HUNDREDTHS 2000u
/* And a number of tenths above this one of hundredths. */
#define CERTAIN_TENTHS 2000u
#define IMPEDANCE_MIN 100u
#define IMPEDANCE_MAX 3000u
#define IDENT 8u

int qn_weight_is_possible(uint16_t weight, int is_in_tenths) {
  return weight != 0 && weight <= (is_in_tenths ? HEAVIEST_TENTHS : HEAVIEST_HUNDREDTHS);
}

int qn_reading_has_time(const qn_reading *reading) { return reading->is_stored && reading->time >= SET_FROM; }

static void put_time(const qn_reading *reading, mh_record *record) {
  if (!reading->is_stored) return;
  if (!qn_reading_has_time(reading)) {
    /* It was stored before: the time of arrival is not its time. */
    record->flags |= MH_REC_HELD;
    return;
  }
  record->time_kind = MH_TIME_UTC;
  record->t_us = record->end_us = (QN_EPOCH + reading->time) * 1000000;
  record->ident_class = MH_IDENT_STORED;
  if (reading->is_clock_suspect) record->flags |= MH_REC_CLOCK_SUSPECT;
}

int32_t qn_reading_emit(const qn_reading *reading, mh_sink *sink) {
  int is_in_tenths = reading->is_in_tenths != 0;
  mh_value values[2] = {{.metric = MH_METRIC_BODY_WEIGHT,
                         .unit = MH_UNIT_KILOGRAM,
                         .exp10 = is_in_tenths ? -1 : -2,
                         .value = reading->weight / (is_in_tenths ? 10.0 : 100.0),
                         .raw = reading->weight}};
  uint16_t n = 1;
  if (reading->impedance >= IMPEDANCE_MIN && reading->impedance <= IMPEDANCE_MAX)
    values[n++] = (mh_value){.metric = MH_METRIC_BODY_IMPEDANCE,
                             .unit = MH_UNIT_OHM,
                             .value = reading->impedance,
                             .raw = reading->impedance};
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (reading->is_settling) {
    record.flags = MH_REC_PROVISIONAL;
    return mh_sink_record(sink, &record, values, 1, NULL, 0);
  }
  if (reading->user != QN_NOBODY) {
    record.flags |= MH_REC_USER;
    record.device_user = reading->user;
  }
  int is_certain = is_in_tenths ? reading->weight <= CERTAIN_TENTHS : reading->weight >= CERTAIN_HUNDREDTHS;
  if (!is_certain) record.flags |= MH_REC_HELD;
  put_time(reading, &record);
  const uint8_t ident[IDENT] = {
      (uint8_t)reading->time,          (uint8_t)(reading->time >> 8),   (uint8_t)(reading->time >> 16),
      (uint8_t)(reading->time >> 24),  (uint8_t)reading->weight,        (uint8_t)(reading->weight >> 8),
      (uint8_t)reading->impedance,     (uint8_t)(reading->impedance >> 8)};
  uint16_t n_ident = record.ident_class == MH_IDENT_STORED ? IDENT : 0;
  return mh_sink_record(sink, &record, values, n, n_ident == 0 ? NULL : ident, n_ident);
}
