/* Which driver call the current thread is inside: host services answer only there (rule R7). */
#ifndef CLINUX_DRIVER_CALL_H
#define CLINUX_DRIVER_CALL_H

/* The context that this thread entered last, NULL outside a driver call. */
void *clinux_current_call(void);

/* Enters a context, or leaves it with the one that was there before. Returns the one that was there before. */
void *clinux_exchange_call(void *context);

#endif
