// Figure 1's chain server by server, the way one writes it in C++: a queue length for each server, and lists of who is cold,
// initializing, warm and busy, so that one of each can be drawn. Power-of-2 and Blind.
//
//   servers RUNS HORIZON SEED
//
// prints a line a run: fractions of servers cold, initializing and idle, and jobs per server at the horizon.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

const double LAMBDA = 0.7, ALPHA = 0.05, BETA = 0.1, GAMMA = 0.025, THETA = 0.06;
const int SERVERS = 1000, BUFFER = 100;

// Servers that have something in common: draw, insert and remove in a few steps each.
struct Group {
    std::vector<int> members, place;
    explicit Group(int servers) : place(servers, -1) {}
    double size() const { return members.size(); }
    void insert(int server) {
        place[server] = members.size();
        members.push_back(server);
    }
    void remove(int server) {
        int hole = place[server], last = members.back();
        members[hole] = last;
        place[last] = hole;
        members.pop_back();
        place[server] = -1;
    }
};

struct Platform {
    Group cold{SERVERS}, initializing{SERVERS}, warm{SERVERS}, idle{SERVERS}, busy{SERVERS};
    std::vector<int> jobs = std::vector<int>(SERVERS, 0);
    long total_jobs = 0;
    std::mt19937_64 random;
    std::uniform_real_distribution<double> uniform{0.0, 1.0};

    explicit Platform(unsigned long seed) : random(seed) {
        for (int server = 0; server < SERVERS; server++) {
            if (server < SERVERS * 3 / 10) cold.insert(server);
            else { warm.insert(server); idle.insert(server); }
        }
    }
    int draw(const Group &group) { return group.members[int(uniform(random) * group.size())]; }
    void arrive() {
        if (warm.members.empty()) return;
        int first = draw(warm), second = draw(warm);
        int server = jobs[first] <= jobs[second] ? first : second;
        if (jobs[server] == BUFFER) return;
        if (jobs[server]++ == 0) { idle.remove(server); busy.insert(server); }
        total_jobs++;
    }
    void complete() {
        int server = draw(busy);
        if (--jobs[server] == 0) { busy.remove(server); idle.insert(server); }
        total_jobs--;
    }
    void start() {
        int server = draw(cold);
        cold.remove(server);
        initializing.insert(server);
    }
    void initialize() {
        int server = draw(initializing);
        initializing.remove(server);
        warm.insert(server);
        idle.insert(server);
    }
    void expire() {
        int server = draw(idle);
        idle.remove(server);
        warm.remove(server);
        cold.insert(server);
    }
    void run(double horizon) {
        std::exponential_distribution<double> exponential;
        double time = 0.0;
        for (;;) {
            double arrivals = LAMBDA * SERVERS, completions = busy.size();
            double starts = cold.members.empty() ? 0.0 : ALPHA * THETA * SERVERS;
            double initializations = BETA * initializing.size(), expirations = GAMMA * idle.size();
            double rate = arrivals + completions + starts + initializations + expirations;
            time += exponential(random) / rate;
            if (time > horizon) return;
            double event = uniform(random) * rate;
            if ((event -= arrivals) < 0) arrive();
            else if ((event -= completions) < 0) complete();
            else if ((event -= starts) < 0) start();
            else if ((event -= initializations) < 0) initialize();
            else expire();
        }
    }
};

int main(int, char **arguments) {
    int runs = std::atoi(arguments[1]);
    double horizon = std::atof(arguments[2]), servers = SERVERS;
    for (int run = 0; run < runs; run++) {
        Platform platform(std::strtoul(arguments[3], nullptr, 10) * 1000 + run);
        platform.run(horizon);
        std::printf("%.9g %.9g %.9g %.9g\n", platform.cold.size() / servers, platform.initializing.size() / servers,
                    platform.idle.size() / servers, platform.total_jobs / servers);
    }
}
