; SPDX-License-Identifier: Apache-2.0
; Programs of the RSA core. Instructions: rtl/rsa/README.md; text form: modfab.models.rsa.assembler.
;
; Constants of a build: H bits of a prime; HW words of H bits, HV = HW + 1; NW words of 2 H bits;
; K words that are below every prime; EB exponent bits of a private half, EBW of their words random,
; XW words of an exponent; XALIGN, EALIGN powers of two that a sequencer's word numbers stay below, so that an exponent's address
; and a word number need no carry; BLIND, HARD, ADDR (slot numbers are masked): 1 or 0; ENG engines, 1 or 2 (unit 0 for p, unit 1 for q); WIDE 1 where an engine takes
; every number of HW words, FACTOR 1 where it multiplies what it loads, else 0; SUM where it takes every number and its loads can add the
; slot that they load, divided by 2^SUM, with PLUS beside the factor's slot, else 0; SHORT 1 where the halves of a message are added before
; the blinder (WIDE without HARD and SUM); TWICE 1 where it has
; two such engines; MERGED 1 where these, with HARD, also make the difference of a recombination, and INVERSE is QI 2^SUM R, SHARE - QI S R
; modulo p; AHEAD 1 where an operation ends with products that the next one begins with, APART 1 where a sequencer
; leaves slots 6 and 7 alone, too; the slots ONE, R, R2,
; MOD of an engine and those behind what an exponentiation overwrites: WEIGHT (2^32K R, the weight of
; a chunk; with SUM 2^(32 HW + SUM) R), INVERSE (modulo p QI R; modulo q R / S), SHARE (QI S R, modulo p), SCALE (2^SUM R, with TWICE), CHECK (with TWICE: of one check), and the blinders A,
; B = A^-d, V = A^-1, each times R; SW words of S; the endings KEY, OPERAND, FAULT, ENTROPY.
;
; TAIL cycles from where the word machine goes on behind a load until an exponentiation can begin. KEYS keys that the core keeps, each in its context. The words before C are the chosen one's; BANK, a power of two, is where the others
; begin, and every one after it: 1 for one key. KEEP 1 where engines keep what is made of a key, so that a change stores and loads it;
; RESUME 1 where such an engine has a short set-up, from R^2 times SEED1 SEED2.
;
; GEN 1 where the core makes its keys: `derive` makes P and Q, too, and `key` leaves N as a result. Numbers of that: modfab.models.rsa.keygen.
;
; PUBLIC 1, else PRIV 1: a core that verifies only. P is n there, the engine as wide as n, H its
; bits, and of a key there is only E besides. MV words of a result's variable.
;
; With two engines both primes go through the same instructions at the same time. A macro that does so
; has two words of each: the first for p, the second for q. With one engine the first one counts.

; ---- memory: the key first, then what is made of it, then what one operation uses ----
.var P, HV
.var Q, HV * PRIV
.var DP, HV * PRIV
.var DQ, HV * PRIV
.var QI, HV * PRIV
.align EALIGN
.var E, NW
.var D, NW * PRIV       ; program derive only
.var KEY_END, 0
.var AP, HV * PRIV      ; blinders, where an engine has to give up its prime
.var BP, HV * PRIV
.var VP, HV * PRIV
.var VQ, HV * PRIV
.var AQ, HV * PRIV
.var BQ, HV * PRIV
.var S, HV * PRIV * HARD ; a short random factor of the key, below P and Q, and its inverse modulo Q
.var SQ, HV * PRIV * HARD * (ENG == 1)
.var UNITY, HV          ; the number 1
.var ZERO, HV           ; the number 0
.var P1, HV * PRIV      ; P - 1, Q - 1
.var Q1, HV * PRIV
.var N, (2 * HW + 1) * PRIV  ; the highest word is 0
.var N2, HV * PUBLIC    ; copies of P and E
.align 1 + (EALIGN - 1) * PUBLIC
.var E2, NW * PUBLIC
.var WP, HV * KEEP      ; slots WEIGHT, INVERSE, SHARE and SCALE, and what a short set-up takes for R2
.var WQ, HV * KEEP
.var IP, HV * KEEP
.var IQ, HV * KEEP * HARD
.var SP, HV * KEEP * HARD
.var CP, HV * KEEP * TWICE
.var CQ, HV * KEEP * TWICE
.var RP, HV * KEEP * RESUME
.var RQ, HV * KEEP * RESUME
.align BANK
.var C, NW              ; message in
.var M, MV              ; result
.var M_END, 0
.var WORK, 0
.var C2, NW             ; copies that the check uses; the host's writes to C come here too
.var SMALLS, 8 * GEN    ; of the program that makes a key: SMALL and a 0 behind it, other constants
.var UNITS, 3 * GEN
; from here on cleared at the end of every operation
.var M2, MV + HARD
.align XALIGN
.var XD, XW             ; blinded exponents, each with the masks of its slot numbers behind it
.var XDM, ADDR * (XW + 1)
.var RND, EBW + (EBW == 0)
.align 1 + (XALIGN - 1) * (ENG - 1)
.var XE, (ENG - 1) * XW
.var XEM, (ENG - 1) * ADDR * (XW + 1)
.var MQ, HV * PRIV
.var X1, HV
.var X2, HV * PRIV
.var Y1, HV
.var Y2, HV * PRIV
.var Z1, HV
.var Z2, HV * PRIV + 2 * PUBLIC
.var T, HV
.var U, HV
.var WORK_END, 0
.align BANK
.var OTHERS, (KEYS - 1) * BANK ; key words of the other contexts

.macro copy, DST, SRC, LEN
  sel DST, SRC, SRC, LEN
.end

; DST <- A + B mod PRIME, A and B below PRIME.
.macro add_mod, DST, A1, B1, PRIME
  add T, A1, B1, HV
  sub U, T, PRIME, HV
  sel DST, T, U, HV     ; borrows exactly when the sum is below PRIME
.end

; ---- both engines at once where there are two ----
.macro both_load, SLOT, WORDS1, WORDS2, BY
  .let LOADED_BY, BY * FACTOR
  .if ENG == 1
    load SLOT, WORDS1, LOADED_BY
  .end
  .if ENG == 2
    load2 SLOT, WORDS1, WORDS2, LOADED_BY
  .end
  .if (BY > 0) * (FACTOR == 0)
    both_mul SLOT, SLOT, BY
  .end
.end

.macro both_mul, SLOT, A1, B1
  .if ENG == 1
    mul SLOT, A1, B1
  .end
  .if ENG == 2
    mul2 SLOT, A1, B1
  .end
.end

.macro both_store, WORDS1, WORDS2, SLOT
  .if ENG == 1
    store WORDS1, SLOT
  .end
  .if ENG == 2
    store2 WORDS1, WORDS2, SLOT
  .end
.end

; SLOT <- words times slot BY / R, and SLOT / 2^SUM.
.macro both_add, SLOT, WORDS1, WORDS2, BY
  .if ENG == 1
    load SLOT, WORDS1, BY + PLUS
  .end
  .if ENG == 2
    load2 SLOT, WORDS1, WORDS2, BY + PLUS
  .end
