// card.cpp - grids on a graphics card: checked against exhaustive search and the same code on the CPU, then timed.
//
//     bench/gpu/run.sh [--check | --zoo] [FILE.grid...]
//
// It needs nvcc, a card and libsos.a, whose sos_minimize_batch it is compared with.  convert.py makes files of energies.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <sos/minimize.h>

#include "cuda/grid.h"
#include "cuda/simulate.h"

extern "C" const sos_card_ops sos_card_ops_2;

namespace
{

std::mt19937 randomness;
int below(int n) { return (int)(randomness() % (unsigned)n); }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A grid with all that it points to.
struct instance {
    int width = 0, height = 0;
    bool pairs = false;
    std::vector<int64_t> unary, table, strength;
    std::vector<uint16_t> which;
    std::vector<uint8_t> labels;
    sos_grid grid = {};

    sos_grid &wire()
    {
        labels.assign(unary.size(), 9); // what is not written is no label
        grid = {};
        grid.width = (uint32_t)width, grid.height = (uint32_t)height;
        grid.unary = unary.data(), grid.table = table.data(), grid.strength = strength.data(), grid.labels = labels.data();
        grid.tables = pairs ? 0 : table.size() / SOS_GRID_SETS;
        grid.which = which.empty() ? nullptr : which.data();
        return grid;
    }

    int64_t cost(size_t p, int S) const
    {
        if (!pairs) return table[SOS_GRID_SETS * (which.empty() ? 0 : (size_t)which[p]) + (size_t)S];
        int64_t sum = 0;
        for (size_t i = 0; i < SOS_GRID_PAIRS; i++)
            if ((S >> SOS_GRID_PAIR[i][0] & 1) > (S >> SOS_GRID_PAIR[i][1] & 1)) sum += strength[SOS_GRID_PAIRS * p + i];
        return sum;
    }

    int64_t energy(const uint8_t *y) const
    {
        int64_t sum = 0;
        for (size_t p = 0; p < unary.size(); p++) sum += y[p] ? unary[p] : 0;
        for (int row = 0; row + 1 < height; row++)
            for (int x = 0; x + 1 < width; x++) {
                const size_t p = (size_t)row * width + x;
                sum += cost(p, y[p] | y[p + 1] << 1 | y[p + width] << 2 | y[p + width + 1] << 3);
            }
        return sum;
    }

