/* SPDX-License-Identifier: Apache-2.0 */
/* The C driver of the farm on registers that misbehave, on registers in memory, and its packets. */
#include "fake_registers.h"
#include "generated/mf_rsa_farm_regs.h"
#include "modfab_farm.h"

static mf_rsa_farm_t map; /* a farm that does nothing */

static modfab_status_t open_farm(modfab_farm_t *farm) {
  memset(&map, 0, sizeof map);
  map.regs.ID = MF_RSA_FARM__REGS__ID__MAGIC_reset;
  map.regs.VERSION = MF_RSA_FARM__REGS__VERSION__MAJOR_reset << MF_RSA_FARM__REGS__VERSION__MAJOR_bp;
  map.regs.CAPABILITY = 0x0C030203; /* 12 bits of an id, 3 cores */
  map.regs.PRIME_BITS = 48;
  map.regs.MIN_PRIME_BITS = 32;
  failing_offset = UINT32_MAX;
  return modfab_farm_open(farm, read_register, write_register, NULL, &map);
}

static const uint32_t ONE[3] = {1, 0, 0};
static const modfab_rsa_key_t KEY = {ONE, ONE, ONE, ONE, ONE, NULL, ONE, 1};
static const modfab_rsa_key_t DERIVED = {ONE, ONE, NULL, NULL, NULL, ONE, ONE, 1};

static void check_identity(void) {
  modfab_farm_t farm;
  CHECK(open_farm(&farm) == MODFAB_OK);
  CHECK(farm.engine == 3 && farm.sequencer == 2 && farm.cores == 3 && farm.id_bits == 12);
  CHECK(modfab_farm_prime_words(&farm) == 2 && modfab_farm_words(&farm) == 3);
  CHECK(modfab_farm_packet_words(&farm) == 4 && farm.bus.max_polls == MODFAB_FARM_POLLS);
  map.regs.VERSION += 1u << MF_RSA_FARM__REGS__VERSION__MAJOR_bp;
  CHECK(modfab_farm_open(&farm, read_register, write_register, NULL, &map) == MODFAB_VERSION);
  map.regs.ID ^= 1;
  CHECK(modfab_farm_open(&farm, read_register, write_register, NULL, &map) == MODFAB_NOT_FOUND);
}

static void check_width(void) {
  static const uint32_t widest = 8 * sizeof map.E / 2;
  const uint32_t wrong[] = {0, widest + 1, 0x80000001u, UINT32_MAX};
  modfab_farm_t farm;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(open_farm(&farm) == MODFAB_OK);
    map.regs.PRIME_BITS = wrong[i];
    CHECK(modfab_farm_open_mmio(&farm, &map) == MODFAB_NOT_FOUND && modfab_farm_words(&farm) == 0);
  }
  map.regs.PRIME_BITS = widest;
  CHECK(modfab_farm_open_mmio(&farm, &map) == MODFAB_OK && modfab_farm_words(&farm) == 1024);
}

/* Cores and bits of an id that no farm has. */
static void check_counts(void) {
  static const uint32_t wrong[] = {0x0C000203, 0x0C210203, 0x0C3F0203, 0x00030203, 0x11030203};
  modfab_farm_t farm;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(open_farm(&farm) == MODFAB_OK);
    map.regs.CAPABILITY = wrong[i];
    CHECK(modfab_farm_open_mmio(&farm, &map) == MODFAB_NOT_FOUND && modfab_farm_words(&farm) == 0);
  }
  map.regs.CAPABILITY = 0x10200203;
  CHECK(modfab_farm_open_mmio(&farm, &map) == MODFAB_OK && farm.cores == 32 && farm.id_bits == 16);
}

