#include "stand.h"

/* Nobody steps off, and somebody else on, in less. */
#define NEXT_PERSON_US UINT64_C(5000000)
/* Nobody stands on a scale for longer. */
#define LONGEST_STAND_US UINT64_C(120000000)
/* A number that stands settles, or follows a person who shifts, by so many grams... */
#define SETTLING 300
/* ...and one so far from it is another person's. */
#define OTHER_PERSON 2000

static uint64_t distance(int64_t one, int64_t other) {
  return one > other ? (uint64_t)one - (uint64_t)other : (uint64_t)other - (uint64_t)one;
}

static int32_t difference(const mi_stand *stand, const mi_packet *packet) {
  int32_t grams = mi_packet_grams(packet->raw_weight, packet->is_pound) - stand->grams;
  return grams < 0 ? -grams : grams;
}

mi_moment mi_moment_of(const mi_packet *packet, int64_t unix_us) {
  return (mi_moment){
      .clock_us = packet->t_us, .unix_us = unix_us, .has_clock = packet->has_clock, .is_set = packet->has_time};
}

/* Whether both are of a scale's clock that was not set in between. */
static int are_of_one_clock(const mi_moment *one, const mi_moment *other) {
  return one->has_clock && other->has_clock && one->is_set == other->is_set;
}

uint64_t mi_moment_apart(const mi_moment *one, const mi_moment *other) {
  uint64_t heard = distance(one->unix_us, other->unix_us);
  if (!are_of_one_clock(one, other)) return heard;
  uint64_t sent = distance(one->clock_us, other->clock_us);
  /* A clock that was never set may stand still as well. */
  return one->is_set || sent > heard ? sent : heard;
}

void mi_stand_on(mi_stand *stand, const mi_packet *packet, int64_t unix_us) {
  *stand = (mi_stand){.stood = mi_moment_of(packet, unix_us),
                      .grams = mi_packet_grams(packet->raw_weight, packet->is_pound),
                      .is_known = 1};
}

void mi_stand_move(mi_stand *stand, const mi_packet *packet, int64_t unix_us) {
  mi_moment now = mi_moment_of(packet, unix_us);
  if (difference(stand, packet) > OTHER_PERSON) {
    /* Somebody is on their way onto the scale, or off it. */
    stand->has_shifted = 0;
  } else if (!stand->has_moved && !stand->is_left && mi_moment_apart(&stand->stood, &now) <= LONGEST_STAND_US) {
    /* The number has stood until now: repeats of the same bytes are not heard. */
    stand->shifted = now;
    stand->has_shifted = 1;
  }
  stand->moved = now;
  stand->has_moved = stand->may_be_over = 1;
}

void mi_stand_leave(mi_stand *stand) {
  stand->is_left = stand->may_be_over = 1;
  stand->has_shifted = 0;
}

int mi_stand_is_near(const mi_stand *stand, const mi_packet *packet) {
  return stand->is_known && difference(stand, packet) <= SETTLING;
}

int mi_stand_goes_on(const mi_stand *stand, const mi_packet *packet, int64_t unix_us) {
  if (!stand->is_known || difference(stand, packet) > OTHER_PERSON) return 0;
  if (!packet->has_time && !stand->may_be_over) return 1;
  mi_moment now = mi_moment_of(packet, unix_us);
  int is_near = mi_stand_is_near(stand, packet);
  if (mi_moment_apart(&stand->stood, &now) < NEXT_PERSON_US) return is_near || !stand->is_left;
  return is_near && stand->has_shifted && mi_moment_apart(&stand->shifted, &now) < NEXT_PERSON_US;
}

int mi_stand_ends(const mi_stand *stand, const mi_packet *packet, int64_t unix_us) {
  mi_moment now = mi_moment_of(packet, unix_us);
  return mi_stand_is_near(stand, packet) && !stand->is_left &&
         mi_moment_apart(&stand->stood, &now) <= LONGEST_STAND_US;
}

int mi_stand_is_past(const mi_stand *stand, const mi_packet *packet) {
  mi_moment now = mi_moment_of(packet, 0);
  return stand->has_moved && are_of_one_clock(&stand->moved, &now) && are_of_one_clock(&stand->stood, &now) &&
         now.clock_us >= stand->moved.clock_us &&
         distance(stand->moved.clock_us, stand->stood.clock_us) > LONGEST_STAND_US;
}