    int64_t bound() const { return grid.bound_high * (INT64_C(1) << 32) + grid.bound_low; }
};

// Makes f 0 at all and nowhere negative: less a base, the mean of those by all greedy orders, rounded, which goes to the
// pixels.
void normalise(int64_t f[16], int64_t base[4])
{
    int64_t sum[4] = { 0, 0, 0, 0 };
    int order[4] = { 0, 1, 2, 3 };
    for (int S = 15; S >= 0; S--) f[S] -= f[0];
    do {
        for (int k = 0, S = 0; k < 4; S |= 1 << order[k++]) sum[order[k]] += f[S | 1 << order[k]] - f[S];
    } while (std::next_permutation(order, order + 4));
    for (int k = 0; k < 4; k++) base[k] = sum[k] >= 0 ? sum[k] / 24 : -((23 - sum[k]) / 24);
    for (int S = 0; S < 16; S++)
        for (int k = 0; k < 4; k++) f[S] -= S >> k & 1 ? base[k] : 0;
    for (int k = 0; k < 4; k++) {
        int64_t room = INT64_MAX;
        for (int S = 1; S < 16; S++)
            if (S >> k & 1) room = std::min(room, f[S]);
        base[k] += room;
        for (int S = 1; S < 16; S++) f[S] -= S >> k & 1 ? room : 0;
    }
}

instance random_instance(int seed, int most, int64_t unit)
{
    instance a;
    randomness.seed((unsigned)seed);
    do {
        a.width = 2 + below(most), a.height = 2 + below(most);
    } while (most < 10 && a.width * a.height > 16);
    const size_t n = (size_t)a.width * a.height;
    const int spread = below(4) ? 40 : 1;
    for (size_t p = 0; p < n; p++) a.unary.push_back((below(2 * spread + 1) - spread) * unit);
    for (size_t i = 0; i < SOS_GRID_PAIRS * n; i++) a.strength.push_back(below(2) ? below(30) * unit : 0);
    a.pairs = below(2);
    a.table.assign(3 * SOS_GRID_SETS, 0);
    for (int t = 0; t < 3; t++) {
        int64_t *f = &a.table[(size_t)t * SOS_GRID_SETS], base[4];
        for (int i = 0; i < 6; i++) {
            const int cover = 1 + below(15);
            const int64_t cost = below(50) * unit;
            for (int S = 0; S < 16; S++) f[S] += S & cover ? cost : 0;
        }
        normalise(f, base);
    }
    for (size_t p = 0; p < n; p++) a.which.push_back((uint16_t)below(3));
    return a;
}

// What convert.py writes: width, height, tables, their costs, unaries as int32, tables of patches as bytes.
instance load(const std::string &path)
{
    instance a;
    int32_t head[3];
    FILE *file = fopen(path.c_str(), "rb");
    if (!file || fread(head, sizeof *head, 3, file) != 3) perror(path.c_str()), exit(1);
    a.width = head[0], a.height = head[1];
    const size_t n = (size_t)a.width * a.height, costs = (size_t)SOS_GRID_SETS * (size_t)head[2];
    std::vector<int32_t> table(costs), unary(n);
    std::vector<uint8_t> which(n);
    if (fread(table.data(), 4, costs, file) != costs || fread(unary.data(), 4, n, file) != n ||
        fread(which.data(), 1, n, file) != n)
        fprintf(stderr, "%s is cut off\n", path.c_str()), exit(1);
    fclose(file);
    a.table.assign(table.begin(), table.end());
    a.unary.assign(unary.begin(), unary.end());
    a.which.assign(which.begin(), which.end());
    std::vector<int64_t> base(4 * (size_t)head[2]);
    for (int t = 0; t < head[2]; t++) normalise(&a.table[(size_t)t * SOS_GRID_SETS], &base[4 * (size_t)t]);
    for (int row = 0; row + 1 < a.height; row++)
        for (int x = 0; x + 1 < a.width; x++)
            for (int b = 0; b < 4; b++)
                a.unary[(size_t)(row + (b >> 1)) * a.width + x + (b & 1)] +=
                    base[4 * which[(size_t)row * a.width + x] + (size_t)b];
    return a;
}

// Another image of the kind: shifted around, with a little noise.
instance variant(const instance &a, int number)
{
    instance v = a;
    if (!number) return v;
    randomness.seed((unsigned)number);
    const int dx = below(a.width), dy = below(a.height);
    for (int y = 0; y < a.height; y++)
        for (int x = 0; x < a.width; x++)
            v.unary[(size_t)y * a.width + x] = a.unary[(size_t)((y + dy) % a.height) * a.width + (x + dx) % a.width] +
                                               below(2001) - 1000;
    return v;
}

// The image and its mirror images side by side, with a little noise.
instance tiled(const instance &a, int times)
{
    instance t = a;
    randomness.seed(99);
    t.width *= times, t.height *= times;
    t.unary.clear(), t.which.clear();
    for (int y = 0; y < t.height; y++)
        for (int x = 0; x < t.width; x++) {
            const int u = x / a.width % 2 ? a.width - 1 - x % a.width : x % a.width;
            const int v = y / a.height % 2 ? a.height - 1 - y % a.height : y % a.height;
            t.unary.push_back(a.unary[(size_t)v * a.width + u] + below(2001) - 1000);
            t.which.push_back((uint16_t)below((int)(a.table.size() / SOS_GRID_SETS)));
        }
    return t;
}

void must(sos_status status, const sos_error &error)
{
    if (status) fprintf(stderr, "%s\n", error.message), exit(1);
}

// alone: by all threads.
template <class C> void fill(const sos_grid &from, const sos_card_grid &to, bool alone)
{
    const ptrdiff_t w = (ptrdiff_t)from.width;
    if (from.tables) std::copy(from.table, from.table + SOS_GRID_SETS * from.tables, (C *)to.table);
#pragma omp parallel for schedule(static) if (alone)
    for (ptrdiff_t y = 0; y < (ptrdiff_t)from.height; y++) {
        std::copy(from.unary + y * w, from.unary + (y + 1) * w, (C *)to.unary + y * w);
        if (to.chosen) std::copy(from.which + y * w, from.which + (y + 1) * w, to.which + y * w);
        if (!from.tables)
            std::copy(from.strength + SOS_GRID_PAIRS * y * w, from.strength + SOS_GRID_PAIRS * (y + 1) * w,
                      (C *)to.strength + SOS_GRID_PAIRS * y * w);
    }
}

// A batch in slices, which take turns with the slots.
class batch
{
  public:
    batch(std::vector<sos_grid> &all, size_t slice, int bits) : grids(all), step(slice), width(bits), cards(all.size())
    {
        for (size_t i = 0; i < all.size(); i++) {
            cards[i] = {};
            cards[i].width = all[i].width, cards[i].height = all[i].height;
            cards[i].tables = (uint32_t)all[i].tables, cards[i].chosen = all[i].tables && all[i].which;
        }
    }