static void check_bus_errors(void) {
  static const uint32_t of_key[] = {
      offsetof(mf_rsa_farm_t, regs.STATUS),     offsetof(mf_rsa_farm_t, regs.E_BITS),
      offsetof(mf_rsa_farm_t, regs.CTRL),       offsetof(mf_rsa_farm_t, regs.IRQ_STATUS),
      offsetof(mf_rsa_farm_t, regs.ACCEPT),     offsetof(mf_rsa_farm_t, regs.SELECT),
      offsetof(mf_rsa_farm_t, regs.CAPABILITY), offsetof(mf_rsa_farm_t, regs.CYCLES_LO),
      offsetof(mf_rsa_farm_t, regs.CYCLES_HI),  offsetof(mf_rsa_farm_t, P),
      offsetof(mf_rsa_farm_t, Q) + 4,           offsetof(mf_rsa_farm_t, DP),
      offsetof(mf_rsa_farm_t, DQ),              offsetof(mf_rsa_farm_t, QI),
      offsetof(mf_rsa_farm_t, E) + 8,           offsetof(mf_rsa_farm_t, regs.IRQ_ENABLE),
  };
  static const uint32_t of_core[] = {
      offsetof(mf_rsa_farm_t, regs.STATUS),      offsetof(mf_rsa_farm_t, regs.SELECT),
      offsetof(mf_rsa_farm_t, regs.CORE_JOBS),   offsetof(mf_rsa_farm_t, regs.CYCLES_LO),
      offsetof(mf_rsa_farm_t, regs.CORE_FAULTS), offsetof(mf_rsa_farm_t, regs.CYCLES_HI),
  };
  static const uint32_t of_state[] = {
      offsetof(mf_rsa_farm_t, regs.STATUS),  offsetof(mf_rsa_farm_t, regs.ACCEPT),
      offsetof(mf_rsa_farm_t, regs.SERVICE), offsetof(mf_rsa_farm_t, regs.OUT_OF_SERVICE),
  };
  static const uint32_t identified[] = {
      offsetof(mf_rsa_farm_t, regs.ID),         offsetof(mf_rsa_farm_t, regs.VERSION),
      offsetof(mf_rsa_farm_t, regs.PRIME_BITS), offsetof(mf_rsa_farm_t, regs.MIN_PRIME_BITS),
      offsetof(mf_rsa_farm_t, regs.CAPABILITY),
  };
  modfab_farm_t farm;
  modfab_farm_core_t core;
  modfab_farm_state_t state;
  uint64_t cycles;
  for (size_t i = 0; i < sizeof of_key / sizeof *of_key; ++i) {
    CHECK(open_farm(&farm) == MODFAB_OK);
    failing_offset = of_key[i];
    CHECK(modfab_farm_load_key(&farm, &KEY, &cycles) == MODFAB_BUS_ERROR);
  }
  for (size_t i = 0; i < sizeof of_core / sizeof *of_core; ++i) {
    CHECK(open_farm(&farm) == MODFAB_OK);
    failing_offset = of_core[i];
    CHECK(modfab_farm_core(&farm, 1, &core) == MODFAB_BUS_ERROR);
  }
  for (size_t i = 0; i < sizeof of_state / sizeof *of_state; ++i) {
    CHECK(open_farm(&farm) == MODFAB_OK);
    failing_offset = of_state[i];
    CHECK(modfab_farm_state(&farm, &state) == MODFAB_BUS_ERROR);
  }
  for (size_t i = 0; i < sizeof identified / sizeof *identified; ++i) {
    CHECK(open_farm(&farm) == MODFAB_OK);
    failing_offset = identified[i];
    CHECK(modfab_farm_open(&farm, read_register, write_register, NULL, &map) == MODFAB_BUS_ERROR);
  }
  CHECK(open_farm(&farm) == MODFAB_OK);
  failing_offset = offsetof(mf_rsa_farm_t, D);
  CHECK(modfab_farm_load_key(&farm, &DERIVED, NULL) == MODFAB_BUS_ERROR);
  failing_offset = offsetof(mf_rsa_farm_t, regs.CTRL);
  CHECK(modfab_farm_zeroize(&farm) == MODFAB_BUS_ERROR);
  CHECK(modfab_farm_lock(&farm) == MODFAB_BUS_ERROR);
}