.end

; The same on one engine.
.macro load_by, SLOT, WORDS, BY
  load SLOT, WORDS, BY * FACTOR
  .if FACTOR == 0
    mul SLOT, SLOT, BY
  .end
.end

; Slot 4 <- SRC * slot BY / R in unit 0, from the words of LEN.
.macro chunk_in, SRC, LEN, BY, DUAL
  .let WHOLE, WIDE * (LEN == HW)
  .if WHOLE == 0
    set T, 0, HV
    copy T, SRC, LEN
  .end
  .let FROM, WHOLE * SRC + (1 - WHOLE) * T
  .if DUAL
    both_load 4, FROM, FROM, BY
  .end
  .if DUAL == 0
    load_by 4, FROM, BY
  .end
.end

; SLOT <- SRC * slot BY / R modulo each prime, SRC of NW words, where loads can add: the upper half comes first, times slot UPPER, which has
; BY * WEIGHT / R. Nothing is added but products with a blinder.
.macro residue_sum, SLOT, SRC, BY, UPPER
  both_load SLOT, SRC + HW, SRC + HW, UPPER
  both_add SLOT, SRC, SRC, BY
.end

; DST1 <- SRC * slot BY / R mod P, DST2 the same mod Q. Only blinded sums appear: each chunk is
; multiplied by a blinder before anything is reduced. Slot 6 has the factor of the chunk; READY: that
; of the second chunk is there.
.macro residues, DST1, DST2, SRC, WORDS, BY, DUAL, PRIME, READY
  .let SUMS, (SUM > 0) * (WORDS == NW)
  .if SUMS
    .if READY == 0
      both_mul 6, BY, WEIGHT
    .end
    residue_sum 4, SRC, BY, 6
    both_store DST1, DST2, 4
  .end
  .if SUMS == 0
    residues_apart DST1, DST2, SRC, WORDS, BY, DUAL, PRIME, READY
  .end
.end

.macro residues_apart, DST1, DST2, SRC, WORDS, BY, DUAL, PRIME, READY
  .let CHUNK, K + WIDE * (HW - K)
  .repeat I, (WORDS + CHUNK - 1) / CHUNK
    .let LEN, CHUNK - (I * CHUNK + CHUNK > WORDS) * (I * CHUNK + CHUNK - WORDS)
    .if (I == 1) * DUAL * (1 - READY)
      both_mul 6, BY, WEIGHT
    .end
    .if (I > 1) * DUAL
      both_mul 6, 6, WEIGHT
    .end
    .if (I == 1) * (1 - DUAL)
      mul 6, BY, WEIGHT
    .end
    .if (I > 1) * (1 - DUAL)
      mul 6, 6, WEIGHT
    .end
    chunk_in SRC + I * CHUNK, LEN, BY * (I == 0) + 6 * (I > 0), DUAL
    .if (I == 0) * DUAL
      both_store DST1, DST2, 4
    .end
    .if (I == 0) * (1 - DUAL)
      store DST1, 4
    .end
    .if (I > 0) * DUAL
      both_store Y1, Y2, 4
      add_mod DST1, DST1, Y1, PRIME
      .if ENG == 2
        add_mod DST2, DST2, Y2, Q
      .end
    .end
    .if (I > 0) * (1 - DUAL)
      store Y1, 4
      add_mod DST1, DST1, Y1, PRIME
    .end
  .end
.end

; Slot 4 <- SRC * slot BY / R modulo each prime, times R where FORM is R2 and not 0. Where an engine reduces what it loads and HARD does
; not ask for more, the sum is made before the blinder: Y < P, and SRC + Y - P is taken if positive.
.macro low_sum, DST, SRC, Y, PRIME
  add T, SRC, Y, HW
  sub U, PRIME, Y, HW
  sub U, SRC, U, HW     ; borrows exactly when the sum is below PRIME
  sel DST, T, U, HW
.end
.macro blinded, SRC, BY, PRIME, FORM, READY
  .let FACTOR_SLOT, BY * (FORM == 0) + 7 * (FORM > 0)
  .if SHORT * (FORM > 0)
    both_mul 7, BY, FORM
  .end
  .if SHORT
    both_load 4, SRC + HW, SRC + HW, WEIGHT
    both_store Y1, Y2, 4
    low_sum X1, SRC, Y1, PRIME
    .if ENG == 2
      low_sum X2, SRC, Y2, Q
    .end
    both_load 4, X1, X2, FACTOR_SLOT
  .end
  .if SUM
    .if READY == 0
      both_mul 6, BY, WEIGHT
    .end
    residue_sum 4, SRC, BY, 6
    .if FORM > 0
      both_mul 4, 4, FORM
    .end
  .end
  .if (SHORT == 0) * (SUM == 0)
    residues X1, X2, SRC, NW, BY, 1, PRIME, READY
    both_load 4, X1, X2, FORM
  .end
.end

; Products that go on beside words: the factor of the second chunk, where `blinded` has one; for a
; check also B^2 with two engines and what frees the other side.
.macro second_chunk, BY
  .if SHORT == 0
    both_mul 6, BY, WEIGHT
  .end
.end
.macro before_check
  .if ENG == 2
    both_mul B, B, B
  .end
  .if TWICE
    both_mul 7, V, SCALE
  .end
  .if (SHORT == 0) * (TWICE == 0)
    both_mul 6, B, WEIGHT
    both_mul 7, V, R2
  .end
.end

; ---- comparisons ----
; Two ways that share no flag, each shown to say no: by a known inequality, by a borrow. The borrow
; takes what `sel` makes of its second operand: if that was 0 always, unlike words could become alike.
.macro same, A1, B1, LEN, CODE
  same_left A1, B1, LEN, CODE, T
.end
; The same; the last difference, which is 0, goes to LEFT.
.macro same_left, A1, B1, LEN, CODE, LEFT
  eq A1, B1, LEN
  need 1, 1, CODE
  sub T, A1, B1, LEN
  need 0, 0, CODE
  sub LEFT, B1, A1, LEN
  need 0, 0, CODE
.end

.macro comparisons_work
  eq UNITY, ZERO, 1
  need 1, 0, FAULT
  sub T, UNITY, ZERO, 1
  sel T, ZERO, UNITY, 1
  sub T, ZERO, T, 1
  need 0, 1, FAULT
.end

; ---- an engine and its prime ----
; Engine <- PRIME; a modulus that it refuses ends the program.
.macro enter, PRIME
  load MOD, PRIME, 0
  setup 0
.end

; With two engines: each takes its prime, by a short set-up where SHORT is not 0.
.macro enter_both, PRIME1, PRIME2, SHORT
  load MOD, PRIME1, 0
  unit 1
  load MOD, PRIME2, 0
  unit 0
  setup2 SHORT
.end

.macro weight
  .if SUM
    weight_of_sum
  .end
  set T, 0, HV
  set T + K * (1 - WIDE) + HW / 2 * WIDE, 1, 1
  .if SUM
    both_load 4, T, T, R2
    both_mul WEIGHT, WEIGHT, 4
    both_mul WEIGHT, WEIGHT, 4
  .end
  .if SUM == 0
    both_load WEIGHT, T, T, R2
    .if WIDE
      both_mul WEIGHT, WEIGHT, WEIGHT
    .end
  .end
