/* Interprets texts of displays with a bundle that reads them, and prints what came of each in words that do not depend on
 * the processor. Usage: texts BUNDLE < LINES; a line: ID METER UNIT TEXT ..., numbers in decimal, "_" for an empty row and "+"
 * for a space. */
#include <dlfcn.h>
#include <inttypes.h>
#include <meterhost/draft/ocr.h>
#include <meterhost/driver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void no_log(void *ctx, int32_t level, mh_str message) { (void)ctx, (void)level, (void)message; }

static const mh_ocr *load(const char *path) {
  static mh_host host = {.struct_size = sizeof host, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .log = no_log};
  void *library = dlopen(path, RTLD_NOW);
  if (library == NULL) return NULL;
  int32_t (*entry)(const mh_host *, uint32_t, const mh_driver **, mh_str *);
  *(void **)&entry = dlsym(library, "mh_driver_entry");
  const mh_driver *driver = NULL;
  if (entry == NULL || entry(&host, 0, &driver, NULL) != MH_OK || driver->extension == NULL) return NULL;
  return driver->extension(MH_EXT_OCR_DRAFT);
}

static void interpret_line(const mh_ocr *ocr, char *line) {
  mh_record record;
  mh_value values[MH_SINK_VALUES_MIN];
  uint8_t arena[MH_SINK_ARENA_MIN];
  mh_sink sink = {.struct_size = sizeof sink,
                  .records = &record,
                  .cap_records = 1,
                  .values = values,
                  .cap_values = MH_SINK_VALUES_MIN,
                  .arena = arena,
                  .cap_arena = sizeof arena};
  mh_ocr_text rows[MH_OCR_ROWS_MAX];
  uint32_t n = 0, verdict = 0;
  const char *id = strtok(line, " \n");
  if (id == NULL) return;
  uint32_t meter = (uint32_t)strtoul(strtok(NULL, " \n"), NULL, 10);
  uint16_t unit = (uint16_t)strtoul(strtok(NULL, " \n"), NULL, 10);
  for (char *word; n < MH_OCR_ROWS_MAX && (word = strtok(NULL, " \n")) != NULL; n++) {
    for (char *c = word; *c != 0; c++) *c = *c == '+' ? ' ' : *c;
    rows[n].text = (mh_str){word, strcmp(word, "_") == 0 ? 0 : strlen(word)};
  }
  int32_t status = ocr->interpret(meter, unit, rows, n, &verdict, &sink);
  printf("%s status=%d verdict=%u identity=", id, status, verdict);
  for (uint64_t i = 0; i < sink.n_arena; i++) printf("%02x", arena[i]);
  for (uint64_t i = 0; i < sink.n_values; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i].value, sizeof bits);
    printf(" %u:%u:%u:%" PRId64 "e%d:%016" PRIx64, values[i].metric, values[i].unit, values[i].qualifier, values[i].raw,
           values[i].exp10, bits);
  }
  putchar('\n');
}

int main(int argc, char **argv) {
  static char line[4096];
  const mh_ocr *ocr = argc == 2 ? load(argv[1]) : NULL;
  if (ocr == NULL) {
    fputs("usage: texts BUNDLE < LINES; the bundle must read displays\n", stderr);
    return 2;
  }
  while (fgets(line, sizeof line, stdin) != NULL) interpret_line(ocr, line);
  return 0;
}