    // Seconds of the card alone, and with transfers.
    const double *run()
    {
        seconds[0] = seconds[1] = 0;
        const size_t slices = (grids.size() + step - 1) / step;
        for (size_t i = 0; i <= slices; i++) {
            if (i < slices) begin(i);
            if (i) end(i - 1);
        }
        return seconds;
    }

  private:
    size_t count_of(size_t i) const { return std::min(step, grids.size() - i * step); }

    // The grids of slice i; one that is alone has all threads, outside of a team.
    template <class Work> void each(size_t i, Work work)
    {
        if (count_of(i) == 1) {
            work(i * step, true);
            return;
        }
#pragma omp parallel for schedule(dynamic, 1)
        for (size_t k = i * step; k < i * step + count_of(i); k++) work(k, false);
    }

    void begin(size_t i)
    {
        sos_error error;
        must(sos_card_ops_2.lay((int)(i % SOS_CARD_SLOTS), width, count_of(i), &cards[i * step], &error), error);
        each(i, [&](size_t k, bool alone) {
            if (width == 32)
                fill<int32_t>(grids[k], cards[k], alone);
            else
                fill<int64_t>(grids[k], cards[k], alone);
        });
        must(sos_card_ops_2.start((int)(i % SOS_CARD_SLOTS), &error), error);
    }

    void end(size_t i)
    {
        sos_error error;
        double taken[2];
        must(sos_card_ops_2.finish((int)(i % SOS_CARD_SLOTS), count_of(i), &cards[i * step], taken, &error), error);
        seconds[0] += taken[0], seconds[1] += taken[1];
        each(i, [&](size_t k, bool) {
            memcpy(grids[k].labels, cards[k].labels, (size_t)grids[k].width * grids[k].height);
            grids[k].bound_high = cards[k].bound_high, grids[k].bound_low = cards[k].bound_low;
            grids[k].solved = cards[k].solved;
        });
    }