.end

; WEIGHT <- 2^SUM R: a product of powers of two that have H bits at most, each a word with one of its lowest 13 bits set. With TWICE slot
; SCALE keeps it.
.macro weight_of_sum
  .let LAST, (H - 13) / 32
  .let ALL, SUM / 32
  .let ODD, SUM - ALL * 32
  .let PIECES, (ALL + LAST - 1) / LAST
  .repeat I, PIECES + (PIECES * 12 < ODD) * ((ODD + 11) / 12 - PIECES)
    .let LEFT, (ALL > I * LAST) * (ALL - I * LAST)
    .let REST, (ODD > I * 12) * (ODD - I * 12)
    set T, 0, HV
    set T + LEFT - (LEFT > LAST) * (LEFT - LAST), 2 ** (REST - (REST > 12) * (REST - 12)), 1
    .if I == 0
      both_load WEIGHT, T, T, R2
    .end
    .if I > 0
      both_load 4, T, T, R2
      both_mul WEIGHT, WEIGHT, 4
    .end
  .end
  .if TWICE
    both_mul SCALE, WEIGHT, R
  .end
.end

; With one engine: it takes PRIME, its weight and its blinders. Slot 5 gets a value of these, so that
; the first product of an exponentiation does not overwrite what follows from an earlier message.
.macro enter_all, PRIME, A1, B1, V1
  enter PRIME
  weight
  both_load A, A1, A1, R2
  both_load B, B1, B1, R2
  both_load V, V1, V1, R2
  mul 5, A, B
.end

; The blinders are squared after each use; with two engines B later, in `before_check`.
.macro evolve
  both_mul A, A, A
  .if ENG == 1
    both_mul B, B, B
  .end
  both_mul V, V, V
.end
.macro keep_blinder, WORDS1, SLOT, BY_WAY_OF
  mul BY_WAY_OF, SLOT, ONE
  store WORDS1, BY_WAY_OF
.end

; Fresh masks for an exponentiation's slot numbers, where they are masked.
.macro masks, WORDS
  .if ADDR
    rnd WORDS, XW + 1
  .end
.end

; Slot 5 <- slot 4 ^ (BITS bits of XD), with fresh masks.
.macro power, BITS
  masks XDM
  exp XD, BITS
.end

; The same on both engines, the exponent of unit 1 in XE.
.macro power2, BITS
  masks XDM
  masks XEM
  exp2 XD, XE, BITS
.end

; ---- a half: C^d times what `freed` takes off, or C^e in the same way, in slot 5 ----
; POWER <- EXPONENT + k LESS1 with EBW random words k; LESS1 is the prime less 1.
.macro blind_exponent, POWER, LESS1, EXPONENT
  random_multiple POWER, EXPONENT
  add_multiple POWER, LESS1
.end
.macro random_multiple, POWER, EXPONENT
  copy POWER, EXPONENT, HW
  .if EBW > 0
    rnd RND, EBW
  .end
.end
.macro add_multiple, POWER, LESS1
  .repeat I, EBW
    mac POWER + I, LESS1, RND + I, HW
  .end
.end

.macro private_half, PRIME
  blinded C, A, PRIME, 0, ENG == 2
  .if SUM
    unit 0
  .end
.end

; A load runs on for TAIL cycles, of which so many are over: the rest, so that no word of a message is in an engine when an exponentiation
; begins there.
.macro settle, OVER
  .repeat I, (TAIL > OVER) * (TAIL - OVER + 3) / 4
    unit 0
  .end
.end

; The same with TWICE, to slot 5. While the exponent of unit 1 is blinded, the message's last digits leave the engine.
.macro private_halves
  .if APART
    mul 6, 7, CHECK       ; of unit 0: times the next A
  .end
  .if AHEAD == 0
    both_mul 6, A, WEIGHT
  .end
  begin
  random_multiple XD, DP
  .if AHEAD == 0
    add_multiple XD, P1
  .end
  both_load 4, C + HW, C + HW, 6 - AHEAD
  .if AHEAD
    add_multiple XD, P1
  .end
  masks XDM
  both_add 4, C, C, A
  blind_exponent XE, Q1, DQ
  unit 0
  settle HW + 5 + (EBW > 0) * (EBW + 4) + EBW * (HW + 11) + 4
  masks XEM
  exp2 XD, XE, EB
  .if AHEAD == 0
    freed B
  .end
.end

; Where AHEAD, what the next operation begins with; of the blinders only, which are the next ones' here. Slot 5: the factor of a message's
; upper half; slot 7, where APART, else CHECK: what `freed` makes of B; slot CHECK, where APART: A^2, which will be the blinder then.
.macro next_freed, BY
  both_mul 7 * APART + CHECK * (1 - APART), INVERSE, BY
.end
.macro made_ahead, FREED  ; FREED 0: slot 7 is made already
  .if AHEAD * (FREED + 1 - APART)
    next_freed B
  .end
  .if APART
    both_mul CHECK, A, A
  .end
  .if AHEAD
    both_mul 5, A, WEIGHT
  .end
.end

; Slot BY frees the half in slot 5. Where HARD, slot 6 will do it, on the way to a value that does not
; tell the half: times 1 / S modulo q, times QI and the next A modulo p.
.macro freed, BY
  .if HARD
    both_mul 6, INVERSE, BY
  .end
  .if HARD == 0
    both_mul 5, 5, BY
  .end
.end

.macro public_half, PRIME
  blinded C, B, PRIME, R2, 0
  expe E
  both_mul 5, 5, ONE
  .if AHEAD
    next_freed A
  .end
  .if APART
    mul 6, 7, CHECK
  .end
  .if AHEAD == 0
    freed A
  .end
.end

; M <- the number below N that is MP modulo P and MQ modulo Q, from slot 5 of unit 0, which holds P.
; With two engines the half of q is still in slot 5 of unit 1. EARLY: the check compares with C2.
.macro recombine, EARLY
  .if HARD
    recombine_shared EARLY
  .end
  .if HARD == 0
    recombine_plain EARLY
  .end
.end

; With TWICE: what `prove_sum` begins with, beside row I of a recombination.
.macro beside_row, I, EARLY
  .let STEP, HW / 8       ; of HW + 1 rows; so many last longer than a load
  .if TWICE * EARLY
    .if I == STEP
      both_mul 6, 7, SCALE
    .end
    .if I == 2 * STEP
      both_mul CHECK, 6, WEIGHT
    .end
    .if I == 3 * STEP
      both_load CHECK, C2 + HW, C2 + HW, CHECK
    .end
    .if I == 4 * STEP
      both_add CHECK, C2, C2, 6
    .end
    .if I == 5 * STEP
      both_add CHECK, P1, Q1, 7
    .end
  .end
  .if APART * (I == 5 * STEP)
    both_mul B, B, B
  .end
  .if TWICE
    .if I == 6 * STEP
      both_mul 5, B, R2
    .end
    .if I == 7 * STEP
      both_mul 6, 5, WEIGHT
    .end
  .end
  .if APART * EARLY * (I == HW)
    next_freed B
  .end
