/* Ways to die. */
#include "kit.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int32_t segment(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  *(volatile int *)8 = 1;
  return MH_OK;
}

static int32_t divide(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  volatile int zero = 0, many = 100;
  return (int32_t)(many / zero);
}

static int32_t give_up(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  abort();
}

static int32_t trap(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  __builtin_trap();
}

static int32_t leave(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  exit(0);
}

static int32_t leave_at_once(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  _exit(3);
}

static volatile unsigned depth;

/* Not a tail call, and with an end that is never reached. */
__attribute__((noinline)) static unsigned deeper(volatile unsigned *level) {
  volatile char room[4096];
  room[0] = (char)(*level)++;
  if (*level == 0) return 0;
  return deeper(level) + (unsigned)room[0];
}

static int32_t recurse(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  return (int32_t)deeper(&depth);
}

static int32_t jump(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)event, (void)sink;
  /* A function of the host that does not exist. */
  void (*nowhere)(void) = (void (*)(void))((uintptr_t)host->ctx + 16);
  nowhere();
  return MH_OK;
}

static int32_t overrun(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event;
  memset(sink->arena, 0xaa, 64u << 20);
  return MH_OK;
}

const struct offence crashes[] = {
    {"segment", segment}, {"divide", divide},   {"abort", give_up}, {"trap", trap},       {"exit", leave},
    {"_exit", leave_at_once}, {"recurse", recurse}, {"jump", jump},     {"overrun", overrun}, {NULL, NULL},
};
