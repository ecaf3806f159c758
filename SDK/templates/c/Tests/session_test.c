/* Sessions of the driver that ships, on the bench of the SDK: what it asks for, in which order, and that no reading is
 * lost when the link drops or the meter's memory is another one. Usage: session_test LIBRARY */
#include <bench.h>
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

enum handle { MEASUREMENT = 3, CONTROL = 6 };

static const bench_characteristic characteristics[] = {{MEASUREMENT, MH_PROP_NOTIFY, 0x2a18},
                                                       {CONTROL, MH_PROP_WRITE | MH_PROP_INDICATE, 0x2a52}};

/* Records 30, 31 and 32 of 2018-09-20; the last one was taken with control solution. */
static const uint8_t first[] = {0x02, 30, 0, 0xe2, 0x07, 9, 20, 8, 0, 0, 0x6f, 0xb0, 0xf1};
static const uint8_t second[] = {0x02, 31, 0, 0xe2, 0x07, 9, 20, 12, 0, 0, 0x76, 0xb0, 0xf1};
static const uint8_t third[] = {0x02, 32, 0, 0xe2, 0x07, 9, 20, 18, 0, 0, 0x64, 0xb0, 0xfa};
/* Number 30 again, of another memory. */
static const uint8_t reset[] = {0x02, 30, 0, 0xe3, 0x07, 1, 2, 7, 30, 0, 0x5a, 0xb0, 0xf1};

static const uint8_t done[] = {0x06, 0x00, 0x01, 0x01};
static const uint8_t no_records[] = {0x06, 0x00, 0x01, 0x06};

/* Opens a session and brings it to its request. */
static const mh_action *request(bench *meter) {
  CHECK(bench_open(meter, MH_PURPOSE_READ) == MH_OK);
  CHECK(bench_services(meter, 0x1808, characteristics, 2) == MH_OK);
  CHECK(bench_action_count(meter) == 2 && bench_action(meter, 1)->handle == CONTROL);
  CHECK(bench_answer(meter, MH_EV_SUBSCRIBED, bench_action(meter, 0)->token, 0) == MH_OK);
  CHECK(bench_action_count(meter) == 0);
  CHECK(bench_answer(meter, MH_EV_SUBSCRIBED, 2, 0) == MH_OK);
  const mh_action *write = bench_find_action(meter, MH_DO_WRITE);
  CHECK(bench_find_action(meter, MH_DO_READY) != NULL && write != NULL && write->handle == CONTROL);
  return write;
}

static int sends(const mh_action *action, const uint8_t *bytes, uint64_t n) {
  return action != NULL && action->value.n == n && memcmp(action->value.p, bytes, n) == 0;
}

static int asks_for_all(const mh_action *write) {
  static const uint8_t all[] = {0x01, 0x01};
  return sends(write, all, sizeof all);
}

static int asks_from(const mh_action *write, uint8_t sequence) {
  const uint8_t from[] = {0x01, 0x03, 0x01, sequence, 0x00};
  return sends(write, from, sizeof from);
}

static uint64_t notify(bench *meter, const uint8_t *bytes, uint64_t n) {
  CHECK(bench_value(meter, MH_EV_NOTIFICATION, MEASUREMENT, bytes, n) == MH_OK);
  return bench_record_count(meter);
}

static void answer(bench *meter, const uint8_t bytes[4]) {
  CHECK(bench_value(meter, MH_EV_INDICATION, CONTROL, bytes, 4) == MH_OK);
}