.end

; MQ + Q h with h = (MP - MQ) QI mod P.
.macro recombine_plain, EARLY
  mul 5, 5, INVERSE
  difference INVERSE
  before_check
  copy M, MQ, HW
  .repeat I, HW
    mac M + I, Q, X1 + I, HW
    beside_row I, EARLY
  .end
  copy M2, M, 2 * HW
.end

; Neither half and no digit of the result to the base Q is formed. MQ has w = (half of q) / S mod Q.
; w S is (half of q) + j Q with j < S, and h = (MP - w S) QI mod P, computed times A and freed by V,
; which is A^-1. w S + Q h is the result or the result and N. Q (h + k P) - k N is taken for Q h, k one
; random word.
.macro recombine_shared, EARLY
  .if APART
    prepared_difference
  .end
  .if MERGED * (1 - APART)
    merged_difference
  .end
  .if MERGED == 0
    mul 6, 6, A
    both_mul 5, 5, 6
    mul 7, SHARE, A
    difference 7
    load_by 4, X1, V
    store X1, 4
    before_check
    rnd RND, 1
    mac X1, P, RND, HW
    set M2, 0, HW
    share_rows
  .end
  .repeat I, HW + 1       ; each row writes the highest word that the next one reads
    mac M2 + I, Q, X1 + I, HW
    beside_row I, EARLY
  .end
  .let MULTIPLE, MERGED * Y1 + (1 - MERGED) * X1
  .if MERGED
    add M2 + HW, M2 + HW, T, HW + 1
  .end
  .if MERGED == 0
    add M2 + HW, M2 + HW, T, SW
    adc M2 + HW + SW, M2 + HW + SW, ZERO, HW + 1 - SW
    multiple_of_n X1
    sub M2, M2, X1, 2 * HW + 1
  .end
  sub MULTIPLE, M2, N, 2 * HW + 1
  sel M2, M2, MULTIPLE, 2 * HW + 1
  .if MERGED == 0
    copy M, M2, 2 * HW
    set X1 + HW, 0, 1     ; the last one of X1 has to be 0 again
  .end
.end

; The lowest words of M2 <- w S, T its highest ones. With MERGED w S - k N, below 0, the highest bits of T ones: so that less is left to do
; when the rows of Q have been added.
.macro share_rows
  .repeat I, SW
    mac M2 + I, MQ, S + I, HW
  .end
  .if MERGED
    sub M2, M2, Y1, 2 * HW + 1
  .end
  copy T, M2 + HW, MERGED * (HW + 1) + (1 - MERGED) * SW
.end

; X1 <- h + k P, MQ and the rows of w S - k N. The blinders are squared here; words that need no engine run beside products.
.macro prepared_difference
  unit 1
  mul 5, 5, 7
  unit 0
  mul 5, 5, 6
  rnd RND, 1
  multiple_of_n Y1
  mul 7, SHARE, CHECK
  set M2, 0, 2 * HW + 1
  mul V, V, V
  unit 1
  store MQ, 5
  unit 0
  load 5, MQ, 7 + PLUS
  mul 4, 5, V
  unit 1
  mul A, A, A
  mul V, V, V
  unit 0
  share_rows
  store X1, 4
  mul A, A, A
  both_mul 7, V, SCALE
  mac X1, P, RND, HW
.end
.macro merged_difference
  .let FREES, 6 * (1 - AHEAD) + CHECK * AHEAD
  unit 1
  mul 5, 5, FREES
  unit 0
  mul A, A, A
  mul 6, FREES, A
  rnd RND, 1
  multiple_of_n Y1
  mul 5, 5, 6
  set M2, 0, 2 * HW + 1
  mul 7, SHARE, A
  unit 1
  store MQ, 5
  unit 0
  load 5, MQ, 7 + PLUS
  both_mul V, V, V
  unit 1
  mul A, A, A
  unit 0
  mul 4, 5, V
  share_rows
  store X1, 4
  before_check
  mac X1, P, RND, HW
.end

; DST <- N times the word RND, on the words of DST and of the variable behind it.
.macro multiple_of_n, DST
  set DST, 0, 2 * HW
  mac DST, N, RND, 2 * HW
.end

; Z1 <- slot 5 of unit 0, with two engines MQ <- slot 5 of unit 1; X1 <- Z1 - MQ * slot BY / R mod P.
.macro difference, BY
  .if ENG == 1
    store Z1, 5
  .end
  .if ENG == 2
    store2 Z1, MQ, 5
  .end
  .if WIDE
    load_by 4, MQ, BY
    store X1, 4
  .end
  .if WIDE == 0
    residues X1, X1, MQ, HW, BY, 0, P, 0
  .end
  sub X1, Z1, X1, HV
  add U, X1, P, HV      ; carries out exactly when the difference has borrowed
  sel X1, U, X1, HV
.end

; ---- the check: FROM^E = TO modulo both primes, all values blinded: (FROM B)^E = TO V ----
; In Montgomery form from the load to the store, so that a wrong 1 or R^2 of the engine does not
; cancel. Then -1 goes through V R^2, A = V^-1 and 1 and has to come back: blinders of 0, or an engine
; whose set-up has run by itself, may agree with themselves on wrong values. The words of q stand
; right behind those of p, so that both are compared at once; their highest words are 0.
.macro prove_half, FROM, TO, PRIME, LESS1, READY
  .let LEN, HW + (ENG == 2) * HV
  blinded FROM, B, PRIME, R2, READY
  expe E
  both_store Z1, Z2, 5
  .if READY * (SHORT == 0) == 0
    both_mul 7, V, R2
  .end
  residues X1, X2, TO, NW, 7, 1, PRIME, 0
  both_load 4, LESS1, Q1, 7
  both_mul 4, 4, A
  both_mul 4, 4, ONE
  .if READY * (SUM > 0)  ; beside the products
    comparisons_work
    set XD, 0, X1 - XD
  .end
  both_store Y1, Y2, 4
  same X1, Z1, LEN, FAULT
  eq Y1, LESS1, LEN
  need 1, 1, FAULT
.end

; With TWICE both are one number: A (D - V), D = TO V - (FROM B)^E, is -1 where D is 0 and A V is 1. Loads make the sums, and divide what they
; add to: TO V has SCALE twice as a factor in the beginning, V once. EARLY: `beside_row` has made the terms of TO and V. Slots 5 and 6 have the
; factors of FROM.
.macro first_terms, TO
  both_mul 6, 7, SCALE
  both_mul CHECK, 6, WEIGHT
  residue_sum CHECK, TO, 6, CHECK
  both_add CHECK, P1, Q1, 7