static void check_states(void) {
  modfab_farm_t farm;
  modfab_farm_state_t state;
  modfab_farm_core_t core;
  CHECK(open_farm(&farm) == MODFAB_OK);
  map.regs.STATUS = MF_RSA_FARM__REGS__STATUS__BUSY_bm;
  map.regs.ACCEPT = 1;
  farm.bus.max_polls = 5;
  CHECK(modfab_farm_load_key(&farm, &KEY, NULL) == MODFAB_TIMEOUT);
  CHECK(map.regs.CTRL == 0 && map.P.mem[0] == 0 && map.regs.ACCEPT == 0);
  map.regs.ACCEPT = 1;
  CHECK(modfab_farm_lock(&farm) == MODFAB_TIMEOUT);
  CHECK(map.regs.CTRL == 0 && map.regs.ACCEPT == 1);
  CHECK(modfab_farm_zeroize(&farm) == MODFAB_TIMEOUT);
  CHECK(map.regs.CTRL == MF_RSA_FARM__REGS__CTRL__ZEROIZE_bm);
  map.regs.CTRL = 0;
  map.regs.STATUS = MF_RSA_FARM__REGS__STATUS__LOCKED_bm | MF_RSA_FARM__REGS__STATUS__RECOVERING_bm;
  CHECK(modfab_farm_load_key(&farm, &KEY, NULL) == MODFAB_LOCKED);
  CHECK(map.regs.CTRL == 0 && map.P.mem[0] == 0 && map.regs.ACCEPT == 1);
  map.regs.SERVICE = 6;
  map.regs.OUT_OF_SERVICE = 1;
  CHECK(modfab_farm_state(&farm, &state) == MODFAB_OK);
  CHECK(!state.busy && state.locked && state.recovering && state.accepting);
  CHECK(state.in_service == 6 && state.out_of_service == 1);
  for (uint32_t code = 0; code < 16; ++code) {
    const modfab_status_t expected =
        code == 0                 ? MODFAB_OK
        : code <= 7 || code == 10 ? (modfab_status_t)(MODFAB_RSA_BASE + code)
                                  : MODFAB_UNKNOWN;
    map.regs.STATUS = code << MF_RSA_FARM__REGS__STATUS__ERROR_bp;
    CHECK(modfab_farm_core(&farm, 2, &core) == MODFAB_OK && core.status == expected);
    CHECK(map.regs.SELECT == 2);
    CHECK(modfab_farm_load_key(&farm, &KEY, NULL) == expected);
    CHECK(map.regs.ACCEPT == (code == 0));
  }
}

static uint32_t selected_status[3]; /* of each core */

static int read_selected(void *context, uint32_t offset, uint32_t *value) {
  if (offset != offsetof(mf_rsa_farm_t, regs.STATUS)) return read_register(context, offset, value);
  *value = selected_status[map.regs.SELECT] << MF_RSA_FARM__REGS__STATUS__ERROR_bp;
  return 0;
}

static void check_a_broken_core(void) {
  modfab_farm_t farm;
  CHECK(open_farm(&farm) == MODFAB_OK);
  farm.bus.read = read_selected;
  selected_status[0] = 4;
  selected_status[1] = 2;
  CHECK(modfab_farm_load_key(&farm, &DERIVED, NULL) == MODFAB_OK && map.regs.SELECT == 2);
  selected_status[2] = 5;
  CHECK(modfab_farm_load_key(&farm, &KEY, NULL) == MODFAB_RSA_FAULT);
}

