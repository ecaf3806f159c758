#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CReference.h"

static int whole(int socket, char *bytes, size_t count, int sends) {
  for (size_t done = 0; done < count;) {
    ssize_t got = sends ? send(socket, bytes + done, count - done, MSG_NOSIGNAL)
                        : recv(socket, bytes + done, count - done, 0);
    if (got == 0) return EPIPE;
    if (got < 0 && errno != EINTR) return errno;
    if (got > 0) done += (size_t)got;
  }
  return 0;
}

int32_t bench_echo_start(bench_echo *out) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return errno;
  pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) {
    char bytes[64];
    close(pair[0]);
    while (whole(pair[1], bytes, sizeof(bytes), 0) == 0 && whole(pair[1], bytes, sizeof(bytes), 1) == 0) {
    }
    _exit(0);
  }
  close(pair[1]);
  *out = (bench_echo){.socket = pair[0], .process = child};
  return 0;
}

int32_t bench_echo_round(const bench_echo *echo) {
  char bytes[64] = {0};
  int error = whole(echo->socket, bytes, sizeof(bytes), 1);
  return error != 0 ? error : whole(echo->socket, bytes, sizeof(bytes), 0);
}

void bench_echo_stop(const bench_echo *echo) {
  close(echo->socket);
  while (waitpid(echo->process, NULL, 0) < 0 && errno == EINTR) {
  }
}
