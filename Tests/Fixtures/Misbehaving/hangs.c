/* Ways not to come back. */
#include "kit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int32_t spin(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  for (volatile unsigned turns = 0;;) turns = turns + 1;
}

/* Stops its own clock first. */
static int32_t spin_unwatched(const mh_host *host, const mh_event *event, mh_sink *sink) {
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &never, NULL);
  return spin(host, event, sink);
}

/* The same when its event is over: the answer is there before. */
static int32_t spin_behind_an_answer(const mh_host *host, const mh_event *event, mh_sink *sink) {
  static const uint8_t unit[8 + 20] = {20, 0, 0, 0, 66, 4};
  return write(3, unit, sizeof unit) == (ssize_t)sizeof unit ? spin_unwatched(host, event, sink) : MH_E_ARG;
}

static int32_t slumber(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  for (;;) {
    struct timespec hour = {3600, 0};
    nanosleep(&hour, NULL);
  }
}

static int32_t wait_for_nothing(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  for (;;) poll(NULL, 0, -1);
}

static int32_t deadlock(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  return MH_OK;
}

/* Reads what the host says to its worker until the host says nothing more. */
static int32_t eavesdrop(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  char bytes[256];
  while (read(3, bytes, sizeof bytes) > 0 || errno == EINTR) {
  }
  return MH_OK;
}

const struct offence hangs[] = {
    {"spin", spin}, {"spin-unwatched", spin_unwatched}, {"spin-behind", spin_behind_an_answer}, {"sleep", slumber}, {"poll", wait_for_nothing}, {"deadlock", deadlock}, {"eavesdrop", eavesdrop},
    {NULL, NULL},
};
