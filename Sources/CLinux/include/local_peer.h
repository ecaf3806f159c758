/* Whose process is at the other end of a connection within this machine. */
#ifndef CLINUX_LOCAL_PEER_H
#define CLINUX_LOCAL_PEER_H

#include <stdint.h>

/* A TCP socket of this machine, as sock_diag(7) tells everybody. */
typedef struct clinux_tcp_socket {
  /* The user of the process that accepted the connection, or that listens. Without an inode it says nothing. */
  uint32_t user;
  /* 0: no process has the socket, such as one that waits to be accepted. */
  uint32_t inode;
  /* Whether it is a listener. */
  uint32_t is_listener;
} clinux_tcp_socket;

/* The socket whose own end is `local` and whose other end is `remote`; when there is none, the listener to which the kernel
 * would give such a connection. `family` is AF_INET or AF_INET6, addresses have 4 or 16 bytes, ports the host's byte order.
 * Returns 0 or -errno; -ENOENT: there is no such socket, or this kernel does not tell. */
int clinux_find_tcp_socket(int family, const uint8_t *local, uint16_t local_port, const uint8_t *remote,
                           uint16_t remote_port, clinux_tcp_socket *found);

/* A stream socket for Unix addresses, closed on exec. Returns the descriptor or -errno. */
int clinux_open_stream(void);

/* The user who listened at the other end of a connected Unix socket. Returns 0 or -errno. */
int clinux_stream_peer(int descriptor, uint32_t *user);

#endif
