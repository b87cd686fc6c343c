/* SPDX-License-Identifier: Apache-2.0 */
/* The C driver of the RSA core on registers that misbehave, and on registers in memory. */
#include "fake_registers.h"
#include "generated/mf_rsa_regs.h"
#include "modfab_rsa.h"

static mf_rsa_t map; /* a core that does nothing, and always shows a result */

static modfab_status_t open_core(modfab_rsa_t *core) {
  memset(&map, 0, sizeof map);
  map.regs.ID = MF_RSA__REGS__ID__MAGIC_reset;
  map.regs.VERSION = MF_RSA__REGS__VERSION__MAJOR_reset << MF_RSA__REGS__VERSION__MAJOR_bp;
  map.regs.CAPABILITY = 0x01010203;
  map.regs.PRIME_BITS = 48;
  map.regs.MIN_PRIME_BITS = 32;
  map.regs.STATUS = MF_RSA__REGS__STATUS__RESULT_VALID_bm;
  failing_offset = UINT32_MAX;
  return modfab_rsa_open(core, read_register, write_register, NULL, &map);
}

static const uint32_t ONE[3] = {1, 0, 0};
static const modfab_rsa_key_t KEY = {ONE, ONE, ONE, ONE, ONE, NULL, ONE, 1};
static const modfab_rsa_key_t DERIVED = {ONE, ONE, NULL, NULL, NULL, ONE, ONE, 1};
static void check_identity(void) {
  modfab_rsa_t core;
  CHECK(open_core(&core) == MODFAB_OK);
  CHECK(core.engine == 3 && core.sequencer == 2 && core.blinding == 1);
  CHECK(modfab_rsa_prime_words(&core) == 2 && modfab_rsa_words(&core) == 3);
  map.regs.VERSION += 1u << MF_RSA__REGS__VERSION__MAJOR_bp;
  CHECK(modfab_rsa_open(&core, read_register, write_register, NULL, &map) == MODFAB_VERSION);
  map.regs.ID ^= 1;
  CHECK(modfab_rsa_open(&core, read_register, write_register, NULL, &map) == MODFAB_NOT_FOUND);
}

/* A core whose numbers would not fit into its windows is none. */
static void check_width(void) {
  static const uint32_t widest = 8 * sizeof map.MESSAGE;
  const uint32_t private_bits[] = {0, widest / 2 + 1, 0x80000001u, UINT32_MAX};
  const uint32_t public_bits[] = {0, widest + 1, UINT32_MAX};
  modfab_rsa_t core;
  for (size_t i = 0; i < sizeof private_bits / sizeof *private_bits; ++i) {
    CHECK(open_core(&core) == MODFAB_OK);
    map.regs.PRIME_BITS = private_bits[i];
    CHECK(modfab_rsa_open_mmio(&core, &map) == MODFAB_NOT_FOUND && modfab_rsa_words(&core) == 0);
  }
  map.regs.PRIME_BITS = widest / 2;
  CHECK(modfab_rsa_open_mmio(&core, &map) == MODFAB_OK && modfab_rsa_words(&core) == 1024);
  map.regs.CAPABILITY |= MF_RSA__REGS__CAPABILITY__PUBLIC_ONLY_bm;
  for (size_t i = 0; i < sizeof public_bits / sizeof *public_bits; ++i) {
    map.regs.PRIME_BITS = public_bits[i];
    CHECK(modfab_rsa_open_mmio(&core, &map) == MODFAB_NOT_FOUND && modfab_rsa_words(&core) == 0);
  }
  map.regs.PRIME_BITS = widest;
  CHECK(modfab_rsa_open_mmio(&core, &map) == MODFAB_OK && modfab_rsa_words(&core) == 1024);
}

