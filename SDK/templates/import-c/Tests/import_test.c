/* Imports of the driver that ships, on the bench of the SDK: what it reads of an export, what it refuses and where, and
 * that neither the size of a piece nor a cut changes a number. Usage: import_test LIBRARY SAMPLE */
#include <bench_import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                              \
    }                                                                       \
  } while (0)

#define HEADER "start,end,type,value,unit,device\n"
#define STEPS "2025-03-01T08:00:00+01:00,2025-03-01T08:10:00+01:00,steps,812,count,Wristband\n"
#define WEIGHT "2025-03-01T07:05:00Z,2025-03-01T07:05:00Z,weight,81.60,kg,Bath scale\n"
/* 2025-03-01T07:00:00Z. */
#define MORNING INT64_C(1740812400000000)

static const mh_import *driver;
static const char *sample_bytes;
static uint64_t sample_size;

static bench_import *read_bytes(const char *bytes, uint64_t n, bench_import_options options) {
  bench_import *read = bench_import_read(driver, "template-export", (const uint8_t *)bytes, n, &options);
  CHECK(read != NULL);
  return read;
}

static bench_import *read_text(const char *text) {
  return read_bytes(text, strlen(text), (bench_import_options){.chunk = 0});
}

static void reads_what_the_export_says(void) {
  bench_import *read = read_text(HEADER STEPS WEIGHT);
  CHECK(bench_import_failure(read) == NULL && !bench_import_is_partial(read));
  CHECK(bench_import_sample_count(read) == 2 && bench_import_refused(read, 0) == 0);
  const bench_import_sample *steps = bench_import_sample_at(read, 0), *weight = bench_import_sample_at(read, 1);
  CHECK(steps->quantity == MH_QTY_STEPS && steps->sample.mantissa == 812 && steps->sample.exponent == 0);
  CHECK(steps->sample.start_us == MORNING && steps->sample.end_us == MORNING + 600 * INT64_C(1000000));
  CHECK(steps->sample.utc_offset_s == 3600 && strcmp(steps->source, "Wristband") == 0);
  CHECK(steps->sample.place == strlen(HEADER));
  /* As it is written: no zero less, no other unit, and no zone where the export names none. */
  CHECK(weight->quantity == MH_QTY_WEIGHT && weight->sample.mantissa == 8160 && weight->sample.exponent == -2);
  CHECK(strcmp(weight->unit, "kg") == 0 && weight->sample.utc_offset_s == MH_IMPORT_NO_OFFSET);
  CHECK(weight->sample.start_us == weight->sample.end_us);
  bench_import_free(read);
}

static void counts_what_it_refuses_with_its_place(void) {
  static const struct {
    const char *line;
    uint32_t reason;
  } wrong[] = {
      {"2025-02-30T08:00:00Z,2025-03-01T08:00:00Z,steps,1,count,Band\n", MH_REFUSED_TIME},
      {"2025-03-01T08:00:00Z,2025-03-01T07:00:00Z,steps,1,count,Band\n", MH_REFUSED_TIME},
      {"2025-03-01 08:00:00,2025-03-01 08:10:00,steps,1,count,Band\n", MH_REFUSED_TIME},
      {"2025-03-01T08:00:00Z,2025-03-01T08:10:00Z,steps,-1,count,Band\n", MH_REFUSED_VALUE},
      {"2025-03-01T08:00:00Z,2025-03-01T08:10:00Z,steps,1.,count,Band\n", MH_REFUSED_VALUE},
      {"2025-03-01T08:00:00Z,2025-03-01T08:10:00Z,steps,1234567890123456789,count,Band\n", MH_REFUSED_VALUE},
      {"2025-03-01T08:00:00Z,2025-03-01T08:10:00Z,steps,-,count,Band\n", MH_REFUSED_SENTINEL},
      {"2025-03-01T08:00:00Z,2025-03-01T08:10:00Z,steps,1,kg,Band\n", MH_REFUSED_FORM},
      {"2025-03-01T08:00:00Z,2025-03-01T08:10:00Z,steps,\"1\",count,Band\n", MH_REFUSED_FORM},
      {"2025-03-01T08:00:00Z,2025-03-01T08:10:00Z,steps,1,count,\n", MH_REFUSED_FORM},
      {"2025-03-01T08:00:00Z,2025-03-01T08:10:00Z,steps,1,count\n", MH_REFUSED_FORM},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char text[512];
    snprintf(text, sizeof text, HEADER STEPS "%s" WEIGHT, wrong[i].line);
    bench_import *read = read_text(text);
    CHECK(bench_import_failure(read) == NULL && bench_import_sample_count(read) == 2);
    CHECK(bench_import_refused(read, 0) == 1 && bench_import_refused(read, wrong[i].reason) == 1);
    CHECK(bench_import_first_refused(read, wrong[i].reason) == strlen(HEADER STEPS));
    bench_import_free(read);
  }
}

