#include "value.h"

static mh_value number(uint16_t metric, uint16_t unit, int8_t exp10, uint16_t raw) {
  return (mh_value){.metric = metric, .unit = unit, .exp10 = exp10, .value = exp10 == 0 ? raw : raw / 10.0, .raw = raw};
}

int32_t fo_value_emit(const fo_value *value, int is_provisional, mh_sink *sink) {
  mh_value values[3] = {number(MH_METRIC_SPO2, MH_UNIT_PERCENT, 0, value->saturation),
                        number(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, 0, value->pulse)};
  uint16_t n_values = 2;
  if (value->amplitude != 0)
    values[n_values++] = number(MH_METRIC_PULSE_AMPLITUDE_INDEX, MH_UNIT_PERCENT, -1, value->amplitude);
  /* None of these meters has a clock or counts its values. */
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .flags = is_provisional ? MH_REC_PROVISIONAL : 0,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  return mh_sink_record(sink, &record, values, n_values, NULL, 0);
}
