#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PACKET_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)

static int fill_address(struct sockaddr_un *address, const char *path) {
  size_t length = strlen(path);
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (length == 0) return -EINVAL;
  if (length >= sizeof address->sun_path) return -ENAMETOOLONG;
  memcpy(address->sun_path, path, length + 1);
  return 0;
}

static int close_with(int descriptor, int result) {
  close(descriptor);
  return result;
}

int mh_packet_pair(int32_t ends[2]) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | PACKET_FLAGS, 0, pair) != 0) return -errno;
  ends[0] = pair[0];
  ends[1] = pair[1];
  return 0;
}

int mh_packet_connect(const char *path) {
  struct sockaddr_un address;
  int result = fill_address(&address, path);
  if (result < 0) return result;
  int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | PACKET_FLAGS, 0);
  if (descriptor < 0) return -errno;
  while (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
    if (errno != EINTR) return close_with(descriptor, -errno);
  return descriptor;
}

/* Whether somebody listens: connecting a socket of another type fails with EPROTOTYPE before the listener notices, and
 * with ECONNREFUSED if the file was left behind. */
static int is_stale(const struct sockaddr_un *address) {
  struct stat status;
  if (lstat(address->sun_path, &status) != 0) return errno == ENOENT;
  if (!S_ISSOCK(status.st_mode)) return 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | PACKET_FLAGS, 0);
  if (descriptor < 0) return -errno;
  int result = connect(descriptor, (const struct sockaddr *)address, sizeof *address);
  return close_with(descriptor, result != 0 && errno == ECONNREFUSED);
}

/* The folder of `path`, opened and locked, so that two listeners cannot both replace one stale file. */
static int lock_folder(const char *path) {
  char folder[PATH_MAX];
  const char *end = strrchr(path, '/');
  size_t length = end ? (size_t)(end - path) : 0;
  if (length >= sizeof folder) return -ENAMETOOLONG;
  memcpy(folder, path, length);
  folder[length] = 0;
  int descriptor = open(end ? (length ? folder : "/") : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  while (flock(descriptor, LOCK_EX) != 0)
    if (errno != EINTR) return close_with(descriptor, -errno);
  return descriptor;
}

static int bind_and_listen(int descriptor, const struct sockaddr_un *address, int backlog) {
  if (bind(descriptor, (const struct sockaddr *)address, sizeof *address) != 0) {
    if (errno != EADDRINUSE) return -errno;
    int stale = is_stale(address);
    if (stale <= 0) return stale < 0 ? stale : -EADDRINUSE;
    if (unlink(address->sun_path) != 0 && errno != ENOENT) return -errno;
    if (bind(descriptor, (const struct sockaddr *)address, sizeof *address) != 0) return -errno;
  }
  return listen(descriptor, backlog) == 0 ? 0 : -errno;
}

int mh_packet_listen(const char *path, int32_t backlog, uint64_t *device, uint64_t *inode) {
  struct sockaddr_un address;
  int result = fill_address(&address, path);
  if (result < 0) return result;
  int lock = lock_folder(path);
  if (lock < 0) return lock;
  int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | PACKET_FLAGS, 0);
  if (descriptor < 0) return close_with(lock, -errno);
  result = bind_and_listen(descriptor, &address, backlog);
  struct stat status;
  if (result == 0 && lstat(path, &status) != 0) result = -errno;
  close(lock);
  if (result < 0) return close_with(descriptor, result);
  *device = status.st_dev;
  *inode = status.st_ino;
  return descriptor;
}

int mh_packet_unlink(const char *path, uint64_t device, uint64_t inode) {
  int lock = lock_folder(path);
  if (lock < 0) return lock;
  struct stat status;
  int result = lstat(path, &status) == 0 ? 0 : -errno;
  if (result == 0 && status.st_dev == device && status.st_ino == inode)
    result = unlink(path) == 0 ? 0 : -errno;
  return close_with(lock, result);
}

int mh_packet_accept(int32_t socket) {
  int descriptor;
  do descriptor = accept4(socket, NULL, NULL, PACKET_FLAGS);
  while (descriptor < 0 && errno == EINTR);
  return descriptor < 0 ? -errno : descriptor;
}

int64_t mh_packet_receive(int32_t socket, void *buffer, size_t size) {
  ssize_t count;
  do count = recv(socket, buffer, size, MSG_DONTWAIT | MSG_TRUNC);
  while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : count;
}

