#include "cbluetooth.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/l2cap.h>

#define SOCKET_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)
#define ATT_CHANNEL 4
#define CONTROL_QUEUE_BYTES (4 << 20)

static int close_with(int descriptor, int result) {
  close(descriptor);
  return result;
}

int mh_bluetooth_control_open(void) {
  int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCKET_FLAGS, BTPROTO_HCI);
  if (descriptor < 0) return -errno;
  struct sockaddr_hci address;
  memset(&address, 0, sizeof address);
  address.hci_family = AF_BLUETOOTH;
  address.hci_dev = HCI_DEV_NONE;
  address.hci_channel = HCI_CHANNEL_CONTROL;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return close_with(descriptor, -errno);
  /* Advertisements and answers share the queue, and what finds no room in it is lost without a word. */
  const int room = CONTROL_QUEUE_BYTES;
  if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  return descriptor;
}

static struct sockaddr_l2 att_address(const uint8_t bytes[6], uint8_t type) {
  struct sockaddr_l2 address;
  memset(&address, 0, sizeof address);
  address.l2_family = AF_BLUETOOTH;
  address.l2_cid = htobs(ATT_CHANNEL);
  address.l2_bdaddr_type = type;
  memcpy(&address.l2_bdaddr, bytes, 6);
  return address;
}

int mh_bluetooth_att_open(const uint8_t adapter[6], uint8_t adapter_type) {
  int descriptor = socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCKET_FLAGS, BTPROTO_L2CAP);
  if (descriptor < 0) return -errno;
  struct sockaddr_l2 address = att_address(adapter, adapter_type);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return close_with(descriptor, -errno);
  return descriptor;
}

int mh_bluetooth_att_connect(int32_t socket, const uint8_t peer[6], uint8_t peer_type) {
  struct sockaddr_l2 address = att_address(peer, peer_type);
  return connect(socket, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : -errno;
}

int mh_bluetooth_take_error(int32_t socket) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return -errno;
  return -error;
}

int mh_bluetooth_security(int32_t socket) {
  struct bt_security security;
  socklen_t length = sizeof security;
  memset(&security, 0, sizeof security);
  if (getsockopt(socket, SOL_BLUETOOTH, BT_SECURITY, &security, &length) != 0) return -errno;
  return security.level;
}

int mh_bluetooth_request_security(int32_t socket, uint8_t level) {
  struct bt_security security;
  memset(&security, 0, sizeof security);
  security.level = level;
  return setsockopt(socket, SOL_BLUETOOTH, BT_SECURITY, &security, sizeof security) == 0 ? 0 : -errno;
}

int mh_bluetooth_poll(int32_t socket) {
  struct pollfd entry = {.fd = socket, .events = POLLOUT};
  int count;
  do count = poll(&entry, 1, 0);
  while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  int seen = entry.revents & POLLOUT ? MH_BLUETOOTH_WRITABLE : 0;
  if (entry.revents & (POLLERR | POLLHUP | POLLNVAL)) seen |= MH_BLUETOOTH_HUNG_UP;
  return seen;
}
