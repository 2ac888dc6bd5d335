// Replays a time-independent trace with SimGrid 3.32, as `smpirun -replay` does, where that one crashes: with the tables of
// collectives of MVAPICH2 and Open MPI, and with all-to-alls. For benches/against-simgrid, which builds it:
//
//   g++ -std=c++17 -O2 -rdynamic benches/simgrid-replay.cpp -lsimgrid -o simgrid-replay
//   simgrid-replay [-np RANKS] [-hostfile FILE] [-scratch BYTES] [--cfg=KEY:VALUE]... -platform FILE -replay LIST
//
// Options are those of smpirun, with its defaults; -scratch is explained below. Prints the simulated seconds with 17 digits, from the
// common start of the ranks to the end of the last one. If a rank does not reach its end there is no result, and the exit code is 1.
//
// All of the work is SimGrid's: `smpi_main` deploys ranks and runs them, each rank calls `smpi_replay_init` and `smpi_replay_main`.
// Three faults of 3.32 are stepped around in between, without simulated time and, but for a few barriers, without work:
//
// 1. Ranks share two scratch buffers, which grow when a rank asks for more and leave the others with the old address. They get
//    their final size first: the most that any collective of the trace asks for, which is what -scratch says (the caller has
//    it from a pass over the trace that nobody times).
// 2. The tables of MVAPICH2 and Open MPI look at which ranks share a host: `Comm::init_smp`, within the first collective, in which the
//    ranks tell each other by messages. In a replay that ends with free() of an invalid pointer. Here it is called before the start,
//    and its three exchanges go through memory.
// 3. MVAPICH2's allreduce asks the operator whether it commutes, but a replay has none. It is given a sum, which replays never compute.
//
// What remains: with several ranks on a host, himeno.S.64.it30 still ends in free() with MVAPICH2's table.
//
// SimGrid's headers do not declare what 2 and 3 need; its library exports it, so the declarations are here.
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <smpi/smpi.h>
#include <xbt/replay.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#if SIMGRID_VERSION_MAJOR != 3 || SIMGRID_VERSION_MINOR != 32
#error "this steps around faults of SimGrid 3.32, other versions have others"
#endif

namespace s4u = simgrid::s4u;

namespace simgrid::smpi {
class Comm {
public:
  int rank() const;
  int size() const;
  Group* group();
  void init_smp();
};
class Group {
public:
  aid_t actor(int rank) const;
};
namespace colls {
using Allreduce = int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
extern Allreduce allreduce;
}
} // namespace simgrid::smpi

namespace {

const char* scratch_bytes = "0";
bool telling_hosts        = false; // the ranks are inside of init_smp
int ranks                 = 0;
int finished              = 0; // ranks that came to their end
double start, end;             // of the replay, in simulated seconds

// Tells each rank of a communicator the values of all, in their order. They go on in the order in which they came.
std::vector<int> tell(MPI_Comm comm, int value)
{
  // Each rank has a Comm of its own for those on its host, so a communicator is known by its actors.
  static std::map<std::vector<aid_t>, std::pair<s4u::BarrierPtr, std::vector<int>>> boards;
  std::vector<aid_t> members;
  for (int rank = 0; rank < comm->size(); rank++)
    members.push_back(comm->group()->actor(rank));
  auto& [barrier, values] = boards[members];
  if (barrier == nullptr) {
    barrier = s4u::Barrier::create(comm->size());
    values.resize(comm->size());
  }
  values[comm->rank()] = value;
  barrier->wait();
  std::vector<int> told = values;
  barrier->wait(); // nobody writes the next values before all have read these
  return told;
}

// SimGrid's own function of a name that is defined here, too.
template <typename Function> Function* original(const char* mangled)
{
  void* symbol = dlsym(RTLD_NEXT, mangled);
  if (symbol == nullptr) {
    std::fprintf(stderr, "simgrid-replay: libsimgrid has no %s; this is for SimGrid 3.32\n", mangled);
    std::exit(1);
  }
  return reinterpret_cast<Function*>(symbol);
}

} // namespace

