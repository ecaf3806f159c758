/* The same bits from every compiler and processor: a product and a sum are rounded apart. */
#ifndef SEGMENT_EXACT_H
#define SEGMENT_EXACT_H

#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#endif
