/* Blood Pressure Measurement (2A35). */
#include "decode.h"
#include "number.h"

#define FLAG_KPA 0x01u
#define FLAG_TIME 0x02u
#define FLAG_PULSE 0x04u
#define FLAG_USER 0x08u
#define FLAG_STATUS 0x10u
/* Body movement, a loose cuff, an improper position: the monitor doubts itself. An irregular pulse is a finding. */
#define STATUS_DOUBT 0x23u

/* A mean lies between the pressures that it is the mean of; some monitors send 0 or NaN beside good ones. */
static int is_mean(aandd_decimal mean, aandd_decimal systolic, aandd_decimal diastolic) {
  return mean.is_number && aandd_double(mean) >= aandd_double(diastolic) &&
         aandd_double(mean) <= aandd_double(systolic);
}

/* Nobody's is below 10, no display has four digits for it, and 255 is a byte without a value. */
static int is_pulse(aandd_decimal pulse) {
  double rate = aandd_double(pulse);
  return pulse.is_number && rate >= 10 && rate < 1000 && rate != 255;
}

static uint8_t pulse_qualifier(uint16_t status, uint8_t doubt) {
  switch (status >> 3 & 3u) {
    case 1: return MH_QUAL_ABOVE;
    case 2: return MH_QUAL_BELOW;
    default: return doubt;
  }
}

int32_t aandd_pressure(mh_bytes bytes, int no_clock, mh_sink *sink) {
  aandd_reader from = {bytes, 0, 1};
  uint8_t flags = *aandd_take(&from, 1);
  const uint8_t *pressures = aandd_take(&from, 6);
  const uint8_t *time_bytes = flags & FLAG_TIME ? aandd_take(&from, AANDD_TIME_LENGTH) : NULL;
  const uint8_t *pulse_bytes = flags & FLAG_PULSE ? aandd_take(&from, 2) : NULL;
  const uint8_t *user = flags & FLAG_USER ? aandd_take(&from, 1) : NULL;
  const uint8_t *status_bytes = flags & FLAG_STATUS ? aandd_take(&from, 2) : NULL;
  if (!from.ok) return MH_E_PROTOCOL;

  aandd_decimal systolic = aandd_sfloat(pressures), diastolic = aandd_sfloat(pressures + 2);
  aandd_decimal mean = aandd_sfloat(pressures + 4);
  if (!systolic.is_number || !diastolic.is_number || diastolic.mantissa <= 0 ||
      aandd_double(systolic) <= aandd_double(diastolic))
    return MH_E_NO_VALUE;

  uint16_t unit = flags & FLAG_KPA ? MH_UNIT_KPA : MH_UNIT_MMHG;
  uint16_t status = status_bytes == NULL ? 0 : (uint16_t)(status_bytes[0] | status_bytes[1] << 8);
  uint8_t doubt = status & STATUS_DOUBT ? MH_QUAL_QUESTIONABLE : MH_QUAL_EXACT;
  mh_value values[5];
  uint16_t n = 0;
  values[n++] = aandd_value(MH_METRIC_SYSTOLIC, unit, systolic);
  values[n++] = aandd_value(MH_METRIC_DIASTOLIC, unit, diastolic);
  if (is_mean(mean, systolic, diastolic)) values[n++] = aandd_value(MH_METRIC_MEAN_ARTERIAL_PRESSURE, unit, mean);
  for (uint16_t i = 0; i < n; i++) values[i].qualifier = doubt;
  if (pulse_bytes != NULL && is_pulse(aandd_sfloat(pulse_bytes))) {
    values[n] = aandd_value(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, aandd_sfloat(pulse_bytes));
    values[n++].qualifier = pulse_qualifier(status, doubt);
  }
  if (status_bytes != NULL)
    values[n++] = (mh_value){
        .metric = MH_METRIC_BLOOD_PRESSURE_STATUS, .unit = MH_UNIT_NONE, .value = status, .raw = status};

  mh_record record = aandd_record();
  if (user != NULL && *user != 0xff) {
    record.flags |= MH_REC_USER;
    record.device_user = *user;
  }
  uint8_t ident[16] = {AANDD_PRESSURE & 0xff, flags & FLAG_KPA};
  uint16_t ident_len = 2;
  for (int i = 0; i < 4; i++) ident[ident_len++] = pressures[i];
  aandd_put_time(&record, no_clock ? NULL : time_bytes, ident, &ident_len);
  return mh_sink_record(sink, &record, values, n, ident, record.ident_class == MH_IDENT_STORED ? ident_len : 0);
}
