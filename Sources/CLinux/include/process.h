/* Child processes that can be waited for and killed without a race over their number. */
#ifndef CLINUX_PROCESS_H
#define CLINUX_PROCESS_H

#include <stdint.h>

/* How a child ended. */
typedef struct clinux_exit {
  /* 1: exited by itself with `code`; 2: killed by signal `code`. */
  int32_t how;
  int32_t code;
} clinux_exit;

/* A child that has not been taken away by clinux_reap: after that its number could be somebody else's. */
typedef struct clinux_child {
  int32_t pidfd;
  int32_t number;
} clinux_child;

/* Starts `path` with nothing but what is given: the environment, standard streams on /dev/null, descriptors[i] as
 * first + i, every other descriptor closed, no signal blocked or ignored, a process group of its own, which has
 * its number. To the kernel its parent is a thread that lives as long as this process. Returns 0 or -errno; `started` is filled
 * on success, and its pidfd is the caller's to close. */
int clinux_spawn(const char *path, char *const arguments[], char *const environment[], const int *descriptors,
                 int count, int first, clinux_child *started);

/* As clinux_spawn, for a program that somebody has chosen: one whose file cannot be read for now, as on a file system that hangs,
 * holds this caller up, and no other start. To the kernel its parent is the calling thread: clinux_live_with_peer is not for it. */
int clinux_spawn_here(const char *path, char *const arguments[], char *const environment[], const int *descriptors,
                      int count, int first, clinux_child *started);

/* Sends a signal. Returns 0 or -errno. */
int clinux_signal(int pidfd, int number);

/* Sends a signal to the child's whole process group: it and all that it has started and left there. Returns 0 or -errno. */
int clinux_signal_group(clinux_child child, int number);

/* From now on the child may use so much more CPU time, and up to two seconds: the kernel counts it by whole ones. Then it gets
 * SIGXCPU. It has no part in that, other than in clinux_cpu_budget. Returns 0 or -errno. */
int clinux_grant_cpu(clinux_child child, uint32_t milliseconds);

/* Waits for the end of the child and takes its remains away. wait 0: -EAGAIN when it still runs. Returns 0 or -errno. */
int clinux_reap(int pidfd, int wait, clinux_exit *how);

/* A connected pair of stream sockets, closed on exec. Returns 0 or -errno. */
int clinux_stream_pair(int pair[2]);

/* A pipe, closed on exec. Neither end waits: a writer whose reader is slow loses what it writes. Returns 0 or -errno. */
int clinux_output_pipe(int pair[2]);

/* Sends an open descriptor over a connected socket, with one byte beside it. Returns 0 or -errno. */
int clinux_send_descriptor(int socket, int descriptor);

/* Waits for a descriptor that was sent so; it is closed on exec. -EPIPE: the peer is gone; -EPROTO: it sent something else. */
int clinux_receive_descriptor(int socket);

/* Writes of stdio reach standard output line by line, whatever it is. */
void clinux_print_by_lines(void);

/* "SIGSEGV" for 11; "SIG99" style names are made by the caller when this is NULL. */
const char *clinux_signal_name(int number);

/* Ends this process with SIGPROF once it has used `microseconds` of CPU time from now on; 0: no longer. Code in this process
 * can take that back. */
int clinux_cpu_budget(int64_t microseconds);

/* No core file of this process and no look into its memory for others of the same user, for good; programs that it starts
 * have no core files either. Returns 0 or -errno. */
int clinux_keep_memory_private(void);

/* The calling thread, and threads that it starts, keep the capabilities that they have, and programs that they start get none of them:
 * a service manager hands them over as ambient ones, which go on to everything that is started (capabilities(7)). Kernels without
 * ambient capabilities hand none on. Returns 0 or -errno. */
int clinux_pass_no_rights_on(void);

/* CPU time that this process has used, in nanoseconds. */
int64_t clinux_cpu_time(void);

/* Monotonic clock in nanoseconds. */
int64_t clinux_monotonic(void);

/* `count` random bytes from the kernel. Returns 0 or -errno. */
int clinux_random(void *out, uint64_t count);

/* For a worker that clinux_spawn has started, before it runs what it does not trust: the kernel kills it when its parent is gone.
 * And a thread ends it as soon as the peer of `socket`, the parent, has closed that, even while the main thread loops; code that
 * runs in this process can keep that thread from it. Exits with 0 when the peer is gone already. Returns 0 or -errno. */
int clinux_live_with_peer(int socket);

#endif
