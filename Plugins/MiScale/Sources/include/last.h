/* The last measurement that was delivered, kept as the meter's so that its repeats are known for what they are. */
#ifndef MI_SCALE_LAST_H
#define MI_SCALE_LAST_H

#include "packet.h"

typedef struct mi_last {
  /* The host's clock when it was delivered. */
  int64_t unix_us;
  uint8_t ident[MI_SCALE_IDENT];
  uint8_t is_known;
} mi_last;

/* Reads "meter/last"; nothing is known when it is missing or of another version. */
mi_last mi_last_load(const mh_host *host, uint64_t peer);

/* Writes "meter/last" with the event's unit. MH_OK or what the host answers. */
int32_t mi_last_store(const mh_host *host, uint64_t peer, const mi_last *last);

/* Whether a packet has the date and weight of the last measurement. */
int mi_last_is(const mi_last *last, const mi_packet *packet);

#endif
