/* SPDX-License-Identifier: Apache-2.0 */
/* The C driver on registers that misbehave, and on registers in memory. */
#include "fake_registers.h"
#include "generated/mf_modexp_regs.h"
#include "modfab.h"

static mf_modexp_t map; /* a core that does nothing */
static int idle_calls;

static void count_idle(void *context) {
  (void)context;
  ++idle_calls;
}

static modfab_status_t open_core(modfab_t *core) {
  memset(&map, 0, sizeof map);
  map.regs.ID = MF_MODEXP__REGS__ID__MAGIC_reset;
  map.regs.VERSION = MF_MODEXP__REGS__VERSION__MAJOR_reset << MF_MODEXP__REGS__VERSION__MAJOR_bp;
  map.regs.CAPABILITY = 0x10203;
  map.regs.NUM_BITS = 40;
  map.regs.EXP_BITS_MAX = 33;
  failing_offset = UINT32_MAX;
  return modfab_open(core, read_register, write_register, count_idle, &map);
}

static void check_identity(void) {
  modfab_t core;
  CHECK(open_core(&core) == MODFAB_OK);
  CHECK(core.engine == 3 && core.sequencer == 2 && core.lanes == 1);
  CHECK(modfab_num_words(&core) == 2 && modfab_exp_words(&core) == 2);
  map.regs.VERSION += 1u << MF_MODEXP__REGS__VERSION__MINOR_bp;
  CHECK(modfab_open(&core, read_register, write_register, NULL, &map) == MODFAB_OK);
  map.regs.VERSION += 1u << MF_MODEXP__REGS__VERSION__MAJOR_bp;
  CHECK(modfab_open(&core, read_register, write_register, NULL, &map) == MODFAB_VERSION);
  map.regs.ID ^= 1;
  CHECK(modfab_open(&core, read_register, write_register, NULL, &map) == MODFAB_NOT_FOUND);
}

/* A core whose numbers would not fit into its windows is none. */
static void check_widths(void) {
  static const uint32_t widest = 8 * sizeof map.BASE;
  const uint32_t wrong[] = {0, widest + 1, UINT32_MAX};
  modfab_t core;
  for (size_t i = 0; i < 2 * (sizeof wrong / sizeof *wrong); ++i) {
    CHECK(open_core(&core) == MODFAB_OK);
    *(i % 2 != 0 ? &map.regs.NUM_BITS : &map.regs.EXP_BITS_MAX) = wrong[i / 2];
    CHECK(modfab_open_mmio(&core, &map) == MODFAB_NOT_FOUND);
    CHECK(modfab_num_words(&core) == 0 && modfab_exp_words(&core) == 0);
  }
  CHECK(open_core(&core) == MODFAB_OK);
  map.regs.NUM_WORDS = 3; /* it was built for two */
  CHECK(modfab_open_mmio(&core, &map) == MODFAB_NOT_FOUND && modfab_num_words(&core) == 0);
  map.regs.NUM_BITS = map.regs.EXP_BITS_MAX = widest;
  map.regs.NUM_WORDS = 1024;
  CHECK(modfab_open_mmio(&core, &map) == MODFAB_OK && modfab_num_words(&core) == 1024);
}

static void check_words(void) {
  modfab_t core;
  CHECK(open_core(&core) == MODFAB_OK && !core.runtime_words);
  CHECK(modfab_choose_words(&core, 1) == MODFAB_NUM_WORDS);
  CHECK(modfab_choose_words(&core, 0) == MODFAB_OK);
  map.regs.CAPABILITY |= MF_MODEXP__REGS__CAPABILITY__RUNTIME_WORDS_bm;
  map.regs.NUM_WORDS = 1; /* left by a program before */
  CHECK(modfab_open(&core, read_register, write_register, NULL, &map) == MODFAB_OK);
  CHECK(core.runtime_words && modfab_num_words(&core) == 1);
  CHECK(modfab_choose_words(&core, 3) == MODFAB_NUM_WORDS && modfab_num_words(&core) == 1);
  CHECK(modfab_choose_words(&core, 2) == MODFAB_OK && modfab_num_words(&core) == 2);
  CHECK(map.regs.NUM_WORDS == 2);
  map.regs.STATUS = MF_MODEXP__REGS__STATUS__BUSY_bm;
  CHECK(modfab_choose_words(&core, 1) == MODFAB_BUSY && map.regs.NUM_WORDS == 2);
  map.regs.STATUS = 0;
  failing_offset = offsetof(mf_modexp_t, regs.NUM_WORDS);
  CHECK(modfab_choose_words(&core, 1) == MODFAB_BUS_ERROR && modfab_num_words(&core) == 2);
}

