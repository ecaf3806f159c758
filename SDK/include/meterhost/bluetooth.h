/* A Bluetooth LE driver: a state machine without input or output of its own.
 *
 * The host owns the radio. It hands the driver one fact at a time (mh_event) and carries out, in order, the actions
 * that the driver put into the sink. The output of one event is one unit: records and key/values are on disk before
 * any of its actions, or the confirmation of the indication that caused it, reaches the meter (rule R25).
 */
#ifndef METERHOST_BLUETOOTH_H
#define METERHOST_BLUETOOTH_H

#include "host.h"
#include "output.h"
#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Driver-owned, opaque to the host. */
typedef struct mh_session mh_session;

/* Why a session is opened. */
#define MH_PURPOSE_READ 1u
#define MH_PURPOSE_PAIR 2u
/* Read whenever the meter is there. Hosts so far open such reads with MH_PURPOSE_READ. */
#define MH_PURPOSE_PASSIVE 3u
/* Set the meter's clock, read nothing. Hosts so far set it within a read (MH_PARAM_SET_CLOCK). */
#define MH_PURPOSE_CLOCK 4u
/* No meter is behind it: values that a tool has decoded. */
#define MH_PURPOSE_TEST 5u
/* 6 and 7 belong to drafts. */

/* How far the host's own clock can be trusted. */
#define MH_CLOCK_UNKNOWN 0u
#define MH_CLOCK_SYNCHRONISED 1u

/* Bluetooth address types and security levels (Core Specification, Vol 3 Part C 10.2). */
#define MH_ADDRESS_PUBLIC 0u
#define MH_ADDRESS_RANDOM 1u
#define MH_SECURITY_NONE 1u
#define MH_SECURITY_ENCRYPTED 2u
#define MH_SECURITY_AUTHENTICATED 3u

/* Names of parameters (mh_param.name). The registry chooses quirks by the meter's name and manufacturer. */
/* i != 0: only the context packet tells the analyte; without it nothing is delivered and the cursor stays (R26). */
#define MH_PARAM_CONTEXT_DECIDES 1u
/* i: the reserved meal code that marks a ketone reading (value = mg/dL field / 10 mmol/L). */
#define MH_PARAM_KETONE_MEAL_CODE 2u
/* i: the user slot of the meter that belongs to the session's user. */
#define MH_PARAM_USER_SLOT 3u
/* i != 0: the meter refuses RACP operator "greater than or equal": ask for all and filter. */
#define MH_PARAM_RACP_ALL_ONLY 4u
/* i != 0: the meter has no clock: ignore the times it sends. */
#define MH_PARAM_NO_CLOCK 5u
/* i != 0: read the meter's clock and set it to the host's; only while the host's clock is synchronised. */
#define MH_PARAM_SET_CLOCK 6u
/* First name of a driver's own parameters, declared in its registry entry. */
#define MH_PARAM_VENDOR 0x8000u

#define MH_PARAM_TYPE_INTEGER 1u
#define MH_PARAM_TYPE_FLOAT 2u
#define MH_PARAM_TYPE_BYTES 3u
#define MH_PARAM_TYPE_TEXT 4u

/* One typed parameter: `type` says which of i, f and b holds it (bytes and UTF-8 text both in b). */
typedef struct mh_param {
  uint16_t name;
  uint16_t type;
  uint32_t reserved;
  int64_t i;
  double f;
  mh_bytes b;
} mh_param;

