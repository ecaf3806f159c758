/* One person on the scale: a number that stood, and whether what comes later is that person still. */
#ifndef MI_SCALE_STAND_H
#define MI_SCALE_STAND_H

#include "packet.h"

/* When a packet was sent: by the scale's clock, and by the host's when it arrived. */
typedef struct mi_moment {
  int64_t clock_us;
  int64_t unix_us;
  uint8_t has_clock;
  /* The scale's clock was set by somebody. */
  uint8_t is_set;
} mi_moment;

typedef struct mi_stand {
  /* When the number stood last. */
  mi_moment stood;
  /* The last packet with a swinging weight since. */
  mi_moment moved;
  /* The first of them, while all of them have been near the number. */
  mi_moment shifted;
  int32_t grams;
  uint8_t is_known;
  uint8_t has_moved;
  uint8_t has_shifted;
  /* They were heard to step off. */
  uint8_t is_left;
  /* Somebody has stepped on or off since, or may have while nobody listened. */
  uint8_t may_be_over;
} mi_stand;

mi_moment mi_moment_of(const mi_packet *packet, int64_t unix_us);

/* Microseconds between two moments, whichever is the earlier one. */
uint64_t mi_moment_apart(const mi_moment *one, const mi_moment *other);

/* The number stands. */
void mi_stand_on(mi_stand *stand, const mi_packet *packet, int64_t unix_us);

/* The weight swings. */
void mi_stand_move(mi_stand *stand, const mi_packet *packet, int64_t unix_us);

/* They have stepped off. */
void mi_stand_leave(mi_stand *stand);

/* Whether a number is so near the one that stood that it is the same one, settled. */
int mi_stand_is_near(const mi_stand *stand, const mi_packet *packet);

/* Whether a number is of the same stand: it settles, or follows a person who shifts. */
int mi_stand_goes_on(const mi_stand *stand, const mi_packet *packet, int64_t unix_us);

/* Whether a packet of somebody who has stepped off is of this stand by its weight and by the time. */
int mi_stand_ends(const mi_stand *stand, const mi_packet *packet, int64_t unix_us);

/* Whether a packet of somebody who has stepped off follows a weight that swung when nobody stood there any more:
 * somebody was weighed after this stand. */
int mi_stand_is_past(const mi_stand *stand, const mi_packet *packet);

#endif
