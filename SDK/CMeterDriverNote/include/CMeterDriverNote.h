/* What a bundle in Swift needs from C: the contract's ELF note (linked in by depending on this target) and two symbols. */
#ifndef CMETERDRIVERNOTE_H
#define CMETERDRIVERNOTE_H

/* Defined by the bundle's own module with @c: names its drivers by calling Bundle.register. Runs once. */
void mh_swift_bundle(void);

/* Runs `body` on the first call in this process, however many threads call at once. mh_driver_entry may be called on
 * any thread, and Embedded Swift has no lock of its own. */
void mh_swift_once(void (*body)(void));

#endif
