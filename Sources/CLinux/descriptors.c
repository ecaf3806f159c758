#define _GNU_SOURCE
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

void clinux_hold_standard_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    /* The lowest number that is free is this one. The wrong way round, so that its use still fails. */
    const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened < 0) (void)open("/", O_PATH);
  }
}

int clinux_cannot_write(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return -errno;
  if ((flags & O_ACCMODE) == O_RDONLY || flags & O_PATH) return -EBADF;
  struct pollfd end = {descriptor, POLLOUT, 0};
  if (poll(&end, 1, 0) < 1) return 0;
  return end.revents & (POLLERR | POLLHUP) ? -EPIPE : 0;
}