.end
.macro prove_sum, FROM, TO, EARLY
  both_load 4, FROM + HW, FROM + HW, 6
  .if MERGED              ; beside the load
    copy M, M2, 2 * HW
    set Y1 + HW, 0, 1     ; is compared, and has to be 0 again
  .end
  both_add 4, FROM, FROM, 5
  set XD, 0, X1 - XD
  settle X1 - XD + 5
  expe E
  .if EARLY == 0
    first_terms TO
  .end
  both_add CHECK, P1, Q1, 5
  both_mul 4, CHECK, A
  set X1, 0, Y1 - X1      ; beside the product
  comparisons_work
  sub T, M, M2, MV        ; for the second way of `finish`
  need 0, 0, FAULT
  both_store Y1, Y2, 4
  made_ahead 1 - EARLY
  same_left Y1, P1, HW + HV, FAULT, Y1
.end

.macro prove, FROM, TO, EARLY
  .if TWICE
    prove_sum FROM, TO, EARLY
  .end
  .if SUM == 0
    comparisons_work
  .end
  .if TWICE == 0
    prove_half FROM, TO, P, P1, 1
  .end
  .if ENG == 1
    enter_all Q, AQ, BQ, VQ
    prove_half FROM, TO, Q, Q1, 0
  .end
.end

.macro begin
  sub M2, C, N, NW
  need 0, 1, OPERAND
.end

; Nothing is written to M between its last comparison and its release.
.macro finish
  .let DONE, (SUM > 0) * (X1 - XD) ; words that `prove` has cleared
  .if TWICE == 0          ; else all others are 0, too: those of a comparison that has said yes
    set XD + DONE, 0, WORK_END - XD - DONE
  .end
  eq M, M2, MV
  need 1, 1, FAULT
  .if TWICE == 0          ; else `prove` has done it
    sub T, M, M2, MV
    need 0, 0, FAULT
  .end
  release
  halt
.end

; With one engine, which is left with P and its blinders: the half of q to MQ, the blinders squared.
; They are stored by way of a slot: of slot 5 after q, so that the half, which is not blinded there,
; is gone before the exponentiation modulo p writes that slot.
.macro after_half, A1, B1, V1, BY_WAY_OF
  evolve
  keep_blinder A1, A, BY_WAY_OF
  keep_blinder B1, B, BY_WAY_OF
  keep_blinder V1, V, BY_WAY_OF
.end

; INVERSE and SHARE of the engine that holds P.
.macro inverse_p
  load_by INVERSE, QI, R2
  .if HARD * (1 - MERGED)
    load_by SHARE, S, INVERSE
    mul SHARE, SHARE, R2
  .end
.end

.macro enter_q
  enter_all Q, AQ, BQ, VQ
  .if HARD
    load_by INVERSE, SQ, R2
  .end
.end

; MQ <- the half of q, or what `freed` makes of it. The blinders are squared.
.macro keep_q
  .if HARD
    mul 5, 5, 6
  .end
  store MQ, 5
  after_half AQ, BQ, VQ, 5
.end

.macro enter_p
  enter_all P, AP, BP, VP
  inverse_p
.end

.macro after_p
  after_half AP, BP, VP, 4
.end

; XD <- -PRIME^-1 mod 2^32, PRIME odd: from 3 bits, twice as many with each x <- x (2 + PRIME x).
.macro negative_inverse, PRIME
  sub XD, ZERO, PRIME, 1
  loop 4
    set Y1, 2, 1
    mac Y1, PRIME, XD, 1
    set T, 0, 1
    mac T, XD, Y1, 1
    copy XD, T, 1
  endloop
.end

; Where a program goes that did not pass a `need`.
.macro failed
  set C, 0, WORK_END - C
  halt
.end

.if PUBLIC              ; at address 0, where a loop goes whose begin a fault has cleared
.entry private          ; refused
.entry derive
.entry fail
  failed
.end

.if PRIV
.entry private
  .if TWICE == 0
    begin
  .end
  .if ENG == 1
    blind_exponent XD, Q1, DQ
    enter_q
    private_half Q
    power EB
    freed B
    keep_q
    blind_exponent XD, P1, DP
    enter_p
    private_half P
    power EB
    freed B
    after_p
  .end
  .if TWICE
    private_halves
  .end
  .if (ENG == 2) * (TWICE == 0)
    second_chunk A
    blind_exponent XD, P1, DP
    blind_exponent XE, Q1, DQ
    private_half P
    power2 EB
    freed B
  .end
  .if (ENG == 2) * (MERGED == 0)
    evolve
  .end
  recombine 1
  prove M2, C2, 1          ; the result to the power e is the message
  finish

.entry public
  begin
  .if ENG == 1
    enter_q
    public_half Q
    keep_q
    enter_p
    public_half P
    after_p
  .end
  .if ENG == 2
    public_half P
  .end
  .if (ENG == 2) * (MERGED == 0)
    evolve
  .end
  recombine 0
  prove C2, M2, 0          ; once more, from the copy of the message
  finish

; ---- the set-up of a key ----
; PRIME has to be longer than K words.
.macro key_prime, PRIME, LESS1
  set U, 0, HV
  set U + K, 1, 1
  sub U, U, PRIME, HV
  need 0, 1, KEY
  sub LESS1, PRIME, UNITY, HV
.end

; WORDS <- a random number of 2 .. 2^(32 K), 1 without BLIND; POWER <- LESS1 - EXPONENT.
.macro blinder, WORDS, LESS1, EXPONENT, POWER
  set WORDS, 1, HV
  .if BLIND
    rnd WORDS, K
    add WORDS, WORDS, UNITY, HV
    eq WORDS, UNITY, HV
    need 1, 0, ENTROPY
  .end
  sub POWER, LESS1, EXPONENT, HV
  need 0, 0, KEY
.end

; S <- random words, 2 for 0 and 1; 1 without BLIND.
.macro short_factor
  .if HARD
    set S, 1, HV
    .if BLIND
      rnd S, SW
      set T, 2, HV
      sub U, S, T, HV
      sel S, T, S, HV
    .end
  .end
.end

; Slot 4 <- the first blinder, slot A the same times R: the random number in WORDS1 or WORDS2, times S
; where HARD, so that 1 / S follows from V and that number.
.macro first_blinder, WORDS1, WORDS2
  both_load 4, WORDS1, WORDS2, 0
  .if HARD
    both_load 5, S, S, R2
    both_mul 4, 4, 5
  .end
  both_mul A, 4, R2
  both_mul 4, A, ONE ; written once more, right before it is used, as in every other program
.end

; Slot 5 has B = A^-d. B^E A = 1 shows that E and d fit each other and the prime; B^E is V.
.macro fits
  both_mul B, 5, R2
  both_mul 4, B, R
  expe E
  both_mul V, 5, R
  both_mul 4, A, V
  both_mul 4, 4, ONE
  both_store Y1, Y2, 4
  same Y1, UNITY, HW, KEY
  .if ENG == 2
    same Y2, UNITY, HW, KEY
  .end
.end

; SHORT: SQ <- 1 / S modulo PRIME.
.macro key_half, PRIME, LESS1, EXPONENT, A1, B1, V1, SHORT
  key_prime PRIME, LESS1
  blinder A1, LESS1, EXPONENT, XD
  enter PRIME
  weight
  first_blinder A1, A1
  power H
  store B1, 5
  fits
  .if SHORT
    load_by 4, A1, V
    store SQ, 4
  .end
  keep_blinder A1, A, 4
  keep_blinder V1, V, 4
