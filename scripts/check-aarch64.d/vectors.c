/* Decodes values with a bundle, and prints what came of each in words that do not depend on the processor.
 * Usage: vectors BUNDLE < LINES; a line: ID CHARACTERISTIC FLAGS HEX [param=NAME:VALUE ...], numbers in hexadecimal. */
#include <bench.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 65536

static uint64_t read_hex(const char *text, uint8_t *out) {
  uint64_t n = 0;
  if (strcmp(text, "-") == 0) return 0;
  for (; text[0] != 0 && text[1] != 0; text += 2) {
    const char pair[3] = {text[0], text[1], 0};
    out[n++] = (uint8_t)strtoul(pair, NULL, 16);
  }
  return n;
}

static void print_record(const bench *bench, uint64_t index) {
  const mh_record *record = bench_record(bench, index);
  const mh_value *values = bench_values(bench, index);
  printf(" kind=%u flags=%u seq=%" PRIu64 " time=%u:%" PRId64, record->kind, record->flags, record->device_seq,
         record->time_kind, record->t_us);
  mh_bytes identity = bench_identity(bench, index);
  printf(" identity=");
  for (uint64_t i = 0; i < identity.n; i++) printf("%02x", identity.p[i]);
  for (uint16_t i = 0; i < record->n_values; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i].value, sizeof bits);
    printf(" %u:%u:%u:%" PRId64 "e%d:%016" PRIx64, values[i].metric, values[i].unit, values[i].qualifier, values[i].raw,
           values[i].exp10, bits);
  }
}

static void decode_line(bench *bench, char *line) {
  static uint8_t bytes[LINE_MAX_BYTES];
  mh_param params[8];
  const char *id = strtok(line, " \n");
  if (id == NULL) return;
  uint16_t characteristic = (uint16_t)strtoul(strtok(NULL, " \n"), NULL, 16);
  uint16_t flags = (uint16_t)strtoul(strtok(NULL, " \n"), NULL, 16);
  uint64_t n = read_hex(strtok(NULL, " \n"), bytes);
  mh_open *opening = bench_opening(bench);
  opening->n_params = 0;
  for (char *word; (word = strtok(NULL, " \n")) != NULL && opening->n_params < 8;) {
    unsigned name = 0;
    long long value = 0;
    if (sscanf(word, "param=%x:%llx", &name, &value) != 2) continue;
    mh_param param = {.name = (uint16_t)name, .type = MH_PARAM_TYPE_INTEGER, .i = value};
    params[opening->n_params++] = param;
  }
  opening->params = params;
  printf("%s status=%d", id, bench_decode(bench, characteristic, flags, bytes, n));
  for (uint64_t i = 0; i < bench_record_count(bench); i++) print_record(bench, i);
  putchar('\n');
}

int main(int argc, char **argv) {
  static char line[LINE_MAX_BYTES];
  if (argc != 2) {
    fputs("usage: vectors BUNDLE < LINES\n", stderr);
    return 2;
  }
  bench *bench = bench_new(bench_load(argv[1], 0));
  while (fgets(line, sizeof line, stdin) != NULL) decode_line(bench, line);
  bench_free(bench);
  return 0;
}
