/* The last measurement that was delivered, kept as the meter's so that its repeats are known for what they are. */
#ifndef MIBEACON_LAST_H
#define MIBEACON_LAST_H

#include "measure.h"

typedef struct mibeacon_last {
  /* The host's clock when it was delivered. */
  int64_t unix_us;
  mibeacon_measure measure;
  uint8_t is_known;
} mibeacon_last;

/* Reads "meter/last"; nothing is known when it is missing or makes no sense. */
mibeacon_last mibeacon_last_load(const mh_host *host, uint64_t peer);

/* Writes "meter/last" with the event's unit. MH_OK or what the host answers. */
int32_t mibeacon_last_store(const mh_host *host, uint64_t peer, const mibeacon_last *last);

/* Whether a measurement is the last one once more. */
int mibeacon_last_is(const mibeacon_last *last, const mibeacon_measure *measure, int64_t unix_us);

/* Whether a measurement's frame was sent before the last one's, as far as its counter says. */
int mibeacon_last_is_older(const mibeacon_last *last, const mibeacon_measure *measure);

#endif