.end

; ---- a change to another context: reads of key words are of the new one, writes of the old one ----
.macro store_blinders
  .if KEEP
    store2 AP, AQ, A
    store2 BP, BQ, B
    store2 VP, VQ, V
  .end
.end

; What `key` has left in the engines to the words that `change` takes it from.
.macro store_made
  .if KEEP
    store2 WP, WQ, WEIGHT
    .if HARD
      store2 IP, IQ, INVERSE
      store SP, SHARE
    .end
    .if HARD == 0
      store IP, INVERSE
    .end
    .if TWICE
      store2 CP, CQ, SCALE
    .end
    .if RESUME
      set T, SEED1, HV
      set U, SEED2, HV
      load2 4, T, T, R2
      load2 5, U, U, R2
      mul2 4, 4, 5
      mul2 4, 4, R2
      store2 RP, RQ, 4
    .end
  .end
.end

.if KEYS > 1
.entry change           ; to a context with a key
  store_blinders
  .if KEEP
    enter_both P, Q, RESUME
    .if RESUME
      load2 R2, RP, RQ, 0
      load2 R, UNITY, UNITY, R2
      load2 ONE, UNITY, UNITY, R
    .end
    load2 WEIGHT, WP, WQ, 0
    .if HARD
      load2 INVERSE, IP, IQ, 0
      load SHARE, SP, 0
    .end
    .if HARD == 0
      load INVERSE, IP, 0
    .end
    .if TWICE
      load2 SCALE, CP, CQ, 0
    .end
    load2 A, AP, AQ, 0
    load2 B, BP, BQ, 0
    load2 V, VP, VQ, 0
    made_ahead 1
  .end
  set C, 0, M2 + MV + HARD - C ; message and result of the old one, and their copies
  release
  halt
  halt                  ; where the first one is skipped: `leave` would store blinders of the new key

.entry leave            ; to one without; its words, the operation's and the engines are wiped then
  store_blinders
  release
  halt
  halt
.end

; N, the check of the key, the blinders.
.entry key
  set UNITY, 1, HV
  set ZERO, 0, HV
  comparisons_work
  short_factor
  .if ENG == 1
    key_half Q, Q1, DQ, AQ, BQ, VQ, HARD
    key_half P, P1, DP, AP, BP, VP, 0
  .end
  .if ENG == 2
    key_prime P, P1
    key_prime Q, Q1
    blinder X1, P1, DP, XD
    blinder X2, Q1, DQ, XE
    enter_both P, Q, 0
    weight
    first_blinder X1, X2
    power2 H
    fits
    .if HARD
      unit 1
      load_by INVERSE, X2, V
      mul INVERSE, INVERSE, R2
      unit 0
    .end
  .end
  inverse_p
  residues X1, X1, Q, HW, INVERSE, 0, P, 0
  same X1, UNITY, HV, KEY
  .if MERGED
    sub T, P, S, HV
    load 4, T, INVERSE
    mul INVERSE, INVERSE, SCALE
    mul SHARE, 4, R2
  .end
  set N, 0, HW
  .repeat I, HW
    mac N + I, P, Q + I, HW
  .end
  store_made
  made_ahead 1
  set C, 0, WORK_END - C
  .if GEN                 ; n once more, the other way round: no fault shows another number
    set M, 0, HW
    .repeat I, HW
      mac M + I, Q, P + I, HW
    .end
    same M, N, MV, FAULT
  .end
  release
  halt

; M2 <- (FROM - REST) / PRIME, LEN words of a quotient without remainder, from the lowest word on:
; each multiple of PRIME clears a word of REST - FROM. XD is -PRIME^-1 mod 2^32.
.macro exact_quotient, FROM, REST, PRIME, LEN
  sub MQ, REST, FROM, LEN
  loop LEN
    set M2 + LEN, 0, 1
    mac M2 + LEN, XD, MQ, 1
    mac MQ, PRIME, M2 + LEN, LEN
    copy MQ, MQ + 1, LEN
    copy M2, M2 + 1, LEN
  endloop
.end

; DST <- D mod (PRIME - 1), where the engine holds PRIME and REST is D mod PRIME. The digits of D to
; the base PRIME have the same sum modulo PRIME - 1: D = a PRIME + REST, a = a2 PRIME + Z1. With
; D < N, a is below the other prime and a2 below 2^(H - 32 K), so that the sum is at most 3 LESS1,
; or 4 LESS1 where a prime may have 33 bits.
.macro derive_exponent, DST, REST, PRIME, LESS1
  .let HIGH, (H - 32 * K + 31) / 32
  negative_inverse PRIME
  exact_quotient D, REST, PRIME, HW
  residues Z1, Z1, M2, HW, R, 0, PRIME, 0
  exact_quotient M2, Z1, PRIME, HIGH
  set M2 + HIGH, 0, HV - HIGH
  add X1, REST, Z1, HV
  add X1, X1, M2, HV
  .repeat I, 3 + (K == 1)
    sub U, X1, LESS1, HV
    sel X1, X1, U, HV
  .end
  copy DST, X1, HV
.end

; QI <- Q^(P - 2) mod P, where the engine (of two the first one) holds P.
.macro inverse_of_q
  residues X1, X1, Q, HW, R, 0, P, 0
  load 4, X1, 0
  set T, 2, HV
  sub XD, P, T, HV
  power H
  store QI, 5
  set C, 0, WORK_END - C
  release
  halt
.end

.if GEN
; ---- a key of the core's own: two primes that it finds, and exponents that fit E = 65537 ----
; The steps are the same whatever the numbers are, so that cycles tell nothing of them.

; DST <- VALUE of 32 bits; the word behind DST <- 0.
.macro constant, DST, VALUE
  .let TOP_DIGIT, VALUE / 2 ** 24
  .let MIDDLE, VALUE / 2 ** 12 - TOP_DIGIT * 2 ** 12
  set T, 4096, 1
  set U, TOP_DIGIT, 1
  set U + 1, MIDDLE, 1
  mac U + 1, U, T, 1
  set DST, VALUE - VALUE / 2 ** 12 * 2 ** 12, 1
  mac DST, U + 1, T, 1
.end

.macro small_constants
  constant SMALLS, SMALL
  constant SMALLS + 2, SMALL_NEG
  constant SMALLS + 3, SMALL_R2
  constant SMALLS + 4, STEP
  constant SMALLS + 5, LIFT
  constant SMALLS + 6, BASE
.end

; DST <- A1 B1 / 2^32 modulo SMALL, below 2 SMALL for factors below 4 SMALL, or below 2^32 and SMALL.
.macro small_product, DST, A1, B1
  set T, 0, 1
  mac T, A1, B1, 1
  set U, 0, 1
  mac U, T, SMALLS + 2, 1
  mac T, SMALLS, U, 2
  copy DST, T + 1, 1
.end