int64_t mh_packet_send(int32_t socket, const void *bytes, size_t count) {
  ssize_t sent;
  do sent = send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int mh_packet_can_send(int32_t socket) {
  struct pollfd entry = {.fd = socket, .events = POLLOUT};
  int count;
  do count = poll(&entry, 1, 0);
  while (count < 0 && errno == EINTR);
  return count > 0;
}

int mh_packet_close(int32_t descriptor) { return close(descriptor) == 0 ? 0 : -errno; }

int mh_route_listen(void) {
  const int descriptor = socket(AF_NETLINK, SOCK_RAW | PACKET_FLAGS, NETLINK_ROUTE);
  if (descriptor < 0) return -errno;
  struct sockaddr_nl address;
  memset(&address, 0, sizeof address);
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return close_with(descriptor, -errno);
  return descriptor;
}

int mh_folder_watch(const char *path) {
  int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (watch < 0) return -errno;
  uint32_t events = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  return inotify_add_watch(watch, path, events) < 0 ? close_with(watch, -errno) : watch;
}

int mh_folder_changes(int32_t watch) {
  char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
  int result = -EAGAIN;
  for (;;) {
    ssize_t count = read(watch, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN ? result : -errno;
    for (ssize_t at = 0; at < count;) {
      const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
      if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) return 0;
      result = 1;
      at += (ssize_t)(sizeof *event + event->len);
    }
  }
}

int mh_poll_create(void) {
  int descriptor = epoll_create1(EPOLL_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

static int control(int poll, int operation, int descriptor, uint64_t token, uint32_t interest) {
  struct epoll_event event = {.events = EPOLLET, .data = {.u64 = token}};
  if (interest & MH_POLL_READABLE) event.events |= EPOLLIN | EPOLLRDHUP;
  if (interest & MH_POLL_WRITABLE) event.events |= EPOLLOUT;
  return epoll_ctl(poll, operation, descriptor, &event) == 0 ? 0 : -errno;
}

int mh_poll_add(int32_t poll, int32_t descriptor, uint64_t token, uint32_t interest) {
  return control(poll, EPOLL_CTL_ADD, descriptor, token, interest);
}

int mh_poll_change(int32_t poll, int32_t descriptor, uint64_t token, uint32_t interest) {
  return control(poll, EPOLL_CTL_MOD, descriptor, token, interest);
}

int mh_poll_remove(int32_t poll, int32_t descriptor) { return control(poll, EPOLL_CTL_DEL, descriptor, 0, 0); }

int mh_poll_wait(int32_t poll, uint64_t *tokens, uint32_t *ready, int32_t capacity) {
  struct epoll_event events[64];
  int limit = capacity < 64 ? capacity : 64;
  int count;
  do count = epoll_wait(poll, events, limit, -1);
  while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  for (int index = 0; index < count; index++) {
    uint32_t seen = events[index].events;
    uint32_t hangup = seen & (EPOLLHUP | EPOLLERR | EPOLLRDHUP);
    tokens[index] = events[index].data.u64;
    ready[index] = (seen & EPOLLIN || hangup ? MH_POLL_READABLE : 0) | (seen & EPOLLOUT || hangup ? MH_POLL_WRITABLE : 0);
  }
  return count;
}

int mh_socket_thread_start(const char *name, void *(*body)(void *), void *argument) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  int result = pthread_sigmask(SIG_SETMASK, &all, &before);
  if (result != 0) return -result;
  result = pthread_create(&thread, NULL, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (result != 0) return -result;
  pthread_setname_np(thread, name);
  pthread_detach(thread);
  return 0;
}

const char *mh_socket_errno_name(int32_t error) { return strerrorname_np(error); }

int mh_socket_make_folder(const char *path) {
  char prefix[PATH_MAX];
  size_t length = strlen(path);
  if (length == 0) return -EINVAL;
  if (length >= sizeof prefix) return -ENAMETOOLONG;
  memcpy(prefix, path, length + 1);
  for (size_t index = 1; index <= length; index++) {
    if (prefix[index] != '/' && prefix[index] != 0) continue;
    char kept = prefix[index];
    prefix[index] = 0;
    if (mkdir(prefix, 0700) != 0 && errno != EEXIST) return -errno;
    prefix[index] = kept;
  }
  struct stat status;
  if (stat(path, &status) != 0) return -errno;
  return S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}