/* A map of minor version 3 says how many key contexts there are, 1 to 4. */
static void check_contexts(void) {
  modfab_rsa_t core;
  for (uint32_t count = 0; count < 8; ++count) {
    const int right = count >= 1 && count <= 4;
    CHECK(open_core(&core) == MODFAB_OK && core.contexts == 1);
    map.regs.VERSION |= 3u << MF_RSA__REGS__VERSION__MINOR_bp;
    map.regs.CONTEXT = count << MF_RSA__REGS__CONTEXT__COUNT_bp;
    CHECK(modfab_rsa_open_mmio(&core, &map) == (right ? MODFAB_OK : MODFAB_NOT_FOUND));
    CHECK(right ? core.contexts == count : modfab_rsa_words(&core) == 0);
    if (!right) continue;
    uint64_t cycles = 9; /* the chosen context needs no change */
    CHECK(modfab_rsa_choose(&core, 0, &cycles) == MODFAB_OK && cycles == 0);
    CHECK(modfab_rsa_choose(&core, count, NULL) == MODFAB_CONTEXT && map.regs.CTRL == 0);
  }
}

static void check_bus_errors(void) {
  static const uint32_t of_key[] = {
      offsetof(mf_rsa_t, regs.STATUS), offsetof(mf_rsa_t, regs.E_BITS),
      offsetof(mf_rsa_t, regs.CTRL),   offsetof(mf_rsa_t, regs.IRQ_STATUS),
      offsetof(mf_rsa_t, P),           offsetof(mf_rsa_t, Q) + 4,
      offsetof(mf_rsa_t, DP),          offsetof(mf_rsa_t, DQ),
      offsetof(mf_rsa_t, QI),          offsetof(mf_rsa_t, E) + 8,
      offsetof(mf_rsa_t, regs.CYCLES_LO), offsetof(mf_rsa_t, regs.CYCLES_HI),
  };
  static const uint32_t of_power[] = {
      offsetof(mf_rsa_t, regs.STATUS),    offsetof(mf_rsa_t, regs.CTRL),
      offsetof(mf_rsa_t, MESSAGE) + 8,    offsetof(mf_rsa_t, RESULT) + 8,
      offsetof(mf_rsa_t, regs.CYCLES_LO), offsetof(mf_rsa_t, regs.CYCLES_HI),
  };
  static const uint32_t identified[] = {
      offsetof(mf_rsa_t, regs.ID),         offsetof(mf_rsa_t, regs.VERSION),
      offsetof(mf_rsa_t, regs.PRIME_BITS), offsetof(mf_rsa_t, regs.MIN_PRIME_BITS),
      offsetof(mf_rsa_t, regs.CAPABILITY),
  };
  modfab_rsa_t core;
  uint32_t result[3];
  uint64_t cycles;
  for (size_t i = 0; i < sizeof of_key / sizeof *of_key; ++i) {
    CHECK(open_core(&core) == MODFAB_OK);
    failing_offset = of_key[i];
    CHECK(modfab_rsa_load_key(&core, &KEY, &cycles) == MODFAB_BUS_ERROR);
  }
  for (size_t i = 0; i < sizeof of_power / sizeof *of_power; ++i) {
    CHECK(open_core(&core) == MODFAB_OK);
    failing_offset = of_power[i];
    CHECK(modfab_rsa_private(&core, ONE, result, &cycles) == MODFAB_BUS_ERROR);
  }
  for (size_t i = 0; i < sizeof identified / sizeof *identified; ++i) {
    CHECK(open_core(&core) == MODFAB_OK);
    failing_offset = identified[i];
    CHECK(modfab_rsa_open(&core, read_register, write_register, NULL, &map) == MODFAB_BUS_ERROR);
  }
  CHECK(open_core(&core) == MODFAB_OK);
  failing_offset = offsetof(mf_rsa_t, D);
  CHECK(modfab_rsa_load_key(&core, &DERIVED, NULL) == MODFAB_BUS_ERROR);
  failing_offset = offsetof(mf_rsa_t, regs.CTRL);
  CHECK(modfab_rsa_zeroize(&core) == MODFAB_BUS_ERROR);
}