; UNITS <- a random unit modulo SMALL, at most SMALL: k + r - r k^ORDER, in Montgomery form until the last product.
.macro random_unit
  rnd UNITS, 2
  small_product UNITS, UNITS, SMALLS + 3
  small_product UNITS + 1, UNITS + 1, SMALLS + 3
  copy UNITS + 2, UNITS, 1
  .repeat I, ORDER_BITS - 1
    .let ABOVE, ORDER / 2 ** (ORDER_BITS - 2 - I)
    small_product UNITS + 2, UNITS + 2, UNITS + 2
    .if ABOVE - ABOVE / 2 * 2
      small_product UNITS + 2, UNITS + 2, UNITS
    .end
  .end
  small_product UNITS + 2, UNITS + 2, UNITS + 1
  add UNITS, UNITS, UNITS + 1, 1
  add UNITS, UNITS, SMALLS + 4, 1
  sub UNITS, UNITS, UNITS + 2, 1
  small_product UNITS, UNITS, UNITY
.end

; HALF <- STEP x + LIFT v + BASE, x random words below TOP, v a unit; PRIME <- 2 HALF + 1.
.macro candidate, PRIME, HALF
  random_unit
  set Z1, TOP, HV
  rnd Z1, HW - 1
  set Z1 + HW - 1, TOP, 1
  set HALF, 0, XW
  copy HALF, SMALLS + 6, 1
  mac HALF, SMALLS + 5, UNITS, 1
  mac HALF, Z1, SMALLS + 4, HW
  add PRIME, HALF, HALF, HV
  add PRIME, PRIME, UNITY, HV
.end

; WORDS <- a random base, below every prime where an engine does not take all numbers.
.macro random_base, WORDS
  set WORDS, 0, HV
  rnd WORDS, K + WIDE * (HW - K)
.end

; Y1 <- 1 where VALUE is 1 or -1 modulo PRIME, else 0.
.macro unit_root, VALUE, PRIME
  sub T, VALUE, UNITY, HV
  sub U, ZERO, T, HV    ; borrows where the difference is not 0
  sel Y1, ZERO, UNITY, HV
  sub T, PRIME, UNITY, HV
  sub T, T, VALUE, HV
  sub U, ZERO, T, HV
  sel Y1, Y1, UNITY, HV
.end

; KEPT <- PRIME, KEPT_HALF <- HALF where VALUE says that it is one.
.macro keep_prime, VALUE, PRIME, HALF, KEPT, KEPT_HALF
  unit_root VALUE, PRIME
  sub U, ZERO, Y1, HV   ; borrows for a prime
  sel KEPT, PRIME, KEPT, HV
  sel KEPT_HALF, HALF, KEPT_HALF, HV
.end

; VALUE <- a random base to the power HALF modulo PRIME; with two engines both.
.macro one_power, VALUE
  random_base Y1
  load 4, Y1, 0
  power H
  store VALUE, 5
.end
.macro both_powers
  random_base Y1
  random_base Y2
  set Z2, 0, HV         ; a store writes HW words
  both_load 4, Y1, Y2, 0
  power2 H
  both_store Z1, Z2, 5
.end

; A prime that is none after all is refused.
.macro need_root, VALUE, PRIME
  unit_root VALUE, PRIME
  eq Y1, UNITY, HV
  need 1, 1, KEY
.end
.macro rounds_of, PRIME, HALF
  enter PRIME
  copy XD, HALF, HV
  loop ROUNDS
    one_power Z1
    need_root Z1, PRIME
  endloop
.end

.macro find_primes
  set P, 0, DQ + HV - P
  loop TRIES
    .if ENG == 1
      candidate X1, XD
      enter X1
      one_power Z1
      keep_prime Z1, X1, XD, P, DP
      candidate X1, XD
      enter X1
      one_power Z1
      keep_prime Z1, X1, XD, Q, DQ
    .end
    .if ENG == 2
      candidate X1, XD
      candidate X2, XE
      enter_both X1, X2, 0
      both_powers
      keep_prime Z1, X1, XD, P, DP
      keep_prime Z2, X2, XE, Q, DQ
    .end
  endloop
.end

; DST <- FROM of two words modulo E = 2^16 + 1, below 2 E: 2^32 is 1, 2^16 is -1.
.macro mod_e, DST, FROM
  add FROM, FROM, FROM + 1, 1
  adc FROM, FROM, ZERO, 1
  set Z1, 0, 1
  mac Z1, FROM, SMALLS + 1, 1 ; the low half at the top of a word, the high half in the next one
  set Z2, 0, 1
  mac Z2, Z1, SMALLS + 1, 1
  add DST, Z2 + 1, E, 1
  sub DST, DST, Z1 + 1, 1
.end
.macro product_e, DST, A1, B1
  set Y2, 0, 1
  mac Y2, A1, B1, 1
  mod_e DST, Y2
.end

; DST <- 1 / E modulo LESS1 = (1 + k LESS1) / E, k = -1 / LESS1 modulo E.
.macro exponent_of, DST, LESS1
  set Y2, 0, 2
  copy MQ, LESS1, HV
  loop HW
    add Y2, Y2, MQ, 1
    adc Y2 + 1, Y2 + 1, ZERO, 1
    copy MQ, MQ + 1, HW
  endloop
  mod_e UNITS, Y2
  copy UNITS + 1, UNITS, 1
  loop 15               ; to the power 2^16 - 1
    product_e UNITS + 1, UNITS + 1, UNITS + 1
    product_e UNITS + 1, UNITS + 1, UNITS
  endloop
  sub U, UNITS + 1, E, 1
  sel UNITS + 1, UNITS + 1, U, 1
  sub UNITS, E, UNITS + 1, 1
  set X1, 1, HV
  mac X1, LESS1, UNITS, HW
  negative_inverse E
  exact_quotient X1, ZERO, E, HW
  copy DST, M2, HW
  set DST + HW, 0, 1
.end

; P, Q, E, DP, DQ, QI. `key` has to follow.
.entry derive
  set UNITY, 1, HV
  set ZERO, 0, HV
  comparisons_work
  small_constants
  find_primes
  key_prime P, P1       ; none has been found, else
  key_prime Q, Q1
  .if ENG == 1
    rounds_of Q, DQ
    rounds_of P, DP
  .end
  .if ENG == 2
    enter_both P, Q, 0
    copy XD, DP, HV
    copy XE, DQ, HV
    loop ROUNDS
      both_powers
      need_root Z1, P
      need_root Z2, Q
    endloop
  .end
  set E, 0, NW
  constant E, 65537
  constant SMALLS + 1, 65536
  exponent_of DP, P1
  exponent_of DQ, Q1
  weight
  set X1, 0, HV         ; a store writes HW words
  inverse_of_q
.end

; DP, DQ, QI of a key that is given by P, Q, D. `key` has to follow.
.if GEN == 0
.entry derive
  set UNITY, 1, HV
  set ZERO, 0, HV
  key_prime P, P1
  key_prime Q, Q1
  .if ENG == 1
    enter Q
    weight
    residues X1, X1, D, NW, R, 0, Q, 0
    derive_exponent DQ, X1, Q, Q1
    enter P
    weight
    residues X1, X1, D, NW, R, 0, P, 0
    derive_exponent DP, X1, P, P1
  .end
  .if ENG == 2
    enter_both P, Q, 0
    weight
    residues X1, X2, D, NW, R, 1, P, 0
    derive_exponent DP, X1, P, P1
    unit 1
    derive_exponent DQ, X2, Q, Q1
    unit 0
  .end
  inverse_of_q
