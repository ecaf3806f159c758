/* The kernel's Bluetooth sockets without macros, packed structures and errno.
 *
 * Every function returns a value >= 0, or -errno. Descriptors are non-blocking and close-on-exec. Addresses have six bytes, least
 * significant first; their types are the kernel's: 1 LE public, 2 LE random.
 */
#ifndef METERHOST_CBLUETOOTH_H
#define METERHOST_CBLUETOOTH_H

#include <stdint.h>

/* Levels of BT_SECURITY. */
#define MH_BLUETOOTH_SECURITY_LOW 1
#define MH_BLUETOOTH_SECURITY_MEDIUM 2
#define MH_BLUETOOTH_SECURITY_HIGH 3

/* The control channel to the kernel's Bluetooth management interface. -EAFNOSUPPORT: the kernel has no Bluetooth. */
int mh_bluetooth_control_open(void);

/* A packet socket for the fixed channel that carries ATT (Core Specification, Vol 3 Part A 2.1: channel 4), bound to an adapter by
 * its identity address. */
int mh_bluetooth_att_open(const uint8_t adapter[6], uint8_t adapter_type);

/* Starts to connect; -EINPROGRESS: it becomes writable when it is connected or has failed. */
int mh_bluetooth_att_connect(int32_t socket, const uint8_t peer[6], uint8_t peer_type);

/* What the socket failed with since the last question, negative; 0: nothing. */
int mh_bluetooth_take_error(int32_t socket);

/* The security level of the socket's link. */
int mh_bluetooth_security(int32_t socket);

/* Asks for a security level; the socket becomes writable again when the link has it. */
int mh_bluetooth_request_security(int32_t socket, uint8_t level);

/* Bits of mh_bluetooth_poll. */
#define MH_BLUETOOTH_WRITABLE 1
#define MH_BLUETOOTH_HUNG_UP 2

/* What is true of the socket now. */
int mh_bluetooth_poll(int32_t socket);

#endif