/* Everything that a driver may know when a session opens or a value is decoded (rule R9). No JSON crosses the line. */
typedef struct mh_open {
  uint32_t struct_size;
  uint32_t peripheral_id;
  uint32_t purpose;
  uint32_t clock_trust;
  /* This session's handle for kv_get and kv_set. */
  uint64_t peer;
  /* The host's clock at opening, microseconds since 1970-01-01T00:00Z, and how far local time is ahead of UTC. */
  int64_t unix_us;
  /* Wanted interval in UTC microseconds, its start included and its end not; INT64_MIN and INT64_MAX: no bound. limit:
   * at most so many readings in the order in which the meter sends them, 0: all. The host leaves out what is
   * outside. */
  int64_t since_us;
  int64_t until_us;
  int32_t utc_offset_s;
  uint32_t limit;
  /* In the order in which people write it; of a meter with private addresses its identity address once it is bonded. */
  uint8_t address[6];
  uint8_t address_type;
  uint8_t security;
  uint32_t n_params;
  uint32_t reserved;
  /* From the Device Information Service (2A29, 2A24), empty when unknown. */
  mh_str manufacturer;
  mh_str model;
  /* GAP device name (2A00) where it was read, else the advertised one; and the name in the advertisement. */
  mh_str name;
  mh_str advertised_name;
  /* The data of the report that was heard last before opening; what else the meter advertises is not in it. */
  mh_bytes advertisement;
  const mh_param *params;
} mh_open;

/* A service and a characteristic that the meter really has; only those that the registry lists for the driver. */
typedef struct mh_service {
  uint16_t first_handle;
  uint16_t last_handle;
  uint32_t reserved;
  mh_uuid uuid;
} mh_service;

/* Characteristic properties (Core Specification, Vol 3 Part G 3.3.1.1). */
#define MH_PROP_READ 0x02u
#define MH_PROP_WRITE_NO_RESPONSE 0x04u
#define MH_PROP_WRITE 0x08u
#define MH_PROP_NOTIFY 0x10u
#define MH_PROP_INDICATE 0x20u

typedef struct mh_characteristic {
  /* Handle of the value; what notifications and actions name. */
  uint16_t handle;
  uint16_t properties;
  uint32_t service_index;
  mh_uuid uuid;
} mh_characteristic;

/* Events. Fields not named for an event are zero. */
/* The link is up. mtu: ATT_MTU; a write without response carries 3 bytes less. */
#define MH_EV_CONNECTED 1u
/* Security changed. status: MH_SECURITY_*; token of MH_DO_PAIR when it answers one. */
#define MH_EV_ENCRYPTED 2u
/* services, characteristics. The first moment to act. */
#define MH_EV_SERVICES 3u
/* The meter's services changed: every handle is void and what waited for the meter is dropped. MH_EV_SERVICES
 * follows. */
#define MH_EV_SERVICE_CHANGED 4u
/* mtu; token of MH_DO_MTU when it answers one, also when the meter refused and nothing changed. */
#define MH_EV_MTU 5u
/* Answers MH_DO_SUBSCRIBE and MH_DO_UNSUBSCRIBE. token, handle; status: 0 or the ATT error code. */
#define MH_EV_SUBSCRIBED 6u
/* handle, value. */
#define MH_EV_NOTIFICATION 7u
/* handle, value. Confirmed to the meter after this event's unit is on disk. */
#define MH_EV_INDICATION 8u
/* token, handle, value; status: 0 or the ATT error code. */
#define MH_EV_READ 9u
/* token, handle; status: 0 or the ATT error code. */
#define MH_EV_WROTE 10u
/* token of the timer that ran out. */
#define MH_EV_TIMER 11u
/* The only fact of a session without a connection (MH_CAP_ADVERTISEMENT_ONLY). The session's address sent it; repeats
 * of the same bytes are left out, changed ones never. value: the data of one report, advertisement or scan response;
 * status: RSSI in dBm, 127 when unknown. */
#define MH_EV_ADVERTISEMENT 12u
/* token: prompt id; value: what the person entered, empty when the host keeps it under a name; status 0, MH_E_DENIED
 * when they refused, or MH_E_UNSUPPORTED when nobody can be asked (passive reading). */
#define MH_EV_USER_INPUT 13u
/* The caller gives up: end within token nanoseconds. */
#define MH_EV_CANCEL 14u
/* The last event of a session: the link is gone, or the meter has stopped advertising. status: reason (HCI code). What
 * was asked of the meter gets no answer any more. Records, key/values, finish and fail only. */
#define MH_EV_DISCONNECTED 15u
/* 16 belongs to the draft in draft/resume.h. */
/* The sink has room again after MH_E_FULL. seq and clocks of the event that it goes on with. */
#define MH_EV_CONTINUE 17u