// The three collectives that init_smp uses. A program's functions go before a library's, so these are called for SimGrid's own, and
// pass on what does not come from init_smp.
namespace simgrid::smpi {

int allgather__ring(const void* send, int count, MPI_Datatype type, void* receive, int receive_count, MPI_Datatype receive_type,
                    MPI_Comm comm)
{
  static auto* ring = original<decltype(allgather__ring)>("_ZN7simgrid4smpi15allgather__ringEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE");
  if (not telling_hosts)
    return ring(send, count, type, receive, receive_count, receive_type, comm);
  const std::vector<int> values = tell(comm, *static_cast<const int*>(send));
  std::copy(values.begin(), values.end(), static_cast<int*>(receive));
  return MPI_SUCCESS;
}

int bcast__scatter_LR_allgather(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
  static auto* bcast =
      original<decltype(bcast__scatter_LR_allgather)>("_ZN7simgrid4smpi27bcast__scatter_LR_allgatherEPviPNS0_8DatatypeEiPNS0_4CommE");
  if (not telling_hosts)
    return bcast(buffer, count, type, root, comm);
  *static_cast<int*>(buffer) = tell(comm, *static_cast<int*>(buffer))[root];
  return MPI_SUCCESS;
}

int allreduce__default(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  static auto* reduce =
      original<decltype(allreduce__default)>("_ZN7simgrid4smpi18allreduce__defaultEPKvPviPNS0_8DatatypeEPNS0_2OpEPNS0_4CommE");
  if (not telling_hosts)
    return reduce(send, receive, count, type, op, comm);
  const std::vector<int> values = tell(comm, *static_cast<const int*>(send)); // a logical and
  *static_cast<int*>(receive)   = std::all_of(values.begin(), values.end(), [](int value) { return value != 0; });
  return MPI_SUCCESS;
}

} // namespace simgrid::smpi

// What one rank does. SimGrid calls it by way of `main`, with the rank's trace if it has one of its own.
static int replay(const char* trace)
{
  const auto* self = s4u::Actor::self();
  const int rank   = std::atoi(self->get_property("rank"));
  smpi_replay_init(self->get_property("instance_id"), rank, 0);

  if (rank == 0) {
    using simgrid::smpi::colls::allreduce;
    static const auto chosen = allreduce;
    // An allreduce that does nothing makes both buffers as large as it is, in bytes (type 6 is MPI_BYTE).
    allreduce = [](const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm) -> int { return MPI_SUCCESS; };
    simgrid::xbt::ReplayAction action{"0", "allreduce", scratch_bytes, "0", "6"};
    xbt_replay_action_get("allreduce")(action);
    allreduce = [](const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
      return chosen(send, receive, count, type, op == MPI_OP_NULL ? MPI_SUM : op, comm);
    };
    if (const char* shared = self->get_property("tracefile"))
      xbt_replay_set_tracefile(shared);
  }
  ranks         = MPI_COMM_WORLD->size();
  telling_hosts = true;
  MPI_COMM_WORLD->init_smp();
  tell(MPI_COMM_WORLD, 0); // all have come out of init_smp
  telling_hosts = false;

  start = s4u::Engine::get_clock();
  smpi_replay_main(rank, trace);
  end = std::max(end, s4u::Engine::get_clock());
  finished++;
  return 0;
}

int main(int argc, char* argv[])
{
  if (s4u::Actor::self() != nullptr)
    return replay(argc > 1 ? argv[1] : nullptr);

  // What smpirun hands on. A later --cfg prevails.
  std::vector<std::string> options{argv[0], "--cfg=smpi/privatization:no", "--cfg=surf/precision:1e-9", "--cfg=network/model:SMPI"};
  std::string platform;
  for (int i = 1; i < argc; i++) {
    const std::string option = argv[i];
    if (option.rfind("--", 0) == 0) {
      options.push_back(option);
      continue;
    }
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (option == "-platform")
      platform = value;
    else if (option == "-scratch")
      scratch_bytes = value;
    else if (option == "-np" || option == "-hostfile" || option == "-replay")
      options.push_back("--cfg=smpi/" + option.substr(1) + ":" + value);
    else {
      std::fprintf(stderr, "simgrid-replay: what is %s? See the head of benches/simgrid-replay.cpp\n", option.c_str());
      return 2;
    }
  }
  options.push_back(platform);
  std::vector<char*> arguments;
  for (std::string& option : options)
    arguments.push_back(option.data());
  arguments.push_back(nullptr);

  // SimGrid aborts where it finds that something went wrong, for instance when ranks wait forever.
  std::signal(SIGABRT, [](int) { std::_Exit(1); });
  // The empty name stands for this program, whose `main` SimGrid then calls for each rank.
  const int status = smpi_main("", static_cast<int>(options.size()), arguments.data());
  if (status != 0 || finished == 0 || finished != ranks) {
    std::fprintf(stderr, "simgrid-replay: %d of %d ranks came to their end, status %d\n", finished, ranks, status);
    return 1;
  }
  std::printf("%.17g\n", end - start);
  return 0;
}