    std::vector<sos_grid> &grids;
    size_t step;
    int width;
    std::vector<sos_card_grid> cards;
    double seconds[2] = { 0, 0 };
};

double median(std::vector<double> &numbers)
{
    std::nth_element(numbers.begin(), numbers.begin() + (ptrdiff_t)numbers.size() / 2, numbers.end());
    return numbers[numbers.size() / 2];
}

// Medians of seconds.
struct times {
    double card, sent, whole; // the card alone, with transfers, and the whole call
};

times solve(std::vector<instance> &all, int runs, int bits, size_t slice)
{
    std::vector<double> cards, sent, wholes;
    std::vector<sos_grid> grids;
    for (instance &a : all) grids.push_back(a.wire());
    batch b(grids, slice, bits);
    for (int i = 0; i < runs; i++) {
        const double began = now(), *seconds = b.run();
        cards.push_back(seconds[0]);
        sent.push_back(seconds[1]);
        wholes.push_back(now() - began);
    }
    for (size_t i = 0; i < all.size(); i++) all[i].grid = grids[i];
    return { median(cards), median(sent), median(wholes) };
}

bool is_smallest_minimum(const instance &a)
{
    const int n = a.width * a.height;
    std::vector<uint8_t> y((size_t)n);
    int64_t least = INT64_MAX;
    unsigned smallest = 0, found = 0;
    for (unsigned Y = 0; Y < 1U << n; Y++) {
        for (int p = 0; p < n; p++) y[(size_t)p] = Y >> p & 1;
        const int64_t energy = a.energy(y.data());
        if (energy <= least) smallest = energy < least ? Y : smallest & Y;
        least = std::min(least, energy);
    }
    for (int p = 0; p < n; p++) found |= (unsigned)a.labels[(size_t)p] << p;
    return a.grid.solved && a.bound() == least && found == smallest;
}

bool is_as_simulated(const instance &a)
{
    instance other = a;
    sos_error error;
    return !sos_card_simulate(&other.wire(), 64, &error) && a.grid.solved && other.bound() == a.bound() &&
           other.labels == a.labels;
}

// few: for tools that make a run a hundred times as slow.
int check_random(bool few)
{
    int wrong = 0;
    for (int64_t unit : { INT64_C(1), INT64_C(1) << 40 }) {
        std::vector<instance> small, large;
        for (int i = 0; i < (few ? 40 : 4000); i++) small.push_back(random_instance(i, 4, unit));
        for (int i = 0; i < (few ? 2 : 20); i++) large.push_back(random_instance(i, 200, unit));
        solve(small, 1, unit > 1 ? 64 : 32, 1000);
        solve(large, 1, unit > 1 ? 64 : 32, 7);
        for (const instance &a : small) wrong += !is_smallest_minimum(a);
        for (const instance &a : large) wrong += !is_as_simulated(a);
    }
    printf("%d small grids against exhaustive search, %d up to 201x201 against the CPU: %d wrong\n", few ? 80 : 8000,
           few ? 4 : 40, wrong);
    return wrong;
}

void measure(const char *name, const char *what, std::vector<instance> all, int runs)
{
    size_t proven = 0;
    const double count = (double)all.size();
    solve(all, 1, 32, all.size()); // takes memory
    const times t = solve(all, runs, 32, all.size()), sliced = solve(all, runs, 32, std::max<size_t>(1, all.size() / 8));
    for (const instance &a : all) proven += a.grid.solved && a.energy(a.labels.data()) == a.bound();
    printf("%-32s %-16s %9.4f %9.4f %9.4f %9.4f   %zu of %zu\n", name, what, 1e3 * t.card / count, 1e3 * t.sent / count,
           1e3 * t.whole / count, 1e3 * sliced.whole / count, proven, all.size());
    fflush(stdout);
}

// ---- the same by the library ----

sos_energy *energy_create(const instance &a)
{
    sos_energy *e;
    sos_error error;
    must(sos_energy_create(a.unary.size(), &e, &error), error);
    for (size_t p = 0; p < a.unary.size(); p++) must(sos_energy_set_unary(e, p, 0, (double)a.unary[p], &error), error);
    return e;
}

sos_energy *patches_energy(const instance &a)
{
    sos_energy *e = energy_create(a);
    sos_error error;
    for (size_t t = 0; t < a.table.size() / SOS_GRID_SETS; t++) {
        double f[SOS_GRID_SETS];
        uint32_t number;
        for (size_t S = 0; S < SOS_GRID_SETS; S++) f[S] = (double)a.table[SOS_GRID_SETS * t + S];
        must(sos_energy_add_table(e, 4, f, &number, &error), error);
    }
    for (int y = 0; y + 1 < a.height; y++)
        for (int x = 0; x + 1 < a.width; x++) {
            const uint32_t p = (uint32_t)(y * a.width + x), w = (uint32_t)a.width, patch[] = { p, p + 1, p + w, p + w + 1 };
            must(sos_energy_add_cliques(e, a.which.empty() ? 0 : a.which[p], 1, patch, NULL, &error), error);
        }
    return e;
}

// The unaries of the image, and pairs of four neighbours that cost a half of what a pixel does.
sos_energy *pairs_energy(const instance &a)
{
    sos_energy *e = energy_create(a);
    sos_error error;
    double mean = 0;
    for (int64_t u : a.unary) mean += std::abs((double)u) / (double)a.unary.size();
    const double link = std::round(mean / 2), f[] = { 0, link, link, 0 };
    uint32_t table;
    must(sos_energy_add_table(e, 2, f, &table, &error), error);
    for (int y = 0; y < a.height; y++)
        for (int x = 0; x < a.width; x++) {
            const uint32_t p = (uint32_t)(y * a.width + x), right[] = { p, p + 1 }, below[] = { p, p + (uint32_t)a.width };
            if (x + 1 < a.width) must(sos_energy_add_cliques(e, table, 1, right, NULL, &error), error);
            if (y + 1 < a.height) must(sos_energy_add_cliques(e, table, 1, below, NULL, &error), error);
        }
    return e;
}

using energies = std::vector<sos_energy *>;
using answers = std::vector<std::vector<uint8_t>>;

energies energies_of(const std::vector<instance> &all, sos_energy *(*create)(const instance &))
{
    energies e;
    for (const instance &a : all) e.push_back(create(a));
    return e;
}

// On so many threads of the CPU or, 0, by the card and all threads: milliseconds per image, and whether labels are as expected,
// or, where nothing is expected yet, what they are.
double compare(const char *name, const energies &all, int threads, answers &expected)
{
    answers labels;
    std::vector<uint8_t *> out;
    sos_error error;
    for (const sos_energy *e : all) labels.emplace_back(sos_energy_variables(e));
    for (auto &l : labels) out.push_back(l.data());
    sos_minimize_settings settings = sos_minimize_defaults();
    settings.work.threads = threads;
    settings.device = threads ? SOS_DEVICE_CPU : SOS_DEVICE_CARD;
    std::vector<sos_minimize_result> results(all.size());
    std::vector<double> times;
    for (int i = 0; i < 3; i++) {
        const double began = now();
        must(sos_minimize_batch(all.size(), all.data(), &settings, out.data(), results.data(), &error), error);
        times.push_back(now() - began);
    }
    const double taken = median(times);
    size_t same = 0, proven = 0, there = 0;
    if (expected.empty()) expected = labels;
    for (size_t i = 0; i < all.size(); i++) {
        same += labels[i] == expected[i];
        proven += results[i].energy == results[i].lower_bound;
        there += results[i].device == SOS_DEVICE_CARD;
    }
    printf("%-32s sos_minimize_batch of %3zu, %2d threads %9.4f   same labels: %zu, proven: %zu, on the card: %zu\n", name,
           all.size(), threads, 1e3 * taken / (double)all.size(), same, proven, there);
    fflush(stdout);
    return taken;
}

// Batches of 16 for each thread, then all on the card; labels are those of the card.
void compare_batches(const char *name, const std::vector<instance> &all, sos_energy *(*create)(const instance &))
{
    const energies e = energies_of(all, create);
    answers expected;
    compare(name, e, 0, expected);
    for (int threads : { 16, 8, 4, 2, 1 }) compare(name, { e.begin(), e.begin() + 16 * (long)threads }, threads, expected);
    for (sos_energy *one : e) sos_energy_free(one);
}

void compare_single(const char *name, const instance &a, sos_energy *(*create)(const instance &),
                    const std::vector<int> &threads)
{
    const energies e = { create(a) };
    answers expected;
    compare(name, e, 0, expected);
    for (int count : threads) compare(name, e, count, expected);
    sos_energy_free(e[0]);
}

// ---- energies that should be hard ----

enum { WIDE = 400, HIGH = 200, FREE = 0, LINK = 1 };

// Patches that cost nothing, and those in which each two neighbours that differ cost link.
instance blank(int64_t link)
{
    instance a;
    a.width = WIDE, a.height = HIGH;
    a.unary.assign((size_t)WIDE * HIGH, 0);
    a.which.assign((size_t)WIDE * HIGH, LINK);
    a.table.assign(2 * SOS_GRID_SETS, 0);
    for (int S = 0; S < SOS_GRID_SETS; S++) {
        const int y[4] = { S & 1, S >> 1 & 1, S >> 2 & 1, S >> 3 & 1 };
        a.table[(size_t)(LINK * SOS_GRID_SETS + S)] = link *
                                                      ((y[0] != y[1]) + (y[2] != y[3]) + (y[0] != y[2]) + (y[1] != y[3]));
    }
    return a;
}

// What one end has too much the other needs, and weak links are between.
instance transport()
{
    instance a = blank(3);
    for (size_t y = 0; y < HIGH; y++) a.unary[y * WIDE] = 500, a.unary[y * WIDE + WIDE - 1] = -500;
    return a;
}

// The same along a path that winds through all of the grid: walls, of patches that cost nothing, leave a gap at one end each.
instance maze()
{
    instance a = blank(1000);
    for (size_t y = 0; y < HIGH; y++)
        for (size_t x = 0; x < WIDE; x++) {
            const bool wall = y % 5 > 2, gap = y / 5 % 2 ? x < 4 : x + 5 > WIDE;
            if (wall && !gap) a.which[y * WIDE + x] = FREE;
        }
    a.unary[0] = 100000, a.unary[(size_t)WIDE * HIGH - 1] = -100000;
    return a;
}

// Noise without any picture, and a prior of that strength.
instance noise(int64_t link)
{
    instance a = blank(link);
    randomness.seed(5);
    for (int64_t &u : a.unary) u = below(2001) - 1000;
    return a;
}

// Everything costs the same, so that there is nothing but ties.
instance ties()
{
    instance a = blank(1);
    for (size_t p = 0; p < a.unary.size(); p++) a.unary[p] = p % 2 ? 1 : -1;
    return a;
}

void zoo()
{
    const struct {
        const char *name;
        instance a;
    } all[] = { { "transport", transport() },    { "maze", maze() },
                { "noise, weak", noise(100) },   { "noise, even", noise(250) },
                { "noise, strong", noise(600) }, { "ties", ties() } };
    for (const auto &one : all) {
        const energies e = { patches_energy(one.a) };
        answers expected;
        const double cpu = compare(one.name, e, 1, expected), card = compare(one.name, e, 0, expected);
        sos_energy_free(e[0]);
        printf("%-32s %.2f times one thread\n", one.name, card / cpu);
    }
}

} // namespace