static void check_bus_errors(void) {
  static const uint32_t one[2] = {1, 0}, seven[2] = {7, 0};
  static const uint32_t touched[] = {
      offsetof(mf_modexp_t, regs.STATUS),         offsetof(mf_modexp_t, regs.EXP_BITS),
      offsetof(mf_modexp_t, regs.CTRL),           offsetof(mf_modexp_t, regs.IRQ_STATUS),
      offsetof(mf_modexp_t, regs.SETUP_CYCLES),   offsetof(mf_modexp_t, regs.EXP_CYCLES_LO),
      offsetof(mf_modexp_t, regs.EXP_CYCLES_HI),  offsetof(mf_modexp_t, regs.TOTAL_CYCLES_LO),
      offsetof(mf_modexp_t, regs.TOTAL_CYCLES_HI), offsetof(mf_modexp_t, MODULUS),
      offsetof(mf_modexp_t, BASE) + 4,            offsetof(mf_modexp_t, EXPONENT),
      offsetof(mf_modexp_t, RESULT) + 4,
  };
  static const uint32_t identified[] = {
      offsetof(mf_modexp_t, regs.ID),       offsetof(mf_modexp_t, regs.VERSION),
      offsetof(mf_modexp_t, regs.NUM_BITS), offsetof(mf_modexp_t, regs.EXP_BITS_MAX),
      offsetof(mf_modexp_t, regs.CAPABILITY), offsetof(mf_modexp_t, regs.NUM_WORDS),
  };
  modfab_t core;
  modfab_cycles_t cycles;
  uint32_t result[2];
  for (size_t i = 0; i < sizeof touched / sizeof *touched; ++i) {
    CHECK(open_core(&core) == MODFAB_OK);
    failing_offset = touched[i];
    CHECK(modfab_powmod(&core, one, one, seven, result, &cycles) == MODFAB_BUS_ERROR);
  }
  for (size_t i = 0; i < sizeof identified / sizeof *identified; ++i) {
    CHECK(open_core(&core) == MODFAB_OK);
    failing_offset = identified[i];
    CHECK(modfab_open(&core, read_register, write_register, NULL, &map) == MODFAB_BUS_ERROR);
  }
  CHECK(open_core(&core) == MODFAB_OK);
  failing_offset = offsetof(mf_modexp_t, regs.CTRL);
  CHECK(modfab_zeroize(&core) == MODFAB_BUS_ERROR);
}

static void check_states(void) {
  static const uint32_t one[2] = {1, 0};
  modfab_t core;
  uint32_t result[2] = {5, 6};
  CHECK(open_core(&core) == MODFAB_OK);
  map.regs.STATUS = MF_MODEXP__REGS__STATUS__BUSY_bm;
  core.bus.max_polls = 5;
  idle_calls = 0;
  CHECK(modfab_powmod(&core, one, one, one, result, NULL) == MODFAB_TIMEOUT);
  CHECK(idle_calls == 5);
  CHECK(modfab_start(&core, one, one, 1, one) == MODFAB_BUSY);
  CHECK(modfab_result(&core, result, NULL) == MODFAB_BUSY);
  CHECK(map.regs.CTRL == 0 && map.MODULUS.mem[0] == 0);
  for (uint32_t code = 1; code < 16; ++code) {
    map.regs.STATUS = code << MF_MODEXP__REGS__STATUS__ERROR_bp;
    const modfab_status_t expected =
        code <= MODFAB_MOD_SMALL ? (modfab_status_t)code : MODFAB_UNKNOWN;
    CHECK(modfab_result(&core, result, NULL) == expected);
  }
  CHECK(result[0] == 5 && result[1] == 6);
}

