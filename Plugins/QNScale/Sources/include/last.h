/* What a session remembers for the next one: the last weighing that was delivered as it was measured, and since when the
 * scale's clock is ours. */
#ifndef QN_LAST_H
#define QN_LAST_H

#include "reading.h"

typedef struct qn_last {
  /* The host's clock when it was delivered. */
  int64_t unix_us;
  uint16_t weight;
  uint16_t impedance;
  uint8_t is_known;
} qn_last;

qn_last qn_last_load(const mh_host *host, uint64_t peer);
/* Writes it with the event's unit. MH_OK or what the host answers. */
int32_t qn_last_store(const mh_host *host, uint64_t peer, const qn_last *last);

/* Whether a stored weighing is the last one: the scale keeps it when it has not heard that it arrived. */
int qn_last_is_stored(const qn_last *last, const qn_reading *stored);

/* Seconds since 2000 at which this host set the scale's clock first; 0: it never has. */
uint32_t qn_clock_load(const mh_host *host, uint64_t peer);
int32_t qn_clock_store(const mh_host *host, uint64_t peer, uint32_t seconds);

#endif
