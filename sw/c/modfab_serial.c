/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* O_CLOEXEC */
#include "modfab_serial.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "modfab_line.h"

enum { CHECK_WRITE = 0x11, READ = 0x02, READ_FIXED = 0x04, CHECK_READ = 0x12, CHECK_FIXED = 0x13 };
enum { HEAD = 6, SUM = 2, BURST = 255, ROOM = 512, FILL = 128, ATTEMPTS = 4, STATUS_WORDS = 3 };
enum { PARTS = 16 }; /* of FILL words: more than the tests of a source take, and the buffer */
enum { WAITS = 16 }; /* of 50 ms each, at most; when the interrupt is high they end at once */
enum { FAILED = -1, REFUSED_READ = 1 }; /* endings of a transfer */
#define OWN_ID 0x80000000u
#define OWN_STATUS 0x80000004u
#define OWN_ENTROPY 0x80000008u
#define OWN_WAIT 0x80000010u
#define WINDOWS 0x1000u /* of a core: its registers are below */
#define MAGIC 0x6D667562u
#define CRC_START 0xFFFFu

/* Stores that no compiler leaves out: what the words were may be a key's or a result's. */
static void wipe(void *data, size_t count) {
  for (volatile uint8_t *at = data; count != 0; --count) *at++ = 0;
}

/* CRC-16 of ITU-T V.41, most significant bit first. */
static uint16_t crc_of(const uint8_t *data, size_t count, uint16_t crc) {
  for (; count != 0; --count, ++data) {
    crc = (uint16_t)(crc ^ (uint16_t)(*data << 8));
    for (int bit = 0; bit < 8; ++bit)
      crc = (uint16_t)((uint32_t)crc << 1 ^ ((crc & 0x8000u) != 0 ? 0x1021u : 0u));
  }
  return crc;
}

static void put_word(uint8_t *data, uint32_t word) {
  for (int i = 0; i < 4; ++i) data[i] = (uint8_t)(word >> (24 - 8 * i));
}

static uint32_t get_word(const uint8_t *data) {
  return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

static void put_head(uint8_t *data, uint8_t command, size_t words, uint32_t offset) {
  data[0] = command;
  data[1] = (uint8_t)words;
  put_word(data + 2, offset / 4);
}

static void take_status(modfab_serial_t *line, const uint8_t *data) {
  const uint32_t status = get_word(data), entropy = get_word(data + 4);
  line->crc = (uint16_t)status;
  line->refused_writes = status >> 16 & 0x3FFFu;
  line->refused_reads = entropy >> 16;
  line->level = entropy & 0xFFFFu;
  line->reply = crc_of(data + 8, 4, CRC_START);
}

/* Let the bridge forget what is unfinished, and learn its state; another device may never rest. */
static int recover(modfab_serial_t *line) {
  uint8_t data[256];
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    const int64_t end = modfab_line_now_ms() + line->reply_ms;
    while (modfab_line_receive(line->file, data, sizeof data, line->silence_ms) != 0 && modfab_line_now_ms() < end) {}
    wipe(data, sizeof data); /* the rest of an answer may be a result's */
    put_head(data, READ, STATUS_WORDS, OWN_STATUS);
    if (modfab_line_send(line->file, data, HEAD, line->reply_ms) != 0) return -1;
    if (modfab_line_receive(line->file, data, 4 * STATUS_WORDS, line->reply_ms) == 4 * STATUS_WORDS) {
      take_status(line, data);
      return 0;
    }
  }
  return -1;
}

/* One checked command: the words of a write, or none of a read. */
static uint16_t send_command(const modfab_serial_t *line, uint8_t *data, size_t words, uint16_t crc,
                             int *failed) {
  const size_t count = HEAD + 4 * words;
  crc = crc_of(data, count, crc);
  data[count] = (uint8_t)(crc >> 8);
  data[count + 1] = (uint8_t)crc;
  if (modfab_line_send(line->file, data, count + SUM, line->reply_ms) != 0) *failed = 1;
  return crc;
}

