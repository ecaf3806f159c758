/* The last measurement that was delivered, kept as the meter's so that its repeats are known for what they are. */
#ifndef MI_SCALE_LAST_H
#define MI_SCALE_LAST_H

#include "packet.h"
#include "stand.h"

/* A number as a packet had it: date, weight and unit. */
typedef struct mi_number {
  uint8_t ident[MI_SCALE_IDENT];
  uint8_t is_pound;
} mi_number;

typedef struct mi_last {
  /* The host's clock when it was delivered. */
  int64_t unix_us;
  mi_number delivered;
  /* What the scale showed of the same person after that, who had shifted: it repeats this one when they have stepped off. */
  mi_number shown;
  uint8_t is_known;
} mi_last;

/* Reads "meter/last"; nothing is known when it is missing or of another version. */
mi_last mi_last_load(const mh_host *host, uint64_t peer);

/* Writes "meter/last" with the event's unit. MH_OK or what the host answers. */
int32_t mi_last_store(const mh_host *host, uint64_t peer, const mi_last *last);

/* The last measurement when this packet is one. */
mi_last mi_last_of(const mi_packet *packet, int64_t unix_us);

/* Takes what the scale shows now; 0 when it has shown that weight before. */
int mi_last_show(mi_last *last, const mi_packet *packet);

/* Whether a packet has the date and weight of the last measurement. */
int mi_last_is(const mi_last *last, const mi_packet *packet);

/* Whether a packet has the weight of the last measurement, digit by digit, or what was shown after it. */
int mi_last_weighs(const mi_last *last, const mi_packet *packet);

/* When the last measurement was made. */
mi_moment mi_last_moment(const mi_last *last);

/* The person on the scale as the last measurement leaves them. */
mi_stand mi_last_stand(const mi_last *last);

#endif
