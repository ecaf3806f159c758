/* Fuzzes a driver through the contract: libFuzzer gives bytes, fuzz.h says which facts they stand for, and the bench
 * plays the host and checks every output by the host's rules. `meterhost driver fuzz` builds and runs it; by hand:
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -ISDK/include -ISDK/bench \
 *     SDK/fuzz/[a-z]*.c SDK/bench/[a-z]*.c Sources/[a-z]*.c -o fuzz
 *   ./fuzz CORPUS
 *
 * A broken rule, a memory error, undefined behaviour, a leak and more than a second for one input each end the run with
 * the input in a file: `./fuzz FILE` shows it again. With METERHOST_FUZZ_BUNDLE the driver is loaded from that library
 * instead, without knowing which of its code ran; METERHOST_FUZZ_SOURCE is the family of a driver of exports. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Weak: a harness that loads its bundle has none linked in. */
__attribute__((weak)) int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out,
                                              mh_str *why_not);

static const mh_driver *find_driver(void) {
  const char *library = getenv("METERHOST_FUZZ_BUNDLE");
  const mh_driver *driver = library != NULL ? bench_load_any(library, 0) : bench_find_any(mh_driver_entry, 0);
  if (driver->bluetooth != NULL || bench_import_of(driver) != NULL) return driver;
  fputs("fuzz: the driver reads neither meters nor exports\n", stderr);
  exit(70);
}

static void fuzz_decode(bench *bench, fuzz_input *from) {
  for (uint32_t i = 0; i < FUZZ_VALUES_MAX && fuzz_has_more(from); i++) {
    uint16_t flags = fuzz_byte(from) & 1;
    uint16_t characteristic = fuzz_u16(from);
    mh_bytes value = fuzz_bytes(from);
    bench_decode(bench, characteristic, flags, value.p, value.n);
  }
}

/* What this input makes of the driver: a number that is the same whenever the same happens. */
static uint64_t run(const mh_driver *driver, const uint8_t *data, size_t size) {
  fuzz_input input = {data, size, 0};
  if (driver->bluetooth == NULL) {
    const uint8_t manner = fuzz_byte(&input);
    return fuzz_import(bench_import_of(driver), manner, &input);
  }
  bench *bench = bench_new(driver);
  bench_crypto(bench, &fuzz_crypto);
  uint64_t outcome = 0;
  uint8_t options = fuzz_byte(&input);
  bench_room(bench, options & FUZZ_SMALL_ROOM ? 1 : 8);
  fuzz_facts facts;
  fuzz_open_facts(bench, &facts, options, &input);
  if (options & FUZZ_SESSION)
    outcome = fuzz_session(bench, options, &input);
  else if (driver->bluetooth->decode != NULL)
    fuzz_decode(bench, &input);
  bench_free(bench);
  return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const mh_driver *driver = NULL;
  if (driver == NULL) driver = find_driver();
  uint64_t outcome = run(driver, data, size);
  /* A session that is played again, and a file that is read again, give the same (rule R8). */
  if (size != 0 && (data[0] & FUZZ_TWICE) != 0 && run(driver, data, size) != outcome)
    bench_broken(NULL, "R8", "the same facts gave another output: something is left of the session before, or the "
                             "driver has a clock or random numbers of its own");
  return 0;
}