/* So many bytes of the source of entropy: 0 when it has them. A signal may make a read short. */
static int get_entropy(const modfab_serial_t *line, uint8_t *data, size_t count) {
  while (count != 0) {
    const ssize_t done = read(line->random, data, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return -1;
    data += done;
    count -= (size_t)done;
  }
  return 0;
}

/* Fresh entropy, as much as there is room for and at most a part. */
static uint16_t send_entropy(modfab_serial_t *line, uint16_t crc, int *failed) {
  uint8_t data[HEAD + 4 * FILL + SUM];
  const size_t room = line->level < ROOM ? ROOM - line->level : 0;
  const size_t words = room < FILL ? room : FILL;
  if (words == 0) return crc;
  put_head(data, CHECK_FIXED, words, OWN_ENTROPY);
  if (get_entropy(line, data + HEAD, 4 * words) != 0) *failed = 1;
  if (!*failed) crc = send_command(line, data, words, crc, failed);
  wipe(data, sizeof data);
  return crc;
}

/* The writes that are kept back from `first` on, as one burst; how many they were. */
static size_t send_burst(modfab_serial_t *line, size_t first, uint16_t *crc, int *failed) {
  uint8_t data[HEAD + 4 * BURST + SUM];
  size_t words = 0;
  while (first + words < line->num_writes && words < BURST &&
         line->write_at[first + words] == line->write_at[first] + 4 * words) {
    put_word(data + HEAD + 4 * words, line->write_data[first + words]);
    ++words;
  }
  if (words > 1 && line->write_at[first] >= WINDOWS)
    line->burst = words < MODFAB_SERIAL_AHEAD ? words : MODFAB_SERIAL_AHEAD;
  put_head(data, CHECK_WRITE, words, line->write_at[first]);
  *crc = send_command(line, data, words, *crc, failed);
  wipe(data, sizeof data);
  return words;
}

/* Sends all; the checksums behind each burst tell later how far the bridge came. */
static uint16_t send_writes(modfab_serial_t *line, size_t *ends, uint16_t *sums, size_t *bursts,
                            int *failed) {
  uint16_t crc = send_entropy(line, line->crc, failed);
  *bursts = 0;
  for (size_t first = 0; first < line->num_writes && !*failed; ++*bursts) {
    sums[*bursts] = crc; /* before this burst */
    ends[*bursts] = first;
    first += send_burst(line, first, &crc, failed);
  }
  return crc;
}

/* Waits for the interrupt, then reads of all spans; 64 bytes at most may stand behind a wait. */
static void send_reads(const modfab_serial_t *line, uint16_t crc, size_t waits, int *failed) {
  uint8_t head[HEAD + SUM];
  put_head(head, READ_FIXED, waits, OWN_WAIT);
  if (waits != 0 && modfab_line_send(line->file, head, HEAD, line->reply_ms) != 0) *failed = 1;
  for (size_t i = 0; i < line->num_spans; ++i) {
    put_head(head, CHECK_READ, line->spans[i].count, line->spans[i].offset);
    send_command(line, head, 0, crc, failed);
  }
  put_head(head, CHECK_READ, STATUS_WORDS, OWN_STATUS);
  send_command(line, head, 0, crc, failed);
}

/* Takes the answers to `waits` and to all spans into `data`, 0 when everything is right. */
static int receive_reads(modfab_serial_t *line, uint8_t *data, uint16_t crc, size_t waits) {
  size_t words = 0;
  for (size_t i = 0; i < line->num_spans; ++i) words += line->spans[i].count;
  const size_t bytes = 4 * (waits + words + STATUS_WORDS);
  if (modfab_line_receive(line->file, data, bytes, line->reply_ms) != bytes) return -1;
  const uint8_t *status = data + 4 * (waits + words);
  if ((uint16_t)get_word(status) != crc) return -1;
  if (get_word(data + bytes - 4) != crc_of(data, bytes - 4, line->reply)) return -1;
  for (size_t i = 0; i < words; ++i) line->ahead[i] = get_word(data + 4 * (waits + i));
  line->num_ahead = words;
  take_status(line, status);
  return 0;
}

static int attempt_transfer(modfab_serial_t *line, uint16_t crc, size_t waits) {
  uint8_t data[4 * (MODFAB_SERIAL_AHEAD + WAITS + STATUS_WORDS)];
  int failed = 0;
  send_reads(line, crc, waits, &failed);
  const int ending = failed ? -1 : receive_reads(line, data, crc, waits);
  wipe(data, sizeof data);
  return ending;
}

/*
 * Drop the writes that the bridge did, by its checksum: `first` before everything, `sums` before
 * each burst, `all` behind everything. With another one it was reset, or its status came wrong.
 */
static int drop_done(modfab_serial_t *line, uint16_t first, const size_t *ends,
                     const uint16_t *sums, size_t bursts, uint16_t all) {
  size_t done = line->crc == all ? line->num_writes : 0;
  int known = line->crc == all || line->crc == first;
  for (size_t i = 0; i < bursts && line->crc != all; ++i) {
    if (line->crc != sums[i]) continue;
    done = ends[i];
    known = 1;
  }
  if (!known) return -1;
  line->num_writes -= done;
  memmove(line->write_at, line->write_at + done, line->num_writes * sizeof line->write_at[0]);
  memmove(line->write_data, line->write_data + done, line->num_writes * sizeof line->write_data[0]);
  return 0;
}

/* Find out what the bridge did. */
static int resume(modfab_serial_t *line, uint16_t first, const size_t *ends, const uint16_t *sums,
                  size_t bursts, uint16_t all) {
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    if (recover(line) != 0) return -1;
    if (drop_done(line, first, ends, sums, bursts, all) == 0) return 0;
  }
  return -1;
}

