#define _GNU_SOURCE
#include "local_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The loopback interface has this number in every network namespace. A socket that is bound to it is found no other way. */
enum { loopback_interface = 1 };

struct question {
  struct nlmsghdr header;
  struct inet_diag_req_v2 body;
};

static int read_answer(int descriptor, clinux_tcp_socket *found) {
  union {
    struct nlmsghdr header;
    char bytes[8192];
  } answer;
  struct sockaddr_nl sender = {0};
  struct iovec part = {&answer, sizeof answer};
  struct msghdr message = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1};
  /* The kernel has answered before the question's send returns. */
  const ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT);
  if (count < 0) return -errno;
  if (sender.nl_pid != 0 || !NLMSG_OK(&answer.header, (size_t)count)) return -EPROTO;
  const size_t length = answer.header.nlmsg_len - NLMSG_HDRLEN;
  if (answer.header.nlmsg_type == NLMSG_ERROR) {
    if (length < sizeof(struct nlmsgerr)) return -EPROTO;
    const int error = ((const struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
    return error < 0 ? error : -EPROTO;
  }
  if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY || length < sizeof(struct inet_diag_msg)) return -EPROTO;
  const struct inet_diag_msg *facts = NLMSG_DATA(&answer.header);
  found->user = facts->idiag_uid;
  found->inode = facts->idiag_inode;
  found->is_listener = facts->idiag_state == TCP_LISTEN;
  return 0;
}

int clinux_find_tcp_socket(int family, const uint8_t *local, uint16_t local_port, const uint8_t *remote,
                           uint16_t remote_port, clinux_tcp_socket *found) {
  const size_t width = family == AF_INET ? 4 : 16;
  struct question question = {
      .header = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
      .body = {.sdiag_family = (uint8_t)family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0U}};
  question.body.id.idiag_sport = htons(local_port);
  question.body.id.idiag_dport = htons(remote_port);
  memcpy(question.body.id.idiag_src, local, width);
  memcpy(question.body.id.idiag_dst, remote, width);
  question.body.id.idiag_if = loopback_interface;
  question.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  question.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;

  const int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (descriptor < 0) return -errno;
  const ssize_t sent = send(descriptor, &question, sizeof question, 0);
  const int result = sent == (ssize_t)sizeof question ? read_answer(descriptor, found) : sent < 0 ? -errno : -EIO;
  close(descriptor);
  return result;
}

int clinux_open_stream(void) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return descriptor < 0 ? -errno : descriptor;
}

int clinux_stream_peer(int descriptor, uint32_t *user) {
  struct ucred listener;
  socklen_t size = sizeof listener;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &listener, &size) < 0) return -errno;
  *user = listener.uid;
  return 0;
}
