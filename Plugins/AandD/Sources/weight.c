/* Weight Measurement: on the profile's characteristic (2A9D), and on the maker's own, which has its fields and not its steps. */
#include "decode.h"
#include "number.h"

#define FLAG_POUNDS 0x01u
#define FLAG_TIME 0x02u
#define FLAG_USER 0x04u
#define FLAG_SIZE 0x08u

/* Steps of 0.005 kg and 0.01 lb by the profile; the maker's characteristic has 0.1 of either. */
static aandd_decimal weight_of(uint16_t raw, int is_own, int is_pounds) {
  aandd_decimal weight = {raw, -1, 1};
  if (!is_own && is_pounds) weight.exponent = -2;
  if (!is_own && !is_pounds) {
    weight.mantissa = raw * 5;
    weight.exponent = -3;
  }
  return weight;
}

int32_t aandd_weight(mh_bytes bytes, int is_own, int no_clock, mh_sink *sink) {
  aandd_reader from = {bytes, 0, 1};
  uint8_t flags = *aandd_take(&from, 1);
  const uint8_t *weight = aandd_take(&from, 2);
  const uint8_t *time_bytes = flags & FLAG_TIME ? aandd_take(&from, AANDD_TIME_LENGTH) : NULL;
  const uint8_t *user = flags & FLAG_USER ? aandd_take(&from, 1) : NULL;
  /* Body mass index and height: the scale was told one and computes the other; neither is measured. */
  if (flags & FLAG_SIZE) aandd_take(&from, 4);
  if (!from.ok) return MH_E_PROTOCOL;
  uint16_t raw = (uint16_t)(weight[0] | weight[1] << 8);
  if (raw == 0 || raw == 0xffff) return MH_E_NO_VALUE;

  int is_pounds = (flags & FLAG_POUNDS) != 0;
  mh_value value = aandd_value(MH_METRIC_BODY_WEIGHT, is_pounds ? MH_UNIT_POUND : MH_UNIT_KILOGRAM,
                               weight_of(raw, is_own, is_pounds));
  mh_record record = aandd_record();
  if (user != NULL && *user != 0xff) {
    record.flags |= MH_REC_USER;
    record.device_user = *user;
  }
  uint8_t ident[16] = {is_own ? AANDD_OWN_WEIGHT >> 8 : AANDD_WEIGHT & 0xff, flags & FLAG_POUNDS, weight[0], weight[1]};
  uint16_t ident_len = 4;
  aandd_put_time(&record, no_clock ? NULL : time_bytes, ident, &ident_len);
  return mh_sink_record(sink, &record, &value, 1, ident, record.ident_class == MH_IDENT_STORED ? ident_len : 0);
}
