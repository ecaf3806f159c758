/* Files out of bytes, for a driver of exports: the bench plays the host and checks every row that comes of them. */
#include <stdlib.h>

#include "fuzz.h"

/* Sizes of answers that cut files in other places than a reader expects; 0: as much as is asked for. */
static const uint64_t chunks[] = {0, 0, 1, 7, 64, 251, 1000, 4096};

uint64_t fuzz_import(const mh_import *driver, uint8_t options, fuzz_input *from) {
  bench_import_options given = {.keeps_sums_only = 1, .has_small_sink = (options & FUZZ_SMALL_ROOM) != 0};
  if ((options & FUZZ_TWICE) == 0) given.chunk = chunks[options >> FUZZ_CHUNK_SHIFT & 7];
  /* The source goes, or cannot be read any more, after its first piece. */
  if (options & FUZZ_GONE) given.answers = 1;
  if (options & FUZZ_UNREADABLE) given.answers_before_error = 1;
  const uint8_t *bytes = from->p + from->at;
  const uint64_t n = from->n - from->at;
  /* A driver may read sources of one name only: what a host calls its exports, the family of its registry entry. */
  const char *name = getenv("METERHOST_FUZZ_SOURCE");
  if (name == NULL) name = "";
  bench_import *read = bench_import_read(driver, name, bytes, n, &given);
  if (read == NULL) return 0;
  uint64_t outcome = bench_import_digest(read);
  const int is_whole = given.answers == 0 && given.answers_before_error == 0;
  bench_import_free(read);
  if ((options & FUZZ_TWICE) == 0 || !is_whole) return outcome;
  /* The same file in other pieces is the same file (rule R8). */
  given.chunk = 1 + (n == 0 ? 0 : bytes[n / 2] % 64u) * (1 + n / 4096);
  read = bench_import_read(driver, name, bytes, n, &given);
  if (read == NULL || bench_import_digest(read) != outcome)
    bench_broken(NULL, "R8", "the same file gave other samples, sums or another end in pieces of %llu bytes",
                 (unsigned long long)given.chunk);
  bench_import_free(read);
  return outcome;
}
