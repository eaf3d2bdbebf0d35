// card_simulated.cpp - libsos-cuda without a card: the same algorithm on the CPU, for tests of who calls it.
//
// $SOS_CARD_FAULT makes a step of it fail, as a driver may: "name", "lay", "start", "finish"; "unsolved" solves every other
// grid only; "slow" is not ready before it is stopped, "late" after it has been asked for some time,
// as is "vain", which then has solved nothing.  $SOS_CARD_SOLVED says how many grids it has solved.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/simulate.h"

namespace
{

struct simulated_grid {
    std::vector<int64_t> unary, table, strength;
    std::vector<uint16_t> which;
    std::vector<uint8_t> labels;
};

struct slot {
    int bits = 0;
    std::vector<simulated_grid> grids;
    bool started = false, stopped = false;
    std::atomic<int> asked{ 0 };
} slots[SOS_CARD_SLOTS];

sos_status fault(const char *step, sos_error *error)
{
    const char *wanted = getenv("SOS_CARD_FAULT");
    if (!wanted || strcmp(wanted, step) != 0) return SOS_OK;
    error->status = SOS_ERR_IO;
    snprintf(error->message, sizeof error->message, "the simulated card fails: %s", step);
    return SOS_ERR_IO;
}

const char *card_name(size_t *memory, sos_error *error)
{
    *memory = (size_t)1 << 22; // so that a batch is of several slices
    return fault("name", error) ? nullptr : "a simulated card";
}

size_t card_bytes(int bits, const sos_card_grid *g) { return (size_t)bits * g->width * g->height; }

// The numbers of a grid lie in vectors of 64 bits each, whatever the size of the batch's.
sos_status card_lay(int number, int bits, size_t count, sos_card_grid grids[], sos_error *error)
{
    slot &s = slots[number];
    s.bits = bits;
    s.grids.assign(count, simulated_grid());
    for (size_t i = 0; i < count; i++) {
        simulated_grid &own = s.grids[i];
        const size_t n = (size_t)grids[i].width * grids[i].height;
        own.unary.resize(n);
        own.table.resize(SOS_GRID_SETS * (size_t)grids[i].tables);
        own.which.assign(n, 0);
        own.labels.resize(n);
        if (!grids[i].tables) own.strength.resize(SOS_GRID_PAIRS * n);
        grids[i].unary = own.unary.data();
        grids[i].table = own.table.data();
        grids[i].strength = own.strength.data();
        grids[i].which = own.which.data();
        grids[i].place = 0;
    }
    return fault("lay", error);
}

sos_status card_start(int number, sos_error *error)
{
    slots[number].started = true;
    slots[number].stopped = false;
    slots[number].asked = 0;
    return fault("start", error);
}

std::vector<int64_t> widened(const std::vector<int64_t> &room, int bits)
{
    if (bits == 64) return room;
    const int32_t *narrow = (const int32_t *)room.data();
    return std::vector<int64_t>(narrow, narrow + room.size());
}

bool is_faulty(const char *how)
{
    const char *wanted = getenv("SOS_CARD_FAULT");
    return wanted && !strcmp(wanted, how);
}

bool card_is_ready(int number)
{
    if (is_faulty("slow")) return slots[number].stopped;
    return !(is_faulty("late") || is_faulty("vain")) || slots[number].asked++ > 2000;
}

void card_stop(int number) { slots[number].stopped = true; }

void solved_count(size_t more)
{
    const char *before = getenv("SOS_CARD_SOLVED");
    setenv("SOS_CARD_SOLVED", std::to_string((before ? strtoull(before, NULL, 10) : 0) + more).c_str(), 1);
}

sos_status card_finish(int number, size_t count, sos_card_grid grids[], double seconds[2], sos_error *error)
{
    slot &s = slots[number];
    seconds[0] = seconds[1] = 0;
    if (!s.started) abort(); // a caller's mistake
    s.started = false;
    for (size_t i = 0; i < count; i++) {
        simulated_grid &own = s.grids[i];
        const std::vector<int64_t> unary = widened(own.unary, s.bits), table = widened(own.table, s.bits),
                                   strength = widened(own.strength, s.bits);
        sos_grid g = {};
        g.width = grids[i].width, g.height = grids[i].height;
        g.unary = unary.data();
        g.tables = grids[i].tables, g.table = table.data(), g.which = own.which.data(), g.strength = strength.data();
        g.labels = own.labels.data();
        const sos_status status = sos_card_simulate(&g, s.bits, error);
        if (status) return status;
        grids[i].labels = own.labels.data();
        grids[i].bound_high = g.bound_high, grids[i].bound_low = g.bound_low;
        grids[i].solved = g.solved && !s.stopped && !is_faulty("vain") && !(is_faulty("unsolved") && i % 2);
    }
    solved_count(count);
    return fault("finish", error);
}

void card_release(void)
{
    for (slot &s : slots) s.grids.clear();
}

} // namespace

extern "C" __attribute__((visibility("default"))) const sos_card_ops sos_card_ops_2;
const sos_card_ops sos_card_ops_2 = { card_name,     card_bytes, card_lay,    card_start,
                                      card_is_ready, card_stop,  card_finish, card_release };
