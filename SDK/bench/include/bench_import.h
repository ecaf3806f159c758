/* A host for drivers of exports on the bench: gives a driver a source that lies in memory, and checks all that it puts
 * out by the rules of draft/import.h. A broken rule is named on standard error and ends the process, so that a test and a
 * fuzzer both see it.
 *
 *   const mh_import *driver = bench_import_load("build/drivers/libmh-tracker.so", 0);
 *   bench_import *read = bench_import_read(driver, "tracker", bytes, n, NULL);
 *   bench_import_failure(read) == NULL, bench_import_sample_at(read, 0)->sample.mantissa == 812
 *   bench_import_free(read);
 */
#ifndef METERHOST_BENCH_IMPORT_H
#define METERHOST_BENCH_IMPORT_H

#include "../../include/meterhost/draft/import.h"
#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The import of a driver of a bundle that is a file; ends the process when there is none. */
const mh_import *bench_import_load(const char *library, uint32_t index);
/* The same of a driver that was found already; NULL: it reads no exports. */
const mh_import *bench_import_of(const mh_driver *driver);

/* How the source is given. All zero, or no options at all: as many bytes as are asked for, everything is wanted. */
typedef struct bench_import_options {
  /* The most bytes of an answer; 0: as many as are asked for. */
  uint64_t chunk;
  /* After so many answers the source is gone, and the driver is told so; 0: never. */
  uint64_t answers;
  /* After so many answers a pull brings nothing more than an error; 0: never. */
  uint64_t answers_before_error;
  /* Only samples that overlap [since_us, until_us) are wanted; both 0: all. */
  int64_t since_us;
  int64_t until_us;
  /* Sinks hold just what a driver may rely on. */
  int has_small_sink;
  /* Only the sums are kept and not the samples: for sources of any size. */
  int keeps_sums_only;
} bench_import_options;

/* A sample with what its indices and runs mean; texts end with a zero byte, and are empty where there is none. */
typedef struct bench_import_sample {
  mh_import_sample sample;
  uint16_t quantity;
  const char *type;
  const char *source;
  const char *unit;
  const char *text;
} bench_import_sample;

/* What became of a source. */
typedef struct bench_import bench_import;

/* Reads a source to its end, whatever that is. `name`: what the host calls it, the family of the registry.
 * NULL: the driver does not read this source. */
bench_import *bench_import_read(const mh_import *driver, const char *name, const uint8_t *bytes, uint64_t n,
                                const bench_import_options *options);
void bench_import_free(bench_import *read);

/* Why it did not read on; NULL: it was done, or the source was gone. */
const char *bench_import_failure(const bench_import *read);
int bench_import_is_partial(const bench_import *read);
/* Samples in their order; NULL beyond the last. */
uint64_t bench_import_sample_count(const bench_import *read);
const bench_import_sample *bench_import_sample_at(const bench_import *read, uint64_t index);
/* How many samples of a type were read, wanted or not; NULL: of all types. */
uint64_t bench_import_counted(const bench_import *read, const char *type);
/* How many samples were refused for a reason (MH_REFUSED_*; 0: for any), and where the first of them stands. */
uint64_t bench_import_refused(const bench_import *read, uint32_t reason);
uint64_t bench_import_first_refused(const bench_import *read, uint32_t reason);
/* A number that is the same for the same samples, sums and end, however the source was given. */
uint64_t bench_import_digest(const bench_import *read);

#ifdef __cplusplus
}
#endif
#endif