static void check_states(void) {
  modfab_rsa_t core;
  uint32_t result[3] = {5, 6, 7};
  CHECK(open_core(&core) == MODFAB_OK);
  map.regs.STATUS = MF_RSA__REGS__STATUS__BUSY_bm;
  core.bus.max_polls = 5;
  CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_TIMEOUT);
  CHECK(modfab_rsa_private(&core, ONE, result, NULL) == MODFAB_TIMEOUT);
  CHECK(modfab_rsa_start(&core, MODFAB_RSA_PUBLIC, ONE) == MODFAB_BUSY);
  CHECK(map.regs.CTRL == 0 && map.P.mem[0] == 0 && map.MESSAGE.mem[0] == 0);
  map.regs.STATUS = MF_RSA__REGS__STATUS__LOCKED_bm;
  CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_LOCKED);
  CHECK(map.regs.CTRL == 0 && map.P.mem[0] == 0);
  for (uint32_t code = 1; code < 16; ++code) {
    map.regs.STATUS = code << MF_RSA__REGS__STATUS__ERROR_bp;
    const modfab_status_t expected =
        code <= 7 || code == 10 ? (modfab_status_t)(MODFAB_RSA_BASE + code) : MODFAB_UNKNOWN;
    CHECK(modfab_rsa_result(&core, result, NULL) == expected);
  }
  CHECK(result[0] == 5 && result[1] == 6 && result[2] == 7);
}

static void check_memory(void) {
  modfab_rsa_t core;
  uint32_t result[3];
  CHECK(open_core(&core) == MODFAB_OK);
  CHECK(modfab_rsa_open_mmio(&core, &map) == MODFAB_OK);
  CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_OK);
  CHECK(map.P.mem[0] == 1 && map.QI.mem[0] == 1 && map.E.mem[0] == 1 && map.D.mem[0] == 0);
  CHECK(map.regs.E_BITS == 1 && map.regs.CTRL == MF_RSA__REGS__CTRL__KEY_bm);
  map.RESULT.mem[2] = 9;
  CHECK(modfab_rsa_public(&core, ONE, result, NULL) == MODFAB_OK);
  CHECK(map.regs.CTRL == MF_RSA__REGS__CTRL__START_PUBLIC_bm && result[2] == 9);
  CHECK(map.P.mem[2] == 0 && map.MESSAGE.mem[3] == 0);
}

/* A lock counts when STATUS shows it: some buses drop what the core refuses. */
static void check_lock(void) {
  modfab_rsa_t core;
  CHECK(open_core(&core) == MODFAB_OK);
  CHECK(modfab_rsa_lock(&core) == MODFAB_BUS_ERROR);
  CHECK(map.regs.CTRL == MF_RSA__REGS__CTRL__LOCK_bm);
  map.regs.STATUS = MF_RSA__REGS__STATUS__LOCKED_bm;
  CHECK(modfab_rsa_lock(&core) == MODFAB_OK && map.regs.CTRL == MF_RSA__REGS__CTRL__LOCK_bm);
  failing_offset = offsetof(mf_rsa_t, regs.CTRL);
  CHECK(modfab_rsa_lock(&core) == MODFAB_BUS_ERROR);
  failing_offset = offsetof(mf_rsa_t, regs.STATUS);
  CHECK(modfab_rsa_lock(&core) == MODFAB_BUS_ERROR);
}

/* The registers do not compute: what a private operation leaves is also the public one's result. */
static void check_wrong_result(void) {
  modfab_rsa_t core;
  uint32_t result[3] = {5, 6, 7};
  CHECK(open_core(&core) == MODFAB_OK);
  CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_OK);
  map.RESULT.mem[0] = 1;
  CHECK(modfab_rsa_private(&core, ONE, result, NULL) == MODFAB_OK && result[0] == 1);
  CHECK(map.regs.CTRL == MF_RSA__REGS__CTRL__START_PUBLIC_bm && map.MESSAGE.mem[0] == 1);
  map.RESULT.mem[2] = 4;
  CHECK(modfab_rsa_private(&core, ONE, result, NULL) == MODFAB_WRONG);
  CHECK(result[0] == 0 && result[1] == 0 && result[2] == 0);
  CHECK(modfab_rsa_check(&core, ONE, ONE) == MODFAB_WRONG);
  map.regs.E_BITS = 0; /* no register switches the check off */
  CHECK(modfab_rsa_private(&core, ONE, result, NULL) == MODFAB_WRONG && result[2] == 0);
}

