// simulate.cpp - the card's algorithm on the CPU, with the same tiles: one after the other instead of all at once.
#include "cuda/simulate.h"

#include <cmath>
#include <memory>
#include <vector>

#include "cuda/rounds.h"

namespace
{

using namespace sos_card;

template <class C> struct solver {
    std::vector<C> unary, s, alpha, table, strength;
    std::vector<height_t> far;
    std::vector<uint16_t> tight;
    image<C> g;
    std::vector<char> active[SHIFTS], search;
    descent_room<C> descent;
    search_room heights;
    search_row searched[LANES];
    push_room<C> pushes;
    push_row pushed[LANES];
    bool deep = false;
    int highest = 0;

    explicit solver(const sos_grid &grid)
        : unary(grid.unary, grid.unary + (size_t)grid.width * grid.height), s(unary), alpha(4 * s.size()),
          far(s.size(), (height_t)FAR), tight(s.size(), (uint16_t)NO_PATCH)
    {
        if (grid.tables)
            table.assign(grid.table, grid.table + 16 * grid.tables);
        else
            strength.assign(grid.strength, grid.strength + 6 * s.size());
        g = {};
        g.width = (int)grid.width, g.height = (int)grid.height;
        g.from = { table.data(), grid.which, strength.data(), grid.tables };
        g.s = s.data(), g.alpha = alpha.data(), g.far = far.data(), g.tight = tight.data();
        for (int tiling = 0; tiling < TILINGS; tiling++) g.across[tiling] = tiles_along(g.width, tiling);
        for (int shift = 0; shift < SHIFTS; shift++)
            active[shift].assign((size_t)(g.across[shift] * tiles_along(g.height, shift)), 0);
        search.assign((size_t)(g.across[SEARCH] * tiles_along(g.height, SEARCH)), 1);
    }

    int left_of(int tiling, size_t tile) const { return (int)tile % g.across[tiling] * pitch_of(tiling) - shift_of(tiling); }
    int top_of(int tiling, size_t tile) const { return (int)tile / g.across[tiling] * pitch_of(tiling) - shift_of(tiling); }

    void activate(int x, int y)
    {
        for (int shift = 0; shift < SHIFTS; shift++)
            active[shift][(size_t)((y + shift_of(shift)) / SIDE * g.across[shift] + (x + shift_of(shift)) / SIDE)] = 1;
    }

    /* The tiles around one, along whose sides heights have fallen. */
    void search_around(size_t tile, int sides)
    {
        const int across = g.across[SEARCH], down = (int)search.size() / across, X = (int)tile % across, Y = (int)tile / across;
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++) {
                const bool reached = (a >= 0 || sides & 1) && (a <= 0 || sides & 2) && (b >= 0 || sides & 4) &&
                                     (b <= 0 || sides & 8);
                if ((a || b) && reached && X + a >= 0 && X + a < across && Y + b >= 0 && Y + b < down)
                    search[(size_t)((Y + b) * across + X + a)] = 1;
            }
    }

    int find_heights(int limit)
    {
        int passes = 0;
        search.assign(search.size(), 1);
        for (bool begin = true, any = true; any; begin = false, passes++) {
            const std::vector<char> now = search;
            search.assign(search.size(), 0);
            for (size_t tile = 0; tile < now.size(); tile++) {
                if (!now[tile]) continue;
                const int x0 = left_of(SEARCH, tile), y0 = top_of(SEARCH, tile);
                search_load(g, heights, x0, y0, begin);
                search_rows(heights, searched);
                deep |= search_levels(heights, searched, limit) && limit == HIGHEST;
                const int sides = search_store(g, heights, searched, x0, y0, begin);
                if (sides) search_around(tile, sides);
            }
            any = false;
            for (char c : search) any |= c != 0;
        }
        return passes;
    }

    /* Pixels that can still push; highest becomes the height of the highest. */
    bool find_active()
    {
        bool any = false;
        highest = 0;
        for (int shift = 0; shift < SHIFTS; shift++) active[shift].assign(active[shift].size(), 0);
        for (int y = 0; y < g.height; y++)
            for (int x = 0; x < g.width; x++) {
                const size_t p = (size_t)place(g, x, y);
                if (s[p] <= 0 || far[p] == FAR) continue;
                any = true;
                highest = far[p] > highest ? far[p] : highest;
                activate(x, y);
            }
        return any;
    }

    void push_all(int passes, int *next_shift)
    {
        for (int pass = 0; pass < passes; pass++) {
            const int shift = (*next_shift)++ % SHIFTS;
            const std::vector<char> now = active[shift];
            active[shift].assign(now.size(), 0);
            for (size_t tile = 0; tile < now.size(); tile++) {
                if (!now[tile]) continue;
                const int x0 = left_of(shift, tile), y0 = top_of(shift, tile);
                push_run(g, pushes, pushed, x0, y0, PUSH_SWEEPS, highest + CAP_SLACK);
                push_store(g, pushes, x0, y0, [this](int x, int y) { activate(x, y); });
            }
        }
    }

    void descend_all()
    {
        for (int pass = 0; pass < DESCENT_PASSES; pass++)
            for (size_t tile = 0; tile < active[pass % SHIFTS].size(); tile++)
                descent_run(g, nullptr, pass ? nullptr : unary.data(), descent, left_of(pass % SHIFTS, tile),
                            top_of(pass % SHIFTS, tile), DESCENT_SWEEPS);
    }

    bool run()
    {
        int limit = FIRST_LIMIT, next_shift = 0;
        descend_all();
        for (int round = 0; round < ROUNDS_MAX; round++) {
            const int passes = find_heights(limit);
            if (find_active()) {
                push_all(push_passes(passes), &next_shift);
                limit = next_limit(limit);
            } else if (limit == HIGHEST) {
                return !deep;
            } else {
                limit = HIGHEST;
            }
        }
        return false;
    }
};

template <class C> void solve(sos_grid *grid)
{
    const std::unique_ptr<solver<C>> one(new solver<C>(*grid));
    grid->solved = one->run();
    grid->bound_high = grid->bound_low = 0;
    for (size_t p = 0; p < one->s.size(); p++) {
        grid->labels[p] = one->far[p] != FAR;
        const int64_t left = one->s[p] < 0 ? (int64_t)one->s[p] : 0;
        grid->bound_high += left >> 32;
        grid->bound_low += left & 0xFFFFFFFF;
    }
}

} // namespace

sos_status sos_card_simulate(sos_grid *grid, int bits, sos_error *error)
{
    try {
        if (bits == 32)
            solve<int32_t>(grid);
        else
            solve<int64_t>(grid);
        return SOS_OK;
    } catch (const std::bad_alloc &) {
        if (error) *error = { SOS_ERR_MEMORY, "no memory to simulate a card" };
        return SOS_ERR_MEMORY;
    }
}
