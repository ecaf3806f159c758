/* A measurement, out of the first of the two notifications that carry it. */
#ifndef HUAWEI_MEASUREMENT_H
#define HUAWEI_MEASUREMENT_H

#include "wire.h"

/* User, weight, date and resistance as the scale sent them. The fat is no part of it: it depends on what the scale was told. */
#define HUAWEI_IDENT 12

typedef struct huawei_measurement {
  /* Of the scale's clock, as civil time. */
  int64_t t_us;
  /* 0.1 kg. */
  uint16_t weight;
  /* Ohm, 0: none. */
  uint16_t resistance;
  uint8_t user;
  /* The slot that it was read with is another one, or the caller's wish. */
  uint8_t has_user;
  uint8_t has_time;
  uint8_t is_stored;
  uint8_t ident[HUAWEI_IDENT];
} huawei_measurement;

/* Reads a notification. MH_OK; MH_E_NO_VALUE (another notification, or nobody on the scale); MH_E_PROTOCOL (too short, or no
 * measurement of this scale and slot: there is no checksum, and its date and user have to be some). */
int32_t huawei_measurement_read(const huawei_link *link, mh_bytes frame, huawei_measurement *measurement);

/* Appends it as one record. MH_OK or MH_E_FULL with the sink as it was. */
int32_t huawei_measurement_emit(const huawei_measurement *measurement, mh_sink *sink);

#endif
