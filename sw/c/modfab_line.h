/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes over a serial line, for POSIX systems: what modfab_serial.c stands on. */
#ifndef MODFAB_LINE_H
#define MODFAB_LINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A descriptor of the line, raw, with 8 data bits, one stop bit and no flow control; -1 when it
 * cannot be opened (errno says why; EWOULDBLOCK: another program of modfab has it) or has no such
 * rate.
 */
int modfab_line_open(const char *path, uint32_t baud);

/* Send all of it: 0, or -1 without a line, or when it took nothing for so long. */
int modfab_line_send(int file, const uint8_t *data, size_t count, int timeout_ms);

/* Bytes that came before the line was silent for so long. */
size_t modfab_line_receive(int file, uint8_t *data, size_t count, int timeout_ms);

/* Milliseconds of a clock that nobody sets. */
int64_t modfab_line_now_ms(void);

#ifdef __cplusplus
}
#endif

#endif
