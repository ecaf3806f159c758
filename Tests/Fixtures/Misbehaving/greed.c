/* Ways to take too much. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Takes memory until there is none, and uses it as if there always were. */
static int32_t allocate(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  for (;;) {
    volatile uint8_t *taken = malloc(1u << 20);
    for (unsigned i = 0; i < 1u << 20; i += 512) taken[i] = 0x55;
  }
}

/* Takes addresses until there are none, and one page of every two mebibytes: the page is shared and free, the kernel's table
 * for it is not. */
static int32_t sparse(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  const size_t piece = 2u << 20;
  size_t size = (size_t)1 << 40;
  for (;;) {
    const volatile uint8_t *taken = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (taken == MAP_FAILED && size > piece) {
      size /= 2;
      continue;
    }
    /* Used as if there always were some. */
    for (size_t i = 0; i < size; i += piece) (void)taken[i];
  }
}

static int32_t records(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event;
  static uint32_t number;
  int32_t status = MH_OK;
  while (status == MH_OK) status = put_reading(sink, number++);
  return status;
}

static int32_t actions(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event;
  for (uint64_t token = 1; token <= 10000; token++)
    mh_sink_act(sink, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = 1000000000});
  return MH_OK;
}

static int32_t log_lines(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)event;
  for (int i = 0; i < 100000; i++) host->log(host->ctx, MH_LOG_WARNING, words("still here"));
  return put_reading(sink, 7);
}

static int32_t print(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event;
  puts("a driver prints");
  return put_reading(sink, 7);
}

static int32_t print_much(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event;
  for (int i = 0; i < 20000; i++) printf("line %d of a driver that prints\n", i);
  return put_reading(sink, 7);
}

static int32_t store(const mh_host *host, const mh_event *event, mh_sink *sink) {
  static uint8_t big[MH_VALUE_MAX];
  (void)event;
  char key[32];
  int32_t status = MH_OK;
  for (int i = 0; i < 1000 && status == MH_OK; i++) {
    snprintf(key, sizeof key, "user/%d", i);
    status = host->kv_set(host->ctx, kit_peer, words(key), (mh_bytes){big, sizeof big});
  }
  return put_reading(sink, 7);
}

static int32_t random_bytes(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)event;
  static uint8_t room[MH_RANDOM_MAX];
  for (int i = 0; i < 100; i++) host->random(host->ctx, room, sizeof room);
  return put_reading(sink, 7);
}

const struct offence greed[] = {
    {"allocate", allocate}, {"sparse", sparse}, {"records", records},       {"actions", actions}, {"logs", log_lines}, {"print", print},
    {"print-much", print_much}, {"store", store}, {"random", random_bytes}, {NULL, NULL},
};
