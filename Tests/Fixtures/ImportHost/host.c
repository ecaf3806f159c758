/* A program that plays the host of an import bundle over a file:
 *
 *   host [--bundle libmh-NAME.so] --format NAME [options] FILE|-
 *     --samples          names and samples as lines of JSON; the last line is what it comes to
 *     --chunk N          at most N bytes an answer;  --ragged  each of another length
 *     --small            a sink of the least size;  --unknown-size
 *     --since US --until US, --want Q,Q,..|all|none
 *     --chunks A-B       every chunk size from A to B gives the same: one line
 *     --cuts [STEP]      the file cut at every STEPth byte: one line a cut that went wrong or that has another count than the
 *                        one before, and one at the end
 *     --mutate SEED N    N files with bytes changed by chance
 *     --fast             counts only, with the CPU time and the memory that they took
 *
 * The exit status is 0 when the driver kept to the contract, whatever it said of the file. */
#define _GNU_SOURCE
#include "host_play.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef int32_t (*entry_function)(const mh_host *, uint32_t, const mh_driver **, mh_str *);

/* Linked in, for sanitizers, or of a bundle. */
__attribute__((weak)) int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why);

static const void *no_extension(void *ctx, const char *id) {
  (void)ctx;
  (void)id;
  return NULL;
}

static const mh_import *load(const char *bundle) {
  entry_function entry = mh_driver_entry;
  if (bundle != NULL) {
    void *library = dlopen(bundle, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return NULL;
    }
    *(void **)&entry = dlsym(library, "mh_driver_entry");
  }
  if (entry == NULL) return NULL;
  static mh_host host;
  host.struct_size = sizeof host;
  host.abi_major = MH_ABI_MAJOR;
  host.abi_minor = MH_ABI_MINOR;
  host.extension = no_extension;
  const mh_driver *driver = NULL;
  mh_str why = {NULL, 0};
  if (entry(&host, 0, &driver, &why) != MH_OK || driver->extension == NULL) return NULL;
  return driver->extension(MH_EXT_IMPORT_DRAFT);
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The most memory that this program has had, in KiB. What getrusage says is, behind an exec, also what its parent had. */
static long most_memory(void) {
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  long most = -1;
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, "VmHWM:", 6) == 0) most = atol(line + 6);
  if (status != NULL) fclose(status);
  return most;
}

static uint8_t *read_whole(int file, uint64_t *size) {
  uint64_t room = 1 << 16;
  uint8_t *bytes = malloc(room);
  ssize_t n;
  *size = 0;
  while ((n = read(file, bytes + *size, room - *size)) > 0) {
    *size += (uint64_t)n;
    if (*size == room) bytes = realloc(bytes, room *= 2);
  }
  return bytes;
}

static int every_chunk(const mh_import *driver, play_source source, play_options options, uint32_t from, uint32_t to) {
  play_result whole, result;
  play(driver, source, &options, &whole);
  int is_good = whole.fault == NULL;
  uint32_t different = 0;
  for (options.chunk = from; options.chunk <= to; options.chunk++) {
    options.is_small = options.chunk % 2 == 1;
    options.is_ragged = options.chunk % 3 == 2;
    play(driver, source, &options, &result);
    const int is_same = result.fault == NULL && result.digest == whole.digest && result.counted == whole.counted &&
                        result.samples == whole.samples && result.flags == whole.flags &&
                        memcmp(result.refused, whole.refused, sizeof whole.refused) == 0;
    if (!is_same) {
      different += 1;
      printf("{\"chunk\":%u,\"result\":", options.chunk);
      play_print(&result, stdout);
    }
    play_free(&result);
  }
  printf("{\"chunks\":%u,\"different\":%u,\"samples\":%lu,\"digest\":\"%016lx\"}\n", to - from + 1, different,
         (unsigned long)whole.samples, (unsigned long)whole.digest);
  play_free(&whole);
  return is_good && different == 0;
}

/* What was read of a file that is cut is what was read of a longer part, and less: counts never fall as the file
 * grows. */
