#define _GNU_SOURCE
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

/* The limit before it was raised; 0: it was not. */
static _Atomic uint64_t before;

int clinux_raise_descriptors(uint64_t most) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  const rlim_t wanted = limit.rlim_max < most ? limit.rlim_max : (rlim_t)most;
  if (limit.rlim_cur >= wanted) return 0;
  const rlim_t now = limit.rlim_cur;
  limit.rlim_cur = wanted;
  if (setrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  uint64_t none = 0;
  atomic_compare_exchange_strong(&before, &none, now);
  return 0;
}

int clinux_restore_descriptors(pid_t child) {
  const uint64_t now = atomic_load(&before);
  struct rlimit limit;
  if (now == 0) return 0;
  if (prlimit(child, RLIMIT_NOFILE, NULL, &limit) < 0) return -errno;
  /* A worker may have taken more away from itself already. */
  if (limit.rlim_cur <= now) return 0;
  limit.rlim_cur = now;
  return prlimit(child, RLIMIT_NOFILE, &limit, NULL) < 0 ? -errno : 0;
}

uint64_t clinux_descriptor_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0 : limit.rlim_cur;
}

int clinux_next_descriptor(void) {
  const int directory = open("/", O_PATH | O_CLOEXEC);
  if (directory < 0) return -errno;
  close(directory);
  return directory;
}