typedef struct mh_event {
  uint32_t struct_size;
  uint32_t kind;
  /* Counts the events of a session from 1. */
  uint64_t seq;
  /* Echoes the action's token. */
  uint64_t token;
  /* The only clocks that a driver has (rule R8). */
  uint64_t mono_ns;
  int64_t unix_us;
  int32_t status;
  uint16_t handle;
  uint16_t mtu;
  mh_bytes value;
  const mh_service *services;
  const mh_characteristic *characteristics;
  uint32_t n_services;
  uint32_t n_characteristics;
} mh_event;

/* Actions. token may be any number and comes back in the event that answers. Every other field that an action does not
 * name is zero, so that a later minor can give it a meaning. Actions that ask the meter for something are carried out
 * one after the other, in order; the others at once. */
/* handle. The host writes 0001 or 0002 to the CCCD by the characteristic's properties. Answer: MH_EV_SUBSCRIBED. */
#define MH_DO_SUBSCRIBE 1u
#define MH_DO_UNSUBSCRIBE 2u
/* handle. Long values are read to their end. Answer: MH_EV_READ. */
#define MH_DO_READ 3u
/* handle, value. Answer: MH_EV_WROTE. */
#define MH_DO_WRITE 4u
/* handle, value. No answer. */
#define MH_DO_WRITE_NO_RESPONSE 5u
/* arg: wanted MTU, 23 to 517. Answer: MH_EV_MTU. */
#define MH_DO_MTU 6u
/* flags: MH_PAIR_*. What comes of it depends on the meter as well: see the level in the answer. Answer:
 * MH_EV_ENCRYPTED, or the session ends with a pairing failure. */
#define MH_DO_PAIR 7u
/* token, arg: nanoseconds from this event's mono_ns. Answer: MH_EV_TIMER. Replaces the timer of the same token. */
#define MH_DO_TIMER 8u
/* token. */
#define MH_DO_CANCEL_TIMER 9u
/* The moment to measure: the host tells the person. */
#define MH_DO_READY 10u
/* arg: done, arg2: total (0: unknown). */
#define MH_DO_PROGRESS 11u
/* token: prompt id, code: MH_ASK_*, flags: MH_ASK_SECRET, arg and arg2: least and greatest length (at most
 * MH_VALUE_MAX), text: the prompt. value: empty, or the name under which the host keeps the answer instead of handing
 * it over: a key under "user/secret/" or "meter/secret/", which is then used by name only (crypto.h), or
 * "credential/NAME", whose form and use the registry tells. Answer: MH_EV_USER_INPUT. */
#define MH_DO_ASK_USER 12u
/* Everything that was wanted has been read: success. Requests in front of it still go out, what stands behind it is
 * left out; only close follows. */
#define MH_DO_FINISH 13u
/* code: MH_FAIL_*, arg: the driver's own sub-code, text: for the person. Only close follows. */
#define MH_DO_FAIL 14u

#define MH_PAIR_BOND 0x1u
#define MH_PAIR_MITM 0x2u
/* Decimal digits: a passkey, a consent code. ASCII as they were typed, leading zeros too. Lengths count digits. */
#define MH_ASK_PASSKEY 1
/* Hexadecimal digits, handed over and kept as bytes. Lengths count digits. */
#define MH_ASK_HEX_KEY 2
/* The text of a QR code, scanned or typed. Lengths count bytes. */
#define MH_ASK_QR 3
/* One of several answers: the prompt's lines after the first. The answer is its number from 1, one byte. */
#define MH_ASK_CHOICE 4
#define MH_ASK_SECRET 0x1u

