// consumer.cpp - the same as consumer.c, from C++.
#include <cstdio>
#include <memory>
#include <sos/sos.h>
#include <vector>

int main()
{
    const double cost1[] = { 1, -2 }, differ[] = { 0, 1, 1, 0 };
    const uint32_t both[] = { 0, 1 };
    std::vector<uint8_t> labels(2, 9);
    uint32_t table = 0;
    sos_error error = {};
    sos_minimize_result result = {};

    sos_energy *raw = nullptr;
    sos_status status = sos_energy_create(2, &raw, &error);
    const std::unique_ptr<sos_energy, void (*)(sos_energy *)> e(raw, sos_energy_free);
    if (!status) status = sos_energy_set_unaries(e.get(), nullptr, cost1, &error);
    if (!status) status = sos_energy_add_table(e.get(), 2, differ, &table, &error);
    if (!status) status = sos_energy_add_cliques(e.get(), table, 1, both, nullptr, &error);
    if (!status) status = sos_minimize(e.get(), nullptr, labels.data(), &result, &error);
    if (status) {
        std::fprintf(stderr, "%s: %s\n", sos_status_name(status), error.message);
        return 1;
    }
    std::printf("%s %g %d%d\n", sos_version(), result.energy, labels[0], labels[1]);
    return 0;
}