static int every_cut(const mh_import *driver, const uint8_t *bytes, uint64_t size, play_options options,
                     uint32_t step) {
  uint64_t before = 0, partial = 0, failed = 0, wrong = 0, cuts = 0;
  for (uint64_t n = 0; n < size; n += step, cuts++) {
    play_result result;
    // A copy of just this size: a read behind its end shows.
    uint8_t *copy = malloc(n == 0 ? 1 : n);
    memcpy(copy, bytes, n);
    play(driver, (play_source){.bytes = copy, .size = n}, &options, &result);
    free(copy);
    const int is_whole = result.is_done && (result.flags & MH_IMPORT_PARTIAL) == 0;
    if (result.fault != NULL || (!result.is_failed && result.counted < before)) {
      wrong += 1;
      printf("{\"cut\":%lu,\"result\":", (unsigned long)n);
      play_print(&result, stdout);
    }
    if (!result.is_failed && result.counted != before)
      printf("{\"at\":%lu,\"records\":%lu}\n", (unsigned long)n, (unsigned long)result.counted);
    if (!result.is_failed) before = result.counted;
    failed += result.is_failed != 0;
    partial += result.is_done && !is_whole;
    play_free(&result);
  }
  printf("{\"cuts\":%lu,\"wrong\":%lu,\"failed\":%lu,\"partial\":%lu,\"counted\":%lu}\n", (unsigned long)cuts,
         (unsigned long)wrong, (unsigned long)failed, (unsigned long)partial, (unsigned long)before);
  return wrong == 0;
}

static uint32_t dice(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

static void change(uint8_t *bytes, uint64_t *size, uint64_t *state) {
  static const char *const bits[] = {"<", ">", "\"", "'", "=", "&", "&#", "/>", "<!--", "-->", "<Record ", "</Record>",
                                     "<Workout ", "</HealthData>", "<Correlation ", "\xff\xff\xff\xff",
                                     "PK\3\4", "PK\5\6", "PK\1\2", "9e99"};
  const uint32_t changes = 1 + dice(state) % 6;
  for (uint32_t i = 0; i < changes && *size > 16; i++) {
    // The end has the directory of an archive.
    const uint64_t end = *size < 400 ? *size : 400;
    const uint64_t at = dice(state) % 4 == 0 ? *size - 1 - dice(state) % end : dice(state) % *size;
    const char *text = bits[dice(state) % (sizeof bits / sizeof bits[0])];
    const uint64_t n = strlen(text);
    switch (dice(state) % 5) {
      case 0: bytes[at] ^= (uint8_t)(1u << dice(state) % 8); break;
      case 1: bytes[at] = (uint8_t)dice(state); break;
      case 2:
        if (at + n <= *size) memcpy(bytes + at, text, n);
        break;
      case 3: {
        const uint64_t length = 1 + dice(state) % 64, from = dice(state) % *size;
        if (at + length <= *size && from + length <= *size) memmove(bytes + at, bytes + from, length);
        break;
      }
      default: {
        const uint64_t length = 1 + dice(state) % 32;
        if (at + length < *size) {
          memmove(bytes + at, bytes + at + length, *size - at - length);
          *size -= length;
        }
      }
    }
  }
}

static int mutate(const mh_import *driver, const uint8_t *bytes, uint64_t size, play_options options, uint64_t seed,
                  uint64_t count) {
  uint64_t done = 0, failed = 0, partial = 0, samples = 0, state = seed * 977 + 1;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t n = size;
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    change(copy, &n, &state);
    uint8_t *tight = malloc(n);
    memcpy(tight, copy, n);
    options.chunk = dice(&state) % 3 == 0 ? 1 + dice(&state) % 5000 : 0;
    options.is_small = dice(&state) % 2 == 0;
    play_result result;
    const play_source source = {.bytes = tight, .size = n, .is_size_unknown = dice(&state) % 16 == 0};
    play(driver, source, &options, &result);
    if (result.fault != NULL) {
      FILE *file = fopen("mutant.bin", "wb");
      fwrite(tight, 1, n, file);
      fclose(file);
      printf("{\"mutant\":%lu,\"result\":", (unsigned long)i);
      play_print(&result, stdout);
      return 0;
    }
    done += result.is_done != 0;
    failed += result.is_failed != 0;
    partial += (result.flags & MH_IMPORT_PARTIAL) != 0;
    samples += result.samples;
    play_free(&result);
    free(copy);
    free(tight);
  }
  printf("{\"mutants\":%lu,\"done\":%lu,\"failed\":%lu,\"partial\":%lu,\"samples\":%lu}\n", (unsigned long)count,
         (unsigned long)done, (unsigned long)failed, (unsigned long)partial, (unsigned long)samples);
  return 1;
}