/* Codes of MH_DO_FAIL. */
#define MH_FAIL_COMMUNICATION 1
#define MH_FAIL_NO_READING 2
#define MH_FAIL_TIMEOUT 3
#define MH_FAIL_UNSUPPORTED_METER 4
#define MH_FAIL_KEY_MISSING 5
#define MH_FAIL_KEY_WRONG 6
#define MH_FAIL_METER_ERROR 7
#define MH_FAIL_PAIRING 8
/* The licence file is missing, damaged, out of date, or another product's. */
#define MH_FAIL_LICENCE 9
/* The meter answers paired hosts only. */
#define MH_FAIL_NOT_PAIRED 10
/* The person refused what was asked. */
#define MH_FAIL_REFUSED 11
/* Which of the meter's users the reading is for is not known, or the meter does not agree. */
#define MH_FAIL_OWNER 12

/* The most actions that one event may produce, all its rounds together (rule R11). */
#define MH_ACTIONS_MAX 32u
/* The most bytes of an action's value, the longest attribute there is (Core Specification, Vol 3 Part F 3.2.9), and of
 * its text. A write that is longer than the MTU becomes a long one. */
#define MH_ACTION_VALUE_MAX 512u
#define MH_ACTION_TEXT_MAX 512u
/* The most requests to the meter that may wait in a session. */
#define MH_REQUESTS_MAX 1024u
/* The most timers of a session, and the longest: a day. */
#define MH_TIMERS_MAX 64u
#define MH_TIMER_NS_MAX 86400000000000u

typedef struct mh_action {
  uint32_t struct_size;
  uint32_t kind;
  uint64_t token;
  uint64_t arg;
  uint64_t arg2;
  uint16_t handle;
  uint16_t flags;
  int32_t code;
  mh_bytes value;
  mh_str text;
} mh_action;

/* Flags of a slice. */
/* The bytes are an advertisement's service data without its UUID; `characteristic` is the service's id. */
#define MH_SLICE_SERVICE_DATA 0x1u

/* One characteristic value inside the arena that decode gets. A flag that the driver does not know or does not expect:
 * status MH_E_UNSUPPORTED. */
typedef struct mh_slice {
  uint32_t off;
  uint32_t len;
  /* Time of arrival, microseconds since 1970-01-01T00:00Z. */
  int64_t t_us;
  /* The characteristic's 16-bit Bluetooth SIG id, or the registry's index of it from 0x8000 on for vendor UUIDs. */
  uint16_t characteristic;
  uint16_t flags;
  /* Out: MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL, MH_E_UNSUPPORTED: why this value yielded no record. */
  int32_t status;
  /* Out: place of this slice's first record in the sink and how many; records of one slice are neighbours. */
  uint32_t first_record;
  uint32_t n_records;
} mh_slice;

typedef struct mh_bluetooth {
  uint32_t struct_size;
  uint32_t reserved;
  /* Starts a session. MH_E_UNSUPPORTED: not for this purpose or meter. On anything but MH_OK nothing is kept and *out
   * is not touched. Everything that `opening` points to is borrowed for the call; a kv_set joins the first event's
   * unit. */
  int32_t (*open)(const mh_host *host, const mh_open *opening, mh_session **out);
  /* One fact in, one unit out. Bounded work, no blocking. MH_OK; MH_E_FULL (see mh_sink); MH_E_PROTOCOL: the meter's
   * bytes are refused, the unit is taken and the session goes on; MH_E_UNSUPPORTED: an event that the driver does not
   * know, nothing was put out, the session goes on. Anything else ends the session and nothing of the unit is taken. */
  int32_t (*event)(mh_session *session, const mh_event *event, mh_sink *sink);
  /* Ends a session: once for every successful open, never during a call, also in the middle of MH_E_FULL. Nothing of it
   * is left, and nothing that it asks for is done. */
  void (*close)(mh_session *session);
  /* Decodes many characteristic values in one call; pure and re-entrant (rule R14): of the host only log and asset
   * work. Of `opening` only what describes the meter means something. Stops at a full sink: *n_done says how many
   * slices were finished, and the call returns MH_OK or, with n_done < n, MH_E_FULL; the slice at n_done is not touched
   * then. MH_E_ARG for a slice outside of the arena. */
  int32_t (*decode)(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                    uint64_t *n_done);
} mh_bluetooth;

#ifdef __cplusplus
}
#endif
#endif