/* What ended well without a result is a fault, and no word is read. */
static void check_no_result(void) {
  modfab_rsa_t core;
  uint32_t result[3] = {5, 6, 7};
  CHECK(open_core(&core) == MODFAB_OK);
  map.regs.STATUS = 0;
  CHECK(modfab_rsa_public(&core, ONE, result, NULL) == MODFAB_RSA_FAULT);
  CHECK(modfab_rsa_private(&core, ONE, result, NULL) == MODFAB_RSA_FAULT);
  CHECK(modfab_rsa_result(&core, result, NULL) == MODFAB_RSA_FAULT);
  CHECK(modfab_rsa_check(&core, ONE, ONE) == MODFAB_RSA_FAULT);
  CHECK(modfab_rsa_generate_key(&core, result, NULL) == MODFAB_RSA_FAULT);
  CHECK(result[0] == 5 && result[1] == 6 && result[2] == 7);
}

/* No words of a result are left that could not be read to its end. */
static void check_half_a_result(void) {
  modfab_rsa_t core;
  CHECK(open_core(&core) == MODFAB_OK);
  map.RESULT.mem[0] = map.RESULT.mem[1] = 9;
  failing_offset = offsetof(mf_rsa_t, RESULT) + 8;
  for (int call = 0; call < 4; ++call) {
    uint32_t result[3] = {5, 6, 7};
    const modfab_status_t status = call == 0   ? modfab_rsa_private(&core, ONE, result, NULL)
                                   : call == 1 ? modfab_rsa_public(&core, ONE, result, NULL)
                                   : call == 2 ? modfab_rsa_result(&core, result, NULL)
                                               : modfab_rsa_generate_key(&core, result, NULL);
    CHECK(status == MODFAB_BUS_ERROR && result[0] == 0 && result[1] == 0 && result[2] == 0);
  }
}

/* The check of a private result needs the message; a public one may take its place. */
static void check_overlap(void) {
  modfab_rsa_t core;
  uint32_t words[6] = {1, 2, 3, 4, 5, 6};
  CHECK(open_core(&core) == MODFAB_OK);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(modfab_rsa_private(&core, words, words + i, NULL) == MODFAB_OVERLAP);
    CHECK(modfab_rsa_private(&core, words + i, words, NULL) == MODFAB_OVERLAP);
  }
  CHECK(map.regs.CTRL == 0 && map.MESSAGE.mem[0] == 0 && words[0] == 1 && words[2] == 3);
  for (uint32_t i = 0; i < 3; ++i) map.RESULT.mem[i] = i + 1;
  CHECK(modfab_rsa_private(&core, words, words + 3, NULL) == MODFAB_OK && words[5] == 3);
  map.RESULT.mem[0] = 8;
  CHECK(modfab_rsa_public(&core, words, words, NULL) == MODFAB_OK && words[0] == 8);
}

static uint32_t wipe_mask; /* the command that wipes */
static int wipes;

/* A wipe empties the windows of the key, as in a core. */
static int write_or_wipe(void *context, uint32_t offset, uint32_t value) {
  if (offset == offsetof(mf_rsa_t, regs.CTRL) && value == wipe_mask) {
    memset(&map.P, 0, offsetof(mf_rsa_t, MESSAGE) - offsetof(mf_rsa_t, P));
    ++wipes;
  }
  return write_register(context, offset, value);
}

