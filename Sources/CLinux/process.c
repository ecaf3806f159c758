#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int clinux_signal(int pidfd, int number) { return pidfd_send_signal(pidfd, number, NULL, 0) < 0 ? -errno : 0; }

int clinux_signal_group(clinux_child child, int number) {
  return child.number <= 1 ? -ESRCH : kill(-child.number, number) < 0 ? -errno : 0;
}

int clinux_grant_cpu(clinux_child child, uint32_t milliseconds) {
  clockid_t clock;
  struct timespec used;
  struct rlimit most;
  int error = clock_getcpuclockid(child.number, &clock);
  if (error) return -error;
  if (clock_gettime(clock, &used) < 0 || prlimit(child.number, RLIMIT_CPU, NULL, &most) < 0) return -errno;
  /* The limit has whole seconds, and none of those that were granted is taken away by that. */
  rlim_t seconds = (rlim_t)used.tv_sec + ((rlim_t)used.tv_nsec / 1000000 + milliseconds + 999) / 1000 + 1;
  most.rlim_cur = seconds < most.rlim_max ? seconds : most.rlim_max;
  return prlimit(child.number, RLIMIT_CPU, &most, NULL) < 0 ? -errno : 0;
}

int clinux_reap(int pidfd, int wait, clinux_exit *how) {
  siginfo_t info;
  int result;
  do {
    memset(&info, 0, sizeof info);
    result = waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | (wait ? 0 : WNOHANG));
  } while (result < 0 && errno == EINTR);
  if (result < 0) return -errno;
  if (info.si_pid == 0) return -EAGAIN;
  how->how = info.si_code == CLD_EXITED ? 1 : 2;
  how->code = info.si_status;
  return 0;
}

int clinux_stream_pair(int pair[2]) {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
  /* A batch of decoded records fits one fill where the system allows it; a smaller buffer only costs more wake-ups. */
  int room = 1 << 20;
  for (int i = 0; i < 2; i++) {
    setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  }
  return 0;
}

int clinux_output_pipe(int pair[2]) { return pipe2(pair, O_CLOEXEC | O_NONBLOCK) < 0 ? -errno : 0; }

union descriptor_message {
  struct cmsghdr head;
  char room[CMSG_SPACE(sizeof(int))];
};

int clinux_send_descriptor(int socket, int descriptor) {
  char byte = 0;
  struct iovec content = {&byte, 1};
  union descriptor_message control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof descriptor), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.head), &descriptor, sizeof descriptor);
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : 0;
}

int clinux_receive_descriptor(int socket) {
  char byte;
  struct iovec content = {&byte, 1};
  union descriptor_message control;
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return -errno;
  if (got == 0) return -EPIPE;
  const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
      head->cmsg_len != CMSG_LEN(sizeof(int)))
    return -EPROTO;
  int descriptor;
  memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  return descriptor;
}

void clinux_print_by_lines(void) {
  /* Its own buffer: stdio would look at the descriptor to choose one, with a system call that may be gone by then. */
  static char room[BUFSIZ];
  setvbuf(stdout, room, _IOLBF, sizeof room);
}

const char *clinux_signal_name(int number) {
  static const struct {
    int number;
    const char *name;
  } names[] = {{SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGHUP, "SIGHUP"},
               {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"}, {SIGPIPE, "SIGPIPE"},
               {SIGPROF, "SIGPROF"}, {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"},
               {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"}};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].number == number) return names[i].name;
  return NULL;
}

int clinux_cpu_budget(int64_t microseconds) {
  struct itimerval budget = {{0, 0}, {microseconds / 1000000, microseconds % 1000000}};
  return setitimer(ITIMER_PROF, &budget, NULL) < 0 ? -errno : 0;
}

static int64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int clinux_keep_memory_private(void) {
  struct rlimit none = {0, 0};
  /* A core file that goes to a program through a pipe (core(5)) is not held by its limit, but by the other. */
  return setrlimit(RLIMIT_CORE, &none) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0;
}

int clinux_pass_no_rights_on(void) {
  return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL ? -errno : 0;
}

int64_t clinux_cpu_time(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

int64_t clinux_monotonic(void) { return nanoseconds(CLOCK_MONOTONIC); }

int clinux_random(void *out, uint64_t count) {
  for (uint64_t done = 0; done < count;) {
    ssize_t got = getrandom((char *)out + done, count - done, 0);
    if (got < 0 && errno != EINTR) return -errno;
    if (got > 0) done += (uint64_t)got;
  }
  return 0;
}

/* Whatever runs in this process by then, and has made of it. */
static int die_with_parent(int socket) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) return -errno;
  /* A parent that has ended before that sends nothing. It closes its descriptors before it is counted as gone. */
  struct pollfd peer = {socket, POLLRDHUP, 0};
  int ready;
  do ready = poll(&peer, 1, 0);
  while (ready < 0 && errno == EINTR);
  return ready < 0 ? -errno : ready > 0 ? -EPIPE : 0;
}

struct watch {
  int socket;
  sem_t runs;
};

static void *watch_peer(void *argument) {
  struct watch *watch = argument;
  struct pollfd peer = {watch->socket, POLLRDHUP, 0};
  sem_post(&watch->runs);
  while (poll(&peer, 1, -1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

int clinux_live_with_peer(int socket) {
  int dies = die_with_parent(socket);
  if (dies == -EPIPE) _exit(0);
  if (dies < 0) return dies;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  /* Waits until the thread runs: one that still starts needs system calls that may be taken away in the next moment. */
  struct watch watch = {.socket = socket};
  sem_init(&watch.runs, 0, 0);
  pthread_t watcher;
  int error = pthread_create(&watcher, &attributes, watch_peer, &watch);
  while (!error && sem_wait(&watch.runs) < 0 && errno == EINTR) {
  }
  sem_destroy(&watch.runs);
  pthread_attr_destroy(&attributes);
  return -error;
}
