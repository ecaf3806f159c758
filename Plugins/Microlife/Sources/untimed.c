#include "untimed.h"

#define FORM 1u
#define KEPT_MAX (2u + MICROLIFE_READINGS_MAX * MICROLIFE_UNTIMED_LENGTH)

static int is_same(const uint8_t *a, const uint8_t *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

/* The longest end of what was kept that is the beginning of what is there. */
static uint32_t overlap(const uint8_t *kept, uint32_t n_kept, const uint8_t *there, uint32_t n_there) {
  uint32_t n = n_kept < n_there ? n_kept : n_there;
  while (n > 0 && !is_same(kept + (n_kept - n) * MICROLIFE_UNTIMED_LENGTH, there, n * MICROLIFE_UNTIMED_LENGTH)) n--;
  return n;
}

uint32_t microlife_untimed_known(const mh_host *host, uint64_t peer, const microlife_memory *memory, int no_clock) {
  uint8_t there[KEPT_MAX] = {FORM, memory->user}, kept[KEPT_MAX];
  uint32_t n_there = 0, known = 0;
  for (uint32_t i = 0; i < memory->count; i++) {
    microlife_reading reading;
    if (!microlife_reading_at(memory, i, no_clock, &reading) || reading.has_time) continue;
    microlife_untimed_bytes(&reading, there + 2 + n_there * MICROLIFE_UNTIMED_LENGTH);
    n_there++;
  }
  char name[] = "user/untimed/0";
  name[sizeof name - 2] = (char)('0' + memory->user % 8);
  mh_str key = {name, sizeof name - 1};
  uint64_t length = sizeof kept;
  if (host->kv_get != NULL && host->kv_get(host->ctx, peer, key, kept, &length) == MH_OK && length >= 2 &&
      (length - 2) % MICROLIFE_UNTIMED_LENGTH == 0 && kept[0] == FORM && kept[1] == memory->user)
    known = overlap(kept + 2, (uint32_t)(length - 2) / MICROLIFE_UNTIMED_LENGTH, there + 2, n_there);
  if (n_there != 0 && known < n_there && host->kv_set != NULL)
    host->kv_set(host->ctx, peer, key, (mh_bytes){there, 2 + (uint64_t)n_there * MICROLIFE_UNTIMED_LENGTH});
  return known;
}
