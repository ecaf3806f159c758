/* Unix-domain packet sockets and epoll without macros, variadics and errno.
 *
 * Every function returns a value >= 0, or -errno. Descriptors are non-blocking and close-on-exec.
 */
#ifndef METERHOST_CLINUX_SOCKETS_H
#define METERHOST_CLINUX_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

/* What mh_poll_wait reports and mh_poll_add and mh_poll_change ask for; hang-ups count as readable and writable. */
#define MH_POLL_READABLE 1
#define MH_POLL_WRITABLE 2

/* Two connected SOCK_SEQPACKET sockets. */
int mh_packet_pair(int32_t ends[2]);

/* A SOCK_SEQPACKET socket connected to `path`; -EAGAIN: the listener's queue is full. */
int mh_packet_connect(const char *path);

/* A listening SOCK_SEQPACKET socket bound to `path`. A socket file that nobody listens on is replaced; -EADDRINUSE: somebody
 * listens, or the file is no socket. Writes the identity of the bound file. */
int mh_packet_listen(const char *path, int32_t backlog, uint64_t *device, uint64_t *inode);

/* Removes `path` if it is still the file with this identity. */
int mh_packet_unlink(const char *path, uint64_t device, uint64_t inode);

/* The next waiting connection. */
int mh_packet_accept(int32_t socket);

/* One packet into `buffer`; the result is the packet's whole length even if it was cut to `size`; 0: the peer closed. */
int64_t mh_packet_receive(int32_t socket, void *buffer, size_t size);

/* Sends one packet; never raises SIGPIPE. */
int64_t mh_packet_send(int32_t socket, const void *bytes, size_t count);

/* Whether a packet could be sent now: 1 or 0; a hang-up counts as 1, since sending will say so. */
int mh_packet_can_send(int32_t socket);

int mh_packet_close(int32_t descriptor);

/* A non-blocking socket that hears of links and of addresses of both families (rtnetlink(7)); read it with
 * mh_packet_receive. */
int mh_route_listen(void);

/* A non-blocking inotify instance that hears what comes into the folder `path`, and when the folder goes. */
int mh_folder_watch(const char *path);

/* Reads all that has been heard: 1: something has come, or was lost count of; 0: the folder has gone; -EAGAIN: nothing. */
int mh_folder_changes(int32_t watch);

/* An epoll instance. */
int mh_poll_create(void);

/* Adds a descriptor, edge-triggered, under a token; or changes what is asked for; or removes it. */
int mh_poll_add(int32_t poll, int32_t descriptor, uint64_t token, uint32_t interest);
int mh_poll_change(int32_t poll, int32_t descriptor, uint64_t token, uint32_t interest);
int mh_poll_remove(int32_t poll, int32_t descriptor);

/* Waits for events without limit; retries EINTR. Returns how many of `tokens` and `ready` were written. */
int mh_poll_wait(int32_t poll, uint64_t *tokens, uint32_t *ready, int32_t capacity);

/* Starts a detached thread with every signal blocked. */
int mh_socket_thread_start(const char *name, void *(*body)(void *), void *argument);

/* The symbolic name of an errno value such as "ECONNREFUSED", or NULL. */
const char *mh_socket_errno_name(int32_t error);

/* The path's folders, each with mode 0700 where it is missing; -ENOTDIR if one of them is something else. */
int mh_socket_make_folder(const char *path);

#endif