static void counts_types_that_it_does_not_know(void) {
  bench_import *read = read_text(HEADER STEPS "2025-03-01T22:30:00Z,2025-03-02T06:45:00Z,sleep,8.25,h,Band\n");
  CHECK(bench_import_sample_count(read) == 1 && bench_import_refused(read, 0) == 0);
  CHECK(bench_import_counted(read, "steps") == 1 && bench_import_counted(read, "other") == 1);
  bench_import_free(read);
}

static void puts_out_what_is_wanted_and_counts_all(void) {
  /* The window begins when the steps end. */
  const bench_import_options after = {.since_us = MORNING + 600 * INT64_C(1000000), .until_us = INT64_MAX};
  const char *const text = HEADER STEPS "2025-03-01T07:10:00Z,2025-03-01T07:10:00Z,weight,80,kg,Scale\n";
  bench_import *read = read_bytes(text, strlen(text), after);
  CHECK(bench_import_sample_count(read) == 1 && bench_import_sample_at(read, 0)->quantity == MH_QTY_WEIGHT);
  CHECK(bench_import_counted(read, NULL) == 2 && bench_import_counted(read, "steps") == 1);
  bench_import_free(read);
}

static void reads_the_same_in_pieces_of_any_size(void) {
  bench_import *whole = read_bytes(sample_bytes, sample_size, (bench_import_options){.chunk = 0});
  CHECK(bench_import_failure(whole) == NULL && bench_import_sample_count(whole) > 0);
  for (uint64_t chunk = 1; chunk <= 300; chunk++) {
    bench_import *read =
        read_bytes(sample_bytes, sample_size, (bench_import_options){.chunk = chunk, .has_small_sink = chunk % 2 == 0});
    CHECK(bench_import_digest(read) == bench_import_digest(whole));
    bench_import_free(read);
  }
  bench_import_free(whole);
}

static int is_same(const bench_import_sample *a, const bench_import_sample *b) {
  return b != NULL && a->sample.start_us == b->sample.start_us && a->sample.end_us == b->sample.end_us &&
         a->sample.mantissa == b->sample.mantissa && a->sample.exponent == b->sample.exponent &&
         a->quantity == b->quantity && strcmp(a->unit, b->unit) == 0 && strcmp(a->source, b->source) == 0;
}

/* A number that was cut would be another number: 812 of 8120. */
static void gives_of_a_cut_export_what_the_whole_one_has(void) {
  bench_import *whole = read_bytes(sample_bytes, sample_size, (bench_import_options){.chunk = 0});
  for (uint64_t n = 0; n < sample_size; n++) {
    bench_import *read = read_bytes(sample_bytes, n, (bench_import_options){.chunk = 0});
    for (uint64_t i = 0; i < bench_import_sample_count(read); i++)
      CHECK(is_same(bench_import_sample_at(read, i), bench_import_sample_at(whole, i)));
    if (bench_import_failure(read) == NULL) CHECK(bench_import_is_partial(read) == (sample_bytes[n - 1] != '\n'));
    bench_import_free(read);
  }
  bench_import_free(whole);
}