static int key_words_left(void) {
  static const uint32_t none[1024];
  return memcmp(map.P.mem, none, sizeof none) != 0 || memcmp(map.Q.mem, none, sizeof none) != 0 ||
         memcmp(map.DP.mem, none, sizeof none) != 0 || memcmp(map.DQ.mem, none, sizeof none) != 0 ||
         memcmp(map.QI.mem, none, sizeof none) != 0 || memcmp(map.D.mem, none, sizeof none) != 0;
}

/* A core with so many key contexts that holds words of an older key. */
static void open_used(modfab_rsa_t *core, uint8_t contexts) {
  CHECK(open_core(core) == MODFAB_OK);
  core->bus.write = write_or_wipe;
  core->contexts = contexts;
  wipe_mask = contexts > 1 ? MF_RSA__REGS__CTRL__ERASE_bm : MF_RSA__REGS__CTRL__ZEROIZE_bm;
  wipes = 0;
  map.P.mem[5] = map.QI.mem[5] = map.D.mem[5] = 7;
}

/* A core of public operations only: private ones are refused, and an older key is wiped. */
static void check_public_only(void) {
  modfab_rsa_t core;
  uint32_t result[3] = {5, 6, 7};
  open_used(&core, 1);
  core.public_only = 1;
  CHECK(modfab_rsa_start(&core, MODFAB_RSA_PRIVATE, ONE) == MODFAB_KIND);
  CHECK(modfab_rsa_private(&core, ONE, result, NULL) == MODFAB_KIND && result[0] == 5);
  CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_KIND);
  CHECK(modfab_rsa_generate_key(&core, result, NULL) == MODFAB_KIND);
  CHECK(map.regs.CTRL == 0 && map.MESSAGE.mem[0] == 0 && wipes == 0);
  CHECK(modfab_rsa_load_public(&core, ONE, ONE, 17, NULL) == MODFAB_OK && wipes == 1);
  CHECK(map.P.mem[0] == 1 && map.P.mem[5] == 0 && map.regs.E_BITS == 17);
  core.public_only = 0;
  CHECK(modfab_rsa_load_public(&core, ONE, ONE, 17, NULL) == MODFAB_KIND && wipes == 1);
}

/* A key load wipes first, and once more when it fails: no word of either key stays. */
static void check_wipes(uint8_t contexts) {
  static const uint32_t failing[] = {
      offsetof(mf_rsa_t, P) + 4,       offsetof(mf_rsa_t, Q) + 4, offsetof(mf_rsa_t, E) + 8,
      offsetof(mf_rsa_t, regs.E_BITS), offsetof(mf_rsa_t, DP),    offsetof(mf_rsa_t, DQ) + 4,
      offsetof(mf_rsa_t, QI) + 4,      offsetof(mf_rsa_t, regs.IRQ_STATUS),
      offsetof(mf_rsa_t, regs.CYCLES_LO),
  };
  modfab_rsa_t core;
  uint32_t n[3];
  open_used(&core, contexts);
  CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_OK && wipes == 1);
  CHECK(map.P.mem[0] == 1 && map.P.mem[5] == 0 && map.QI.mem[5] == 0 && map.D.mem[5] == 0);
  for (size_t i = 0; i < sizeof failing / sizeof *failing; ++i) {
    open_used(&core, contexts);
    failing_offset = failing[i];
    CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_BUS_ERROR);
    CHECK(wipes == 2 && !key_words_left());
  }
  open_used(&core, contexts);
  failing_offset = offsetof(mf_rsa_t, D) + 8;
  CHECK(modfab_rsa_load_key(&core, &DERIVED, NULL) == MODFAB_BUS_ERROR);
  CHECK(wipes == 2 && !key_words_left());
  open_used(&core, contexts);
  map.regs.STATUS = 2u << MF_RSA__REGS__STATUS__ERROR_bp;
  CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_RSA_KEY);
  CHECK(wipes == 2 && !key_words_left());
  open_used(&core, contexts);
  failing_offset = offsetof(mf_rsa_t, regs.E_BITS);
  CHECK(modfab_rsa_generate_key(&core, n, NULL) == MODFAB_BUS_ERROR);
  CHECK(wipes == 2 && !key_words_left());
}

