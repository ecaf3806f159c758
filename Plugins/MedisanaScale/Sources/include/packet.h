/* What the scale's packets mean. Pure: bytes in, values and records out. README.md describes them. */
#ifndef MEDISANA_PACKET_H
#define MEDISANA_PACKET_H

#include <meterhost/driver.h>

#define MEDISANA_SERVICE 0x78b2u
#define MEDISANA_WEIGHT 0x8a21u
#define MEDISANA_BODY 0x8a22u
#define MEDISANA_COMMAND 0x8a81u
#define MEDISANA_PERSON 0x8a82u

#define MEDISANA_WEIGHT_LENGTH 14u
#define MEDISANA_BODY_LENGTH 16u
#define MEDISANA_PACKET_LENGTH 19u
#define MEDISANA_METRIC_WATER 0x8000u
/* 2010-01-01, from which most of the scales count their seconds. */
#define MEDISANA_EPOCH UINT32_C(1262304000)

/* A weighing: its weight, its composition, or both. */
typedef struct medisana_reading {
  uint32_t time;
  uint8_t user;
  uint8_t has_weight;
  uint8_t has_body;
  uint8_t reserved;
  uint16_t weight;
  uint16_t fat, water, muscle, bone;
  /* Of the packets, as they came: time, weight, composition. */
  uint8_t time_bytes[4];
  uint8_t weight_bytes[4];
  uint8_t body_bytes[10];
} medisana_reading;

/* MH_OK, MH_E_NO_VALUE, MH_E_UNSUPPORTED for a weight in another unit than kilograms, MH_E_PROTOCOL. */
int32_t medisana_read_weight(mh_bytes packet, medisana_reading *out);
int32_t medisana_read_body(mh_bytes packet, medisana_reading *out);

/* Whether the two are of one weighing. */
int medisana_belong_together(const medisana_reading *weight, const medisana_reading *body);

/* The weight with the composition; MH_E_PROTOCOL when they do not fit each other, and the weight is unchanged. */
int32_t medisana_join(medisana_reading *weight, const medisana_reading *body);

/* Puts one record into the sink: MH_OK, or MH_E_FULL with the sink unchanged. */
int32_t medisana_put(const medisana_reading *reading, mh_sink *sink);

#endif