static void want(play_options *options, const char *list) {
  memset(options->wanted, strcmp(list, "all") == 0 ? 0xff : 0, sizeof options->wanted);
  options->wanted[0] &= ~UINT64_C(1);
  for (const char *p = list; *p >= '0' && *p <= '9';) {
    char *end;
    const unsigned long quantity = strtoul(p, &end, 10);
    if (quantity < 256) options->wanted[quantity / 64] |= UINT64_C(1) << quantity % 64;
    p = *end == ',' ? end + 1 : end;
  }
}

int main(int argc, char **argv) {
  play_options options = {.format = "", .until_us = MH_IMPORT_US_MAX, .since_us = MH_IMPORT_US_MIN};
  want(&options, "all");
  const char *bundle = NULL, *mode = "";
  uint64_t first = 1, second = 0;
  int is_size_unknown = 0, i = 1;
  for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(name, "--samples") == 0) options.out = stdout;
    else if (strcmp(name, "--ragged") == 0) options.is_ragged = 1;
    else if (strcmp(name, "--small") == 0) options.is_small = 1;
    else if (strcmp(name, "--fast") == 0) options.is_fast = 1;
    else if (strcmp(name, "--unknown-size") == 0) is_size_unknown = 1;
    else {
      i++;
      if (strcmp(name, "--bundle") == 0) bundle = value;
      else if (strcmp(name, "--format") == 0) options.format = value;
      else if (strcmp(name, "--chunk") == 0) options.chunk = (uint32_t)atol(value);
      else if (strcmp(name, "--since") == 0) options.since_us = atol(value);
      else if (strcmp(name, "--until") == 0) options.until_us = atol(value);
      else if (strcmp(name, "--want") == 0) want(&options, value);
      else if (strcmp(name, "--chunks") == 0) {
        mode = "chunks";
        char *end;
        first = strtoul(value, &end, 10);
        second = strtoul(end + 1, NULL, 10);
      } else if (strcmp(name, "--cuts") == 0) {
        mode = "cuts";
        first = strtoul(value, NULL, 10);
      } else if (strcmp(name, "--mutate") == 0) {
        mode = "mutate";
        first = strtoul(value, NULL, 10);
        second = i + 1 < argc ? strtoul(argv[++i], NULL, 10) : 0;
      } else {
        fprintf(stderr, "%s is not an option\n", name);
        return 2;
      }
    }
  }
  const mh_import *driver = load(bundle);
  const int file = i < argc ? (strcmp(argv[i], "-") == 0 ? 0 : open(argv[i], O_RDONLY)) : -1;
  if (driver == NULL || file < 0) {
    fprintf(stderr, "%s\n", driver == NULL ? "there is no driver" : "there is no file");
    return 2;
  }
  play_source source = {.file = file, .is_size_unknown = is_size_unknown};
  struct stat info;
  uint8_t *bytes = NULL;
  if (options.is_fast && fstat(file, &info) == 0)
    source.size = (uint64_t)info.st_size;
  else
    source.bytes = bytes = read_whole(file, &source.size);
  int is_good;
  if (strcmp(mode, "chunks") == 0) is_good = every_chunk(driver, source, options, (uint32_t)first, (uint32_t)second);
  else if (strcmp(mode, "cuts") == 0) is_good = every_cut(driver, bytes, source.size, options,
                                                              first > 0 ? (uint32_t)first : 1);
  else if (strcmp(mode, "mutate") == 0) is_good = mutate(driver, bytes, source.size, options, first, second);
  else {
    play_result result;
    const double before = cpu_seconds();
    play(driver, source, &options, &result);
    const double used = cpu_seconds() - before;
    play_print(&result, stdout);
    is_good = result.fault == NULL;
    if (options.is_fast) printf("{\"cpu_s\":%.3f,\"maxrss_kib\":%ld}\n", used, most_memory());
    play_free(&result);
  }
  free(bytes);
  return is_good ? 0 : 1;
}