.end

.end

; ---- a core that verifies only ----
.if PUBLIC
; -c in the engine, c = 2^10, to the third and back: -c^3 again for no other modulus close to P, and not with a wrong R2 or ONE. A modulus
; that is less by d has to divide d (d^2 - 3 c d + 3 c^2 - 1), whose second factor is never 0.
; First X1 <- P - c; then slot 6 <- -c^3, X1 <- P - c^3, RND <- c^3 beside the products.
.macro probe_word
  set T, 1024, HV
  sub X1, P, T, HW
.end
.macro probe
  both_load 4, X1, X1, R2
  mul 5, 4, 4
  mul 5, 5, 4
  mul 6, 5, ONE
  set Y1, 0, 2
  mac Y1, T, T, 1
  set Z1, 0, HV
  mac Z1, Y1, T, 1
  sub X1, P, Z1, HW
  copy RND, Z1, 1
.end
.macro engine_works
  store Y1, 6
  same X1, Y1, HW, FAULT
.end

; The lowest bit of E, at the highest place: three products by 2^10, a sum.
.macro odd, E1
  set U, 1024, 1
  set T, 0, 2
  mac T, E1, U, 1
  set X1, 0, 2
  mac X1, T, U, 1
  set T, 0, 2
  mac T, X1, U, 1
  add T, T, T, 1
  eq T, ZERO, 1
  need 1, 0, KEY
.end

.entry key
  set UNITY, 1, HV
  set ZERO, 0, HV
  comparisons_work
  set U, 0, HV
  set U + K, 1, 1
  sub U, U, P, HV
  need 0, 1, KEY
  odd E
  copy N2, P, HV
  copy E2, E, NW
  probe_word
  enter P
  probe
  engine_works
  same N2, P, HV, FAULT
  same E2, E, NW, FAULT
  set C, 0, WORK_END - C
  release
  halt

; M2 <- n - A1, and 0 for 0.
.macro less, A1
  sub M2, P, A1, HW
  sub T, M2, P, HW
  sel M2, M2, T, HW
.end

; Everything twice, from two copies, the second time with n less the message and times -c^3, which gives c^3 times the result, as e is odd:
; c^3 (n - result) and that are a multiple s n of n, s below 2^31 and not 0 for a result below n. s' = 2^32 - s follows from the lowest word;
; so the sum is 2^32 n in the end: 0 in the lowest word, then n. What stays wrong in the engine after the first time is seen by
; engine_works; an n too many by the first subtraction; and what the highest bits of both results have too much, because one is
; c^3 times the other: where words end, n less the result would be off the other way, so that their sum is right all the same.
.entry public
  sub T, C, P, HW
  need 0, 1, OPERAND
  comparisons_work
  same N2, P, HV, FAULT
  same E2, E, NW, FAULT
  both_load 4, C, C, R2
  expe E
  mul 5, 5, ONE
  probe_word
  store M, 5
  probe
  negative_inverse P
  less C2
  engine_works
  both_load 4, M2, M2, R2
  expe E2
  mul 5, 5, 6
  copy M2, M, MV          ; from here on M2 is what is looked at, and M equals it in the end
  sub X1, P, M2, MV
  need 0, 0, FAULT
  set Z1, 0, HW
  mac Z1, X1, RND, HW
  store Y1, 5
  add Z1, Z1, Y1, HV
  set U, 0, 1
  mac U, Z1, XD, 1
  mac Z1, P, U, HV
  same Z1, N2 - 1, HV + 1, FAULT ; the word before N2 is the last one of ZERO
  finish
.end

; ---- the core's test of itself: after reset, and on command while there is no key ----
; S <- the words of SRC, added: the sum, and its carries in the next word.
.macro sum_words, S, SRC, LEN
  set S, 0, 2
  .repeat I, LEN
    add S, S, SRC + I, 1
    adc S + 1, S + 1, ZERO, 1
  .end
.end

; The engines <- an odd modulus of H bits: a power of a word, and the highest bit.
.macro test_modulus
  .let REST, H - 1 - (HW - 1) * 32
  set T, TEST_BASE, 1
  set U, 0, 2
  mac U, T, T, 1
  mac U, U, T, 1        ; an even word
  set Z1, TEST_EXP, HV
  .repeat I, HW - 1
    mac Z1, Z1, U, I + 1
  .end
  set T, 1, 1
  .if REST > 0
    loop REST
      add T, T, T, 1
    endloop
  .end
  copy Z1 + HW - 1, T, 1
  load MOD, Z1, 0
  .if ENG == 1
    setup 0
  .end
  .if ENG == 2
    unit 1
    load MOD, Z1, 0
    unit 0
    setup2 0
  .end
.end

; TEST_BASE ^ TEST_EXP ^ TEST_E goes through TEST_ROWS rows of products with its lowest word; the sum
; of all words is known. Without a sequencer (PUBLIC) a base as long as the modulus is raised to TEST_E
; and multiplied on, two products in each of TEST_MIX rounds. Masks of slot numbers are 0 here: nothing is secret, and there may be no
; random word yet. The end of a loop that did not begin raises the alarm; what comes behind it is not
; reached.
.entry test
  set UNITY, 1, HV
  set ZERO, 0, HV
  comparisons_work
  same UNITY, UNITY, HV, FAULT
  test_modulus
  .if PUBLIC            ; no sequencer: a longer base, the modulus without its highest word
    set Z1 + HW - 1, 0, 1
    copy X1, Z1, HW
  .end
  .if PRIV
  set U, TEST_BASE, HV
  set XD, TEST_EXP, XW
  both_load 4, U, U, 0
  .if ENG == 1
    exp XD, TEST_BITS
  .end
  .if ENG == 2
    set XE, TEST_EXP, XW
    exp2 XD, XE, TEST_BITS
  .end
  both_store X1, X2, 5
  .end
  both_load 4, X1, X2, R2
  set XD, TEST_E, 1
  expe XD
  .if PUBLIC            ; as many different operands as a sequencer would give
    loop TEST_MIX
      mul 5, 5, 4
      mul 4, 5, 4
    endloop
  .end
  both_mul 5, 5, ONE
  both_store X1, X2, 5
  .if ENG == 2
    same X1, X2, HW, FAULT
  .end
  copy M, X1, HW
  .repeat I, TEST_ROWS
    mac M, X1, M + PUBLIC, HW ; the lowest word gets more zeros in each row, the next one does not
  .end
  sub T, ZERO, UNITY, HW  ; words of ones: the highest bits of a product
  mac M, T, T, HW
  sum_words Y1, M, HV
  set T, 4096, 1
  set U, TEST_SUM2, 1
  set Z2, TEST_SUM1, 1
  mac Z2, U, T, 1
  set Z1, TEST_SUM0, 1
  mac Z1, Z2, T, 1
  set Z1 + 1, TEST_CARRIES, 1
  same Y1, Z1, 2, FAULT
  release
  endloop
  halt

.if PRIV
.entry fail
  failed
.end