static void reads_stored_records_once(bench *meter) {
  CHECK(asks_for_all(request(meter)));
  CHECK(notify(meter, first, sizeof first) == 1);
  CHECK(bench_record(meter, 0)->device_seq == 30 && bench_record(meter, 0)->ident_class == MH_IDENT_STORED);
  CHECK(bench_values(meter, 0)[0].metric == MH_METRIC_BLOOD_GLUCOSE && bench_values(meter, 0)[0].value == 111);
  CHECK(notify(meter, second, sizeof second) == 1);
  /* The cursor moves with the end, in the same unit. */
  CHECK(bench_stored(meter, "user/cursor").n == 0);
  answer(meter, done);
  CHECK(bench_find_action(meter, MH_DO_FINISH) != NULL && bench_stored(meter, "user/cursor").n == 12);
  /* The next session asks for the cursor's reading and what came after it. */
  CHECK(asks_from(request(meter), 31));
  CHECK(notify(meter, second, sizeof second) == 0);
  CHECK(notify(meter, third, sizeof third) == 1);
  CHECK((bench_record(meter, 0)->flags & MH_REC_CONTROL) != 0);
  answer(meter, done);
  CHECK(bench_find_action(meter, MH_DO_FINISH) != NULL);
  CHECK(asks_from(request(meter), 32));
}

static void reads_all_again_when_the_memory_is_another_one(bench *meter) {
  request(meter);
  CHECK(notify(meter, third, sizeof third) == 1);
  answer(meter, done);
  /* Cleared: number 32 is not there. */
  CHECK(asks_from(request(meter), 32));
  answer(meter, no_records);
  CHECK(asks_for_all(bench_find_action(meter, MH_DO_WRITE)));
  CHECK(notify(meter, reset, sizeof reset) == 1);
  answer(meter, done);
  CHECK(bench_find_action(meter, MH_DO_FINISH) != NULL);
  /* The same number, and another reading. */
  CHECK(asks_from(request(meter), 30));
  CHECK(notify(meter, first, sizeof first) == 1);
  answer(meter, done);
  CHECK(asks_for_all(bench_find_action(meter, MH_DO_WRITE)));
}

static void keeps_the_cursor_when_the_link_drops(bench *meter) {
  request(meter);
  CHECK(notify(meter, first, sizeof first) == 1);
  bench_fact(meter, MH_EV_DISCONNECTED, 0);
  CHECK(bench_find_action(meter, MH_DO_FAIL)->code == MH_FAIL_COMMUNICATION);
  CHECK(bench_stored(meter, "user/cursor").n == 0);
  CHECK(asks_for_all(request(meter)));
}

static void keeps_the_cursor_before_what_cannot_be_read(bench *meter) {
  request(meter);
  CHECK(bench_value(meter, MH_EV_NOTIFICATION, MEASUREMENT, first, 9) == MH_E_PROTOCOL);
  CHECK(notify(meter, second, sizeof second) == 1);
  answer(meter, done);
  CHECK(bench_find_action(meter, MH_DO_FAIL)->code == MH_FAIL_METER_ERROR);
  CHECK(bench_stored(meter, "user/cursor").n == 0);
}

static void tells_why_it_fails(bench *meter) {
  CHECK(bench_open(meter, MH_PURPOSE_READ) == MH_OK);
  CHECK(bench_services(meter, 0x1808, characteristics, 1) == MH_OK);
  CHECK(bench_find_action(meter, MH_DO_FAIL)->code == MH_FAIL_UNSUPPORTED_METER);
  request(meter);
  bench_fact(meter, MH_EV_TIMER, 4);
  CHECK(bench_find_action(meter, MH_DO_FAIL)->code == MH_FAIL_TIMEOUT);
  CHECK(bench_open(meter, MH_PURPOSE_CLOCK) == MH_E_UNSUPPORTED);
}

static const struct {
  const char *name;
  void (*run)(bench *meter);
} tests[] = {
    {"reads stored records once", reads_stored_records_once},
    {"reads all again when the memory is another one", reads_all_again_when_the_memory_is_another_one},
    {"keeps the cursor when the link drops", keeps_the_cursor_when_the_link_drops},
    {"keeps the cursor before what cannot be read", keeps_the_cursor_before_what_cannot_be_read},
    {"tells why it fails", tells_why_it_fails},
};

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: session_test LIBRARY\n", stderr);
    return 2;
  }
  const mh_driver *driver = bench_load(argv[1], 0);
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    bench *meter = bench_new(driver);
    tests[i].run(meter);
    bench_free(meter);
    printf("passed: %s\n", tests[i].name);
  }
  return 0;
}
