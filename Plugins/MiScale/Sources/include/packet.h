/* The service data of a Mi Scale's advertisement: bytes to a packet, and a packet to one record. */
#ifndef MI_SCALE_PACKET_H
#define MI_SCALE_PACKET_H

#include <meterhost/driver.h>

/* Service data of these 16-bit UUIDs: the Mi Scale (10 bytes), the Mi Body Composition Scale (13 bytes). */
#define MI_SCALE_WEIGHT 0x181du
#define MI_SCALE_COMPOSITION 0x181bu

/* Date and raw weight: what every packet of one measurement has alike, whatever its control bits say. */
#define MI_SCALE_IDENT 9

/* One packet. */
typedef struct mi_packet {
  /* What the scale's clock says, as civil time; of one that was never set what it has counted from 1970 on. 0 when
   * `has_clock` is 0. */
  int64_t t_us;
  uint16_t raw_weight;
  /* Ohm, 0: none. */
  uint16_t impedance;
  uint8_t ident[MI_SCALE_IDENT];
  /* MI_SCALE_COMPOSITION: an impedance may follow the weight. */
  uint8_t has_body;
  uint8_t is_pound;
  uint8_t is_stable;
  /* The person has stepped off: the packet repeats the last weighing, its weight and its date. */
  uint8_t is_removed;
  /* The date names a moment. */
  uint8_t has_clock;
  /* The scale's clock is set: its date is in 2000 or later. */
  uint8_t has_time;
} mi_packet;

/* Reads the service data of `service`. MH_OK; MH_E_PROTOCOL (shorter than its kind is, or two units at once);
 * MH_E_NO_VALUE (nothing on the scale, or a unit whose scale is not certain); MH_E_UNSUPPORTED (another service). */
int32_t mi_packet_read(uint16_t service, mh_bytes data, mi_packet *packet);

/* The moment that the seven bytes of a date name, in microseconds of civil time; 0 when they name none since 1970. */
int mi_packet_time(const uint8_t *date, int64_t *t_us);

/* Whether a moment is of a clock that somebody has set. */
int mi_packet_is_set(int64_t t_us);

/* Whole grams, so that weights in two units can be compared. */
int32_t mi_packet_grams(uint16_t raw_weight, int is_pound);

/* Appends the packet as one record, provisional unless it is stable. MH_OK or MH_E_FULL with the sink as it was. */
int32_t mi_packet_emit(const mi_packet *packet, mh_sink *sink);

#endif