static void forget_writes(modfab_serial_t *line) {
  line->num_writes = 0;
  wipe(line->write_data, sizeof line->write_data);
}

static void forget_ahead(modfab_serial_t *line) {
  line->num_spans = line->span = line->in_span = line->num_ahead = line->next_ahead = 0;
  line->armed = 0;
  wipe(line->ahead, sizeof line->ahead);
}

/*
 * Words of entropy until the bridge's buffer is nearly full: the core tests a thousand before it
 * takes the first one, and waits less long for it than the bridge may wait for the interrupt.
 */
static int top_up(modfab_serial_t *line) {
  const size_t num_spans = line->num_spans;
  int ending = 0;
  line->num_spans = 0;
  for (int part = 0; part < PARTS && ending == 0 && line->level < ROOM - FILL; ++part) {
    ++line->transfers;
    const uint16_t crc = send_entropy(line, line->crc, &ending);
    if (ending != 0 || attempt_transfer(line, crc, 0) == 0) continue;
    ++line->repeats;
    ending = recover(line);
  }
  line->num_spans = num_spans;
  return ending;
}

/* All writes that are kept back, waits, then reads of the spans: 0 when everything worked. */
static int transfer(modfab_serial_t *line, size_t waits) {
  size_t ends[MODFAB_SERIAL_WORDS], bursts = 0;
  uint16_t sums[MODFAB_SERIAL_WORDS];
  const uint32_t refused_writes = line->refused_writes;
  ++line->transfers;
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    if (top_up(line) != 0) break;
    const uint32_t refused_reads = line->refused_reads;
    const uint16_t first = line->crc;
    int failed = 0;
    const uint16_t crc = send_writes(line, ends, sums, &bursts, &failed);
    if (failed) break; /* no entropy, or no line */
    if (attempt_transfer(line, crc, waits) == 0) {
      forget_writes(line);
      if (line->refused_writes != refused_writes) return FAILED;
      return line->refused_reads == refused_reads ? 0 : REFUSED_READ;
    }
    ++line->repeats;
    if (resume(line, first, ends, sums, bursts, crc) != 0) break;
  }
  forget_writes(line);
  return FAILED;
}

/* A transfer that reads words from one offset on, or none. */
static int fetch(modfab_serial_t *line, uint32_t offset, size_t count) {
  forget_ahead(line);
  line->spans[0].offset = offset;
  line->spans[0].count = count;
  line->num_spans = count != 0;
  const int ending = transfer(line, 0);
  if (ending != 0) forget_ahead(line);
  return ending;
}

