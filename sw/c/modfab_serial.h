/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core behind the serial line of a board (rtl/board), for POSIX systems.
 *
 *   modfab_serial_t line;
 *   modfab_rsa_t core;
 *   if (modfab_serial_open(&line, "/dev/ttyUSB0", 3000000) == MODFAB_OK)
 *     status = modfab_rsa_open(&core, modfab_serial_read, modfab_serial_write, modfab_serial_idle, &line);
 *   core.bus.expect = modfab_serial_expect;
 *   ...
 *   modfab_serial_close(&line);
 *
 * Writes are kept back and go out with the next read, those to rising addresses as one burst. With
 * bus.expect the same transfer waits for the operation's end and brings its result: a private
 * operation with its check takes three, up to RSA-4096. An operation of more than 0.8 s takes more.
 * A write that the core refused fails the access that sends it.
 * Entropy for the core is read from /dev/urandom and sent along. A transfer in which a byte was lost
 * is repeated; line.repeats counts.
 */
#ifndef MODFAB_SERIAL_H
#define MODFAB_SERIAL_H

#include "modfab_bus.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MODFAB_SERIAL_WORDS = 512, MODFAB_SERIAL_AHEAD = 256, MODFAB_SERIAL_SPANS = 6 };

typedef struct {
  int file, random;              /* descriptors: the line, the source of entropy */
  int reply_ms, silence_ms;      /* patience with an answer; pause that resets the bridge */
  uint16_t crc, reply;           /* checksums: of the writes the bridge did, of what it sent */
  uint32_t refused_writes, refused_reads, level;
  uint32_t transfers, repeats;
  size_t num_writes;             /* that are kept back */
  uint32_t write_at[MODFAB_SERIAL_WORDS], write_data[MODFAB_SERIAL_WORDS];
  size_t burst;                  /* how many words the last burst into a window had */
  int armed;                     /* the spans are expected, and not read yet */
  modfab_span_t spans[MODFAB_SERIAL_SPANS]; /* what is read next, in this order */
  size_t num_spans, span, in_span;          /* how many; which one is next, which word of it */
  size_t num_ahead, next_ahead;             /* words that were read ahead; which one is next */
  uint32_t ahead[MODFAB_SERIAL_AHEAD];
} modfab_serial_t;

/*
 * Open a line and find the board's bridge: MODFAB_NOT_FOUND when none answers, MODFAB_BUS_ERROR when
 * the line cannot be opened (errno says why) or has no such rate.
 */
modfab_status_t modfab_serial_open(modfab_serial_t *line, const char *path, uint32_t baud);

/* Send what is kept back and close the line: 0 when all of it worked, as modfab_serial_flush. */
int modfab_serial_close(modfab_serial_t *line);

/* Callbacks of modfab_bus_t; the context is a modfab_serial_t. */
int modfab_serial_read(void *context, uint32_t offset, uint32_t *value);
int modfab_serial_write(void *context, uint32_t offset, uint32_t value);
void modfab_serial_expect(void *context, const modfab_span_t *spans, size_t num_spans);
void modfab_serial_idle(void *context); /* waits for the core's interrupt, at most 50 ms */

/* Send what is kept back: 0 when all of it worked. */
int modfab_serial_flush(modfab_serial_t *line);

#ifdef __cplusplus
}
#endif

#endif