static void refuses_a_line_that_is_too_long_and_reads_on(void) {
  const uint64_t length = 200000, head = strlen(HEADER), tail = strlen("\n" STEPS);
  char *text = malloc(head + length + tail);
  CHECK(text != NULL);
  memcpy(text, HEADER, head);
  memset(text + head, 'x', length);
  memcpy(text + head + length, "\n" STEPS, tail);
  for (uint64_t chunk = 0; chunk < 4; chunk++) {
    bench_import *read = read_bytes(text, head + length + tail, (bench_import_options){.chunk = chunk * 1000});
    CHECK(bench_import_refused(read, 0) == 1 && bench_import_refused(read, MH_REFUSED_TOO_LONG) == 1);
    CHECK(bench_import_first_refused(read, MH_REFUSED_TOO_LONG) == head);
    CHECK(bench_import_sample_count(read) == 1 && !bench_import_is_partial(read));
    bench_import_free(read);
  }
  /* Cut in its middle it is refused once, too, and the host knows that something is missing. */
  bench_import *cut = read_bytes(text, head + length, (bench_import_options){.chunk = 1000});
  CHECK(bench_import_refused(cut, 0) == 1 && bench_import_is_partial(cut));
  bench_import_free(cut);
  free(text);
}

/* More devices than are told apart go under one name. */
static void reads_an_export_of_any_size(void) {
  const uint64_t lines = 20000, head = strlen(HEADER);
  char *text = malloc(head + lines * 128);
  CHECK(text != NULL);
  memcpy(text, HEADER, head);
  uint64_t n = head;
  for (uint64_t i = 0; i < lines; i++)
    n += (uint64_t)snprintf(text + n, 128, "2025-03-01T07:05:00Z,2025-03-01T07:05:00Z,weight,%u.5,kg,Scale %u\n",
                            (unsigned)(i % 100), (unsigned)(i % 500));
  bench_import *read = read_bytes(text, n, (bench_import_options){.keeps_sums_only = 1, .has_small_sink = 1});
  CHECK(bench_import_failure(read) == NULL && bench_import_sample_count(read) == lines);
  CHECK(bench_import_counted(read, "weight") == lines);
  bench_import_free(read);
  free(text);
}

static void refuses_what_is_not_its_own(void) {
  static const char *const others[] = {"", "\n", "Dear diary,\n", "{\"steps\": 812}\n", "PK\003\004 an archive",
                                       "start,end,type,value,unit,device", ("start,end,type,value,unit\n" STEPS)};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    bench_import *read = read_text(others[i]);
    CHECK(bench_import_failure(read) != NULL && bench_import_sample_count(read) == 0);
    bench_import_free(read);
  }
}

static void ends_when_the_export_is_gone(void) {
  bench_import *read = read_bytes(sample_bytes, sample_size, (bench_import_options){.chunk = 300, .answers = 2});
  CHECK(bench_import_is_partial(read) && bench_import_sample_count(read) > 0);
  bench_import_free(read);
  read = read_bytes(sample_bytes, sample_size, (bench_import_options){.chunk = 300, .answers_before_error = 1});
  CHECK(bench_import_failure(read) != NULL);
  bench_import_free(read);
}

static const struct {
  const char *name;
  void (*run)(void);
} tests[] = {
    {"reads what the export says", reads_what_the_export_says},
    {"counts what it refuses with its place", counts_what_it_refuses_with_its_place},
    {"counts types that it does not know", counts_types_that_it_does_not_know},
    {"puts out what is wanted and counts all", puts_out_what_is_wanted_and_counts_all},
    {"reads the same in pieces of any size", reads_the_same_in_pieces_of_any_size},
    {"gives of a cut export what the whole one has", gives_of_a_cut_export_what_the_whole_one_has},
    {"refuses a line that is too long and reads on", refuses_a_line_that_is_too_long_and_reads_on},
    {"reads an export of any size", reads_an_export_of_any_size},
    {"refuses what is not its own", refuses_what_is_not_its_own},
    {"ends when the export is gone", ends_when_the_export_is_gone},
};

static void load_sample(const char *path) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
  const long size = ftell(file);
  CHECK(size > 0);
  rewind(file);
  char *bytes = malloc((size_t)size);
  CHECK(bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size);
  fclose(file);
  sample_bytes = bytes;
  sample_size = (uint64_t)size;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: import_test LIBRARY SAMPLE\n", stderr);
    return 2;
  }
  driver = bench_import_load(argv[1], 0);
  load_sample(argv[2]);
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    tests[i].run();
    printf("passed: %s\n", tests[i].name);
  }
  free((char *)sample_bytes);
  return 0;
}