static int status_reads; /* that work */
static int read_status_n_times(void *context, uint32_t offset, uint32_t *value) {
  const int asked = offset == offsetof(mf_rsa_t, regs.STATUS);
  if (asked && status_reads-- == 0) return 1;
  return read_register(context, offset, value);
}

/* The driver wipes a made key whose n it cannot read, or reads as another one, and a key of which it
   cannot read whether the core has made another one. */
static void check_unreported_keys(uint8_t contexts) {
  modfab_rsa_t core;
  uint32_t n[3];
  open_used(&core, contexts);
  CHECK(modfab_rsa_generate_key(&core, n, NULL) == MODFAB_WRONG && wipes == 2 && n[0] == 0);
  open_used(&core, contexts);
  failing_offset = offsetof(mf_rsa_t, RESULT) + 8;
  CHECK(modfab_rsa_generate_key(&core, n, NULL) == MODFAB_BUS_ERROR && wipes == 2);
  open_used(&core, contexts);
  map.regs.STATUS = 0; /* no result is shown */
  CHECK(modfab_rsa_generate_key(&core, n, NULL) == MODFAB_RSA_FAULT && wipes == 2);
  wipes = 0;
  core.bus.read = read_status_n_times;
  status_reads = 5; /* the lock, at rest, wiped, derived, set up */
  CHECK(modfab_rsa_load_key(&core, &DERIVED, NULL) == MODFAB_BUS_ERROR);
  CHECK(wipes == 2 && !key_words_left());
}

static int polls_busy; /* STATUS shows busy so often, from the command on that sets a key up */
static int zeroized;

static int read_busy(void *context, uint32_t offset, uint32_t *value) {
  const int failed = read_register(context, offset, value);
  if (offset != offsetof(mf_rsa_t, regs.STATUS) || map.regs.CTRL != MF_RSA__REGS__CTRL__KEY_bm)
    return failed;
  if (polls_busy > 0) *value |= MF_RSA__REGS__STATUS__BUSY_bm;
  polls_busy -= polls_busy > 0;
  return failed;
}

/* While busy the core takes zeroize alone, which wipes all. */
static int write_busy(void *context, uint32_t offset, uint32_t value) {
  if (offset == offsetof(mf_rsa_t, regs.CTRL) && value == MF_RSA__REGS__CTRL__ZEROIZE_bm) {
    memset(&map.P, 0, offsetof(mf_rsa_t, MESSAGE) - offsetof(mf_rsa_t, P));
    ++zeroized;
  } else if (polls_busy > 0 && map.regs.CTRL == MF_RSA__REGS__CTRL__KEY_bm) {
    return 1;
  }
  return write_or_wipe(context, offset, value);
}

/* A set-up that does not end: the wipe waits for it, and zeroizes where it goes on. */
static void check_wipes_while_busy(void) {
  static const struct {
    uint32_t max_polls;
    int busy, zeroized; /* polls that the set-up takes; wipes of all contexts */
  } cases[] = {{5, 8, 0}, {5, 100, 1}};
  modfab_rsa_t core;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    open_used(&core, 2);
    core.bus.read = read_busy;
    core.bus.write = write_busy;
    core.bus.max_polls = cases[i].max_polls;
    polls_busy = cases[i].busy;
    zeroized = 0;
    CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_TIMEOUT);
    CHECK(zeroized == cases[i].zeroized && wipes == 2 - cases[i].zeroized && !key_words_left());
  }
  polls_busy = 0;
}

int main(void) {
  check_identity();
  check_width();
  check_contexts();
  check_public_only();
  check_wipes(1);
  check_wipes(2);
  check_wipes_while_busy();
  check_unreported_keys(1);
  check_unreported_keys(2);
  check_lock();
  check_wrong_result();
  check_no_result();
  check_half_a_result();
  check_overlap();
  check_bus_errors();
  check_states();
  check_memory();
  printf("%d failures\n", failures);
  return failures != 0;
}