static void check_packets(void) {
  static const uint32_t message[3] = {5, 6, 7};
  modfab_farm_t farm;
  modfab_farm_answer_t answer;
  uint32_t packet[5] = {0};
  CHECK(open_farm(&farm) == MODFAB_OK);
  CHECK(modfab_farm_job(&farm, 1 << 12, MODFAB_RSA_PRIVATE, message, packet) == MODFAB_PACKET);
  CHECK(packet[0] == 0 && packet[1] == 0);
  CHECK(modfab_farm_job(&farm, 0xFFF, MODFAB_RSA_PRIVATE, message, packet) == MODFAB_OK);
  CHECK(packet[0] == 0xFFF && memcmp(packet + 1, message, sizeof message) == 0 && packet[4] == 0);
  CHECK(modfab_farm_job(&farm, 9, MODFAB_RSA_PUBLIC, packet + 1, packet) == MODFAB_OK);
  CHECK(packet[0] == 0x10009 && memcmp(packet + 1, message, sizeof message) == 0);
  for (uint32_t code = 0; code < 16; ++code) {
    const int known = code <= 10;
    packet[3] = 2u << 24 | code << 16 | 0xABC;
    CHECK(modfab_farm_answer(&farm, packet, 4, &answer) == MODFAB_OK);
    CHECK(answer.id == 0xABC && answer.core == 2 && answer.result == packet);
    CHECK(answer.status == (code == 0 ? MODFAB_OK
                            : known   ? (modfab_status_t)(MODFAB_RSA_BASE + code)
                                      : MODFAB_UNKNOWN));
  }
  packet[3] = 3u << 24; /* there are three cores */
  CHECK(modfab_farm_answer(&farm, packet, 4, &answer) == MODFAB_PACKET);
  packet[3] = 1u << 20;
  CHECK(modfab_farm_answer(&farm, packet, 4, &answer) == MODFAB_PACKET);
  packet[3] = 1u << 29;
  CHECK(modfab_farm_answer(&farm, packet, 4, &answer) == MODFAB_PACKET);
  packet[3] = 0;
  CHECK(modfab_farm_answer(&farm, packet, 4, &answer) == MODFAB_OK);
  CHECK(modfab_farm_answer(&farm, packet, 3, &answer) == MODFAB_PACKET);
  CHECK(modfab_farm_answer(&farm, packet, 5, &answer) == MODFAB_PACKET);
  CHECK(modfab_farm_answer(&farm, packet, 0, &answer) == MODFAB_PACKET);
}

static void check_memory(void) {
  modfab_farm_t farm;
  CHECK(open_farm(&farm) == MODFAB_OK);
  CHECK(modfab_farm_open_mmio(&farm, &map) == MODFAB_OK);
  CHECK(modfab_farm_load_key(&farm, &KEY, NULL) == MODFAB_OK);
  CHECK(map.P.mem[0] == 1 && map.QI.mem[0] == 1 && map.E.mem[0] == 1 && map.D.mem[0] == 0);
  CHECK(map.P.mem[2] == 0 && map.E.mem[3] == 0 && map.regs.E_BITS == 1 && map.regs.ACCEPT == 1);
  CHECK(map.regs.CTRL == MF_RSA_FARM__REGS__CTRL__KEY_bm);
  CHECK(modfab_farm_lock(&farm) == MODFAB_BUS_ERROR && map.regs.ACCEPT == 1); /* not locked */
  CHECK(map.regs.CTRL == MF_RSA_FARM__REGS__CTRL__LOCK_bm);
  map.regs.STATUS = MF_RSA_FARM__REGS__STATUS__LOCKED_bm;
  CHECK(modfab_farm_lock(&farm) == MODFAB_OK && map.regs.ACCEPT == 1);
  CHECK(map.regs.CTRL == MF_RSA_FARM__REGS__CTRL__LOCK_bm);
  CHECK(modfab_farm_accept(&farm, 0) == MODFAB_OK && map.regs.ACCEPT == 0);
  CHECK(modfab_farm_lock(&farm) == MODFAB_OK && map.regs.ACCEPT == 0);
  CHECK(modfab_farm_fault_limit(&farm, 255) == MODFAB_OK && map.regs.FAULT_LIMIT == 255);
  CHECK(modfab_farm_irq_enable(&farm, MODFAB_FARM_IRQ_FAULT) == MODFAB_OK);
  CHECK(map.regs.IRQ_ENABLE == MF_RSA_FARM__REGS__IRQ_ENABLE__FAULT_bm);
  CHECK(modfab_farm_irq_clear(&farm, MODFAB_FARM_IRQ_DONE) == MODFAB_OK);
  CHECK(map.regs.IRQ_STATUS == MF_RSA_FARM__REGS__IRQ_STATUS__DONE_bm);
}

int main(void) {
  check_identity();
  check_width();
  check_counts();
  check_bus_errors();
  check_states();
  check_a_broken_core();
  check_packets();
  check_memory();
  printf("%d failures\n", failures);
  return failures != 0;
}