/* The next word that was read ahead, when that is the one at `offset`. */
static int serve(modfab_serial_t *line, uint32_t offset, uint32_t *value) {
  if (line->num_writes != 0 || line->next_ahead == line->num_ahead) return 0;
  const modfab_span_t *span = &line->spans[line->span];
  if (offset != span->offset + 4 * (uint32_t)line->in_span) return 0;
  *value = line->ahead[line->next_ahead];
  line->ahead[line->next_ahead++] = 0;
  if (++line->in_span == span->count) {
    ++line->span;
    line->in_span = 0;
  }
  return 1;
}

/* ---- callbacks ---- */
int modfab_serial_flush(modfab_serial_t *line) {
  return line->num_writes == 0 ? 0 : fetch(line, 0, 0);
}

/*
 * What is expected is read as a whole, when its first word is asked for. Without an expectation the
 * first word of a window brings as many as were written in one burst last. Where the core refuses a
 * word that nobody asked for yet, only the one that is wanted is read.
 */
int modfab_serial_read(void *context, uint32_t offset, uint32_t *value) {
  modfab_serial_t *line = context;
  int ending = REFUSED_READ;
  if (serve(line, offset, value)) return 0;
  if (line->armed && line->spans[0].offset == offset) {
    line->armed = 0;
    ending = transfer(line, WAITS);
  } else if (offset >= WINDOWS && (offset & 0xFFFu) == 0 && line->burst > 1) {
    ending = fetch(line, offset, line->burst);
  }
  if (ending == REFUSED_READ) ending = fetch(line, offset, 1);
  if (ending != 0) forget_ahead(line);
  return ending == 0 && serve(line, offset, value) ? 0 : -1;
}

int modfab_serial_write(void *context, uint32_t offset, uint32_t value) {
  modfab_serial_t *line = context;
  forget_ahead(line);
  if (line->num_writes == MODFAB_SERIAL_WORDS && modfab_serial_flush(line) != 0) return -1;
  line->write_at[line->num_writes] = offset;
  line->write_data[line->num_writes++] = value;
  return 0;
}

void modfab_serial_expect(void *context, const modfab_span_t *spans, size_t num_spans) {
  modfab_serial_t *line = context;
  size_t words = 0;
  forget_ahead(line);
  for (size_t i = 0; i < num_spans; ++i) {
    if (spans[i].count == 0 || spans[i].count > BURST) return;
    words += spans[i].count;
  }
  /* What is too much is read as if nobody had said so. */
  if (num_spans == 0 || num_spans > MODFAB_SERIAL_SPANS || words > MODFAB_SERIAL_AHEAD) return;
  memcpy(line->spans, spans, num_spans * sizeof spans[0]);
  line->num_spans = num_spans;
  line->armed = 1;
}

void modfab_serial_idle(void *context) {
  modfab_serial_t *line = context;
  (void)fetch(line, OWN_WAIT, 1);
  forget_ahead(line);
}

/* ---- opening ---- */
modfab_status_t modfab_serial_open(modfab_serial_t *line, const char *path, uint32_t baud) {
  uint32_t id = 0;
  memset(line, 0, sizeof *line);
  line->random = -1;
  /* A pseudo terminal is a simulated board, which takes its time. */
  const int simulated = strncmp(path, "/dev/pts/", 9) == 0;
  line->reply_ms = simulated ? 120000 : 1000;
  line->silence_ms = simulated ? 1000 : 80;
  line->file = modfab_line_open(path, baud);
  if (line->file < 0) return MODFAB_BUS_ERROR;
  line->random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (line->random < 0) {
    (void)modfab_serial_close(line);
    return MODFAB_BUS_ERROR;
  }
  if (recover(line) != 0 || modfab_serial_read(line, OWN_ID, &id) != 0 || id != MAGIC) {
    (void)modfab_serial_close(line);
    return MODFAB_NOT_FOUND;
  }
  return MODFAB_OK;
}

int modfab_serial_close(modfab_serial_t *line) {
  const int ending = modfab_serial_flush(line);
  forget_writes(line);
  forget_ahead(line);
  if (line->file >= 0) (void)close(line->file);
  if (line->random >= 0) (void)close(line->random);
  line->file = line->random = -1;
  return ending;
}