// On the card alone, a batch and a single one; then, unless only that is wanted, by the library.
void file_run(const char *path, bool alone)
{
    const instance a = load(path);
    const std::string name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    std::vector<instance> all;
    for (int k = 0; k < 256; k++) all.push_back(variant(a, k));
    for (long count : { 1, 64, 256 })
        measure(name.c_str(), ("batch of " + std::to_string(count)).c_str(), { all.begin(), all.begin() + count },
                count == 1 ? 21 : 5);
    measure(name.c_str(), "8 by 8 of it", { tiled(a, 8) }, 5);
    if (alone) return;
    compare_batches(name.c_str(), all, patches_energy);
    compare_single((name + ", 8 by 8").c_str(), tiled(a, 8), patches_energy, { 16, 8, 4, 2, 1 });
    compare_single(name.c_str(), a, patches_energy, { 1 });
    compare_batches((name + ", pairs").c_str(), all, pairs_energy);
    compare_single((name + ", pairs").c_str(), a, pairs_energy, { 1 });
}

int main(int argc, char *argv[])
{
    sos_error error;
    size_t memory;
    const char *card = sos_card_ops_2.name(&memory, &error), *mode = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
    if (!card) return fprintf(stderr, "%s\n", error.message), 1;
    printf("%s\n", card);
    const bool alone = !strcmp(mode, "--alone"), hard = !strcmp(mode, "--zoo");
    const int wrong = hard || alone ? 0 : check_random(!strcmp(mode, "--check"));
    if (hard) zoo();
    printf("%-32s %-16s %9s %9s %9s %9s   proven\n", "milliseconds per image", "", "resident", "sent", "call", "sliced");
    for (int i = *mode ? 2 : 1; i < argc; i++) file_run(argv[i], alone);
    return wrong != 0;
}
