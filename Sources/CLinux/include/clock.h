/* Whether the kernel's clock can be believed. */
#ifndef CLINUX_CLOCK_H
#define CLINUX_CLOCK_H

/* 1 when a time source disciplines CLOCK_REALTIME (adjtimex(2)), else 0. */
int mh_clock_is_disciplined(void);

#endif