static void check_messages(void) {
  static const modfab_status_t all[] = {
      MODFAB_OK,      MODFAB_MOD_EVEN,   MODFAB_MOD_ZERO, MODFAB_MOD_ONE,  MODFAB_MOD_WIDE,
      MODFAB_NUM_WORDS, MODFAB_NO_MODULUS, MODFAB_OPERAND,  MODFAB_EXP_BITS, MODFAB_ZEROIZED,
      MODFAB_BUS_ERROR, MODFAB_NOT_FOUND, MODFAB_VERSION,  MODFAB_BUSY,     MODFAB_TIMEOUT,
      MODFAB_UNKNOWN,   MODFAB_LOCKED,     MODFAB_RSA_NO_KEY, MODFAB_RSA_KEY, MODFAB_RSA_OPERAND,
      MODFAB_RSA_FAULT, MODFAB_RSA_WATCHDOG, MODFAB_RSA_ZEROIZED, MODFAB_RSA_ENTROPY, MODFAB_MOD_SMALL,
      MODFAB_PACKET,    MODFAB_WRONG,      MODFAB_KIND,     MODFAB_CONTEXT,  MODFAB_OVERLAP,
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    for (size_t j = 0; j < i; ++j)
      CHECK(strcmp(modfab_message(all[i]), modfab_message(all[j])) != 0);
  CHECK(strcmp(modfab_message((modfab_status_t)99), modfab_message(MODFAB_UNKNOWN)) == 0);
}

static void check_memory(void) {
  static const uint32_t base[2] = {1, 2}, exponent[2] = {3, 4}, modulus[2] = {5, 6};
  modfab_t core;
  modfab_cycles_t cycles;
  uint32_t result[2];
  CHECK(open_core(&core) == MODFAB_OK);
  map.RESULT.mem[0] = 8;
  map.RESULT.mem[1] = 9;
  map.regs.EXP_CYCLES_HI = 1;
  CHECK(modfab_open_mmio(&core, &map) == MODFAB_OK);
  CHECK(modfab_powmod_bits(&core, base, exponent, 7, modulus, result, &cycles) == MODFAB_OK);
  CHECK(map.BASE.mem[0] == 1 && map.BASE.mem[1] == 2);
  CHECK(map.EXPONENT.mem[0] == 3 && map.EXPONENT.mem[1] == 4);
  CHECK(map.MODULUS.mem[0] == 5 && map.MODULUS.mem[1] == 6);
  CHECK(map.BASE.mem[2] == 0 && map.EXPONENT.mem[2] == 0 && map.MODULUS.mem[2] == 0);
  CHECK(map.regs.EXP_BITS == 7 && map.regs.CTRL == MF_MODEXP__REGS__CTRL__START_bm);
  CHECK(result[0] == 8 && result[1] == 9 && cycles.exp_cycles == (uint64_t)1 << 32);
  map.MODULUS.mem[0] = 55;
  CHECK(modfab_powmod(&core, base, exponent, NULL, result, NULL) == MODFAB_OK);
  CHECK(map.MODULUS.mem[0] == 55 && map.regs.EXP_BITS == 33);
}

static uint64_t counter; /* of cycles, which every read moves on */

static int read_counter(void *context, uint32_t offset, uint32_t *value) {
  if (offset != offsetof(mf_modexp_t, regs.EXP_CYCLES_LO) &&
      offset != offsetof(mf_modexp_t, regs.EXP_CYCLES_HI))
    return read_register(context, offset, value);
  *value = (uint32_t)(offset == offsetof(mf_modexp_t, regs.EXP_CYCLES_LO) ? counter : counter >> 32);
  ++counter;
  return 0;
}

/* A carry into the high half between two reads is no other number. */
static void check_counting(void) {
  modfab_t core;
  modfab_cycles_t cycles;
  uint32_t result[2];
  for (uint64_t before = 1; before < 6; ++before) {
    const uint64_t first = ((uint64_t)7 << 32) - before;
    CHECK(open_core(&core) == MODFAB_OK);
    core.bus.read = read_counter;
    counter = first;
    CHECK(modfab_result(&core, result, &cycles) == MODFAB_OK);
    CHECK(cycles.exp_cycles >= first && cycles.exp_cycles < counter);
  }
}

int main(void) {
  check_identity();
  check_widths();
  check_words();
  check_bus_errors();
  check_states();
  check_messages();
  check_memory();
  check_counting();
  printf("%d failures\n", failures);
  return failures != 0;
}
