// SPDX-License-Identifier: Apache-2.0
#include "apps/viewer_server/live_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "repose/base/error.h"
#include "repose/export/joint_data_internal.h"
#include "repose/export/triangles.h"
#include "repose/report/kind_report_internal.h"
#include "scenes/registry.h"

namespace repose::view {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostMessages = 256;
constexpr int kBalls = 8;                       // that can be thrown before the first is thrown again
constexpr std::chrono::milliseconds kFrame{8};  // frames are not published more often
constexpr std::chrono::seconds kHold{3};        // a pull that nobody repeats ends
constexpr double kPullRate = 8;                 // rad/s, of the spring that pulls
constexpr double kStrongest = 50;               // pulls, in weights of the body

exporter::Json scene_list() {
  exporter::Json list = exporter::Json::array();
  for (const Kind& kind : scenes::list()) list.push_back(report::kind_record(kind));
  return list;
}

/// Balls that wait outside until somebody throws them.
void add_balls(Scene& scene, double size) {
  double mass = 0;
  int count = 0;
  World measured(scene);
  for (const BodyModel& model : measured.models())
    if (model.kind == BodyKind::kDynamic) mass += model.mass, ++count;
  const double radius = 0.06 * size, volume = 4.0 / 3 * 3.14159265358979 * radius * radius * radius;
  for (int k = 0; k < kBalls; ++k) {
    SceneBody ball;
    ball.name = "thrown-" + std::to_string(k + 1);
    ball.pose.position = {0, 0, (100 + 3.0 * k) * size};
    ball.present = false;
    SceneShape shape;
    shape.geometry = Sphere{radius};
    shape.density = (count > 0 ? mass / count : 1) / volume;
    shape.colour = Vec3{.78, .33, .24};
    ball.shapes.push_back(shape);
    scene.bodies.push_back(ball);
  }
}

}  // namespace

/// Belongs to the run's thread.
class LiveRun::Simulation {
 public:
  explicit Simulation(LiveRun& owner) : owner_(owner), scenes_(scene_list()), playing_(owner.options_.playing) {
    name_ = owner.options_.name;
    values_ = owner.options_.values;
    if (owner.options_.scene) file_scene_ = *owner.options_.scene;
    if (file_scene_)
      scenes_.insert(
          scenes_.begin(),
          exporter::Json{{"name", name_}, {"summary", "from a file"}, {"parameters", exporter::Json::array()}});
    file_name_ = name_;
    open();
  }

  void operator()(const RunOn&) { set_playing(true); }
  void operator()(const Pause&) { set_playing(false); }
  void operator()(const StepOnce&) {
    set_playing(false);
    step();
    publish();
  }
  void operator()(const Reset&) { open(); }
  void operator()(const SetSpeed& m) {
    speed_ = m.value;
    start_clock();
    tell();
  }
  void operator()(const SetSolver& m) {
    exact_ = m.exact;
    open();
  }
  void operator()(const SetScene& m) {
    const auto [name, values] = std::pair(name_, values_);
    name_ = m.name;
    values_ = m.values;
    if (!open()) {  // what was there goes on, and the page says why
      name_ = name;
      values_ = values;
      tell();
    }
  }
  void operator()(const SetControl& m) {
    if (at(m.actuator) < world_->controls().size()) world_->set_control(m.actuator, m.value);
  }
  void operator()(const Pull& m) {
    if (m.body >= own_bodies_ + kBalls || world_->models()[at(m.body)].kind != BodyKind::kDynamic) return;
    pull_ = m;
    pull_until_ = Clock::now() + kHold;
  }
  void operator()(const Release&) { pull_.reset(); }
  void operator()(const Throw& m) {
    const int ball = own_bodies_ + thrown_++ % kBalls;
    const Vec3 direction = normalized(m.towards);
    const double speed = 1.5 * std::sqrt(2 * std::max(1e-3, norm(world_->scene().gravity)) * size_);
    world_->place(ball, {m.from + (0.2 * size_) * direction, {}}, speed * direction);
  }

  [[nodiscard]] bool playing() const { return playing_; }
  /// When the next step is due; now or earlier when the simulation is behind.
  [[nodiscard]] Clock::time_point due() const {
    return start_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>((world_->time() - start_time_) / speed_));
  }

  void play() {
    step();
    const auto now = Clock::now();
    // A machine that is too slow runs late; it does not rush afterwards.
    if (now - due() > std::chrono::milliseconds(250)) start_clock();
    if (now - last_published_ >= kFrame) publish();
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  void start_clock() {
    start_ = Clock::now();
    start_time_ = world_->time();
  }

  void set_playing(bool on) {
    if (on == playing_) return;
    playing_ = on;
    trouble_.clear();
    start_clock();
    tell();
  }

  /// A new world; false, with the trouble noted, when the scene makes no sense.
  bool open() {
    try {
      Scene scene = file_scene_ && name_ == file_name_ ? *file_scene_ : scenes::make(name_, values_);
      const double size = exporter::ground_size(scene) / 3;
      const int own = static_cast<int>(scene.bodies.size());
      add_balls(scene, size);
      WorldOptions options;
      options.solver = owner_.options_.solver;
      options.threads = owner_.options_.threads;
      if (!exact_) options.solver.outer = RelaxedOptions{};
      if (!exact_) options.solver.polish = 0;
      world_ = std::make_unique<World>(std::move(scene), options);
      size_ = size;
      own_bodies_ = own;
    } catch (const std::exception& error) {
      trouble_ = error.what();
      if (!world_) throw;
      return false;
    }
    trouble_.clear();
    pull_.reset();
    thrown_ = 0;
    ++generation_;
    start_clock();
    remember();
    report_ = {};
    publish();
    tell();
    return true;
  }

  void step() {
    if (pull_ && Clock::now() > pull_until_) pull_.reset();
    if (pull_) apply_pull();
    remember();
    const StepReport report = world_->step();
    if (report.status == StepStatus::kBroken) {
      trouble_ = std::string("the numbers broke down: ") + report.why;
      playing_ = false;
      tell();
      return;
    }
    report_ = report;
    const std::lock_guard lock(owner_.mutex_);
    ++owner_.steps_;
  }

  /// A damped spring between the point that is held and where the mouse is.
  void apply_pull() {
    const int b = pull_->body;
    if (!world_->present(b)) return;
    const BodyState& state = world_->states()[at(b)];
    const double mass = world_->models()[at(b)].mass;
    const Vec3 point = world_->pose(b) * pull_->at, arm = point - state.centre;
    const Vec3 velocity = state.velocity + cross(state.angular_velocity, arm);
    Vec3 force = mass * ((kPullRate * kPullRate) * (pull_->to - point) - (2 * kPullRate) * velocity);
    const double most = kStrongest * mass * std::max(1.0, norm(world_->scene().gravity));
    if (norm(force) > most) force = (most / norm(force)) * force;
    world_->apply_force(b, force, cross(arm, force));
  }

  /// The state that the next step starts from: what its contacts belong to.
  void remember() {
    before_.clear();
    for (int b = 0; b < static_cast<int>(world_->models().size()); ++b)
      before_.push_back({world_->pose(b).position, world_->states()[at(b)], world_->present(b)});
    before_time_ = world_->time();
    joints_.coordinates = exporter::joint_coordinates(*world_);
    joints_.controls.assign(world_->controls().begin(), world_->controls().end());
  }

  void publish() {
    last_published_ = Clock::now();
    exporter::ChunkWriter out;
    out.begin_frame();
    for (const std::uint32_t word : {generation_, revision_, sequence_ + 1}) out.put(word);
    out.begin_frame();
    for (const Moment& m : before_) exporter::put_body(out, m.position, m.state, m.present);
    joints_.forces.assign(joints_.controls.size(), 0.0);
    for (std::size_t k = 0; k < joints_.forces.size() && report_.step > 0; ++k)
      joints_.forces[k] = world_->actuator_force(static_cast<int>(k));
    exporter::put_joints(out, joints_);
    out.begin_frame();
    if (report_.step > 0)
      for (const Contact& contact : world_->contacts()) exporter::put_contact(out, contact, world_->scene().dt);
    out.begin_frame();
    exporter::put_report(out, before_time_, report_);
    auto block = std::make_shared<const std::string>(out.finish_plain());
    {
      const std::lock_guard lock(owner_.mutex_);
      owner_.newest_ = {generation_, revision_, ++sequence_, std::move(block)};
    }
    owner_.published_();
  }

  /// Something that info() says has changed.
  void tell() {
    ++revision_;
    exporter::Json header = exporter::scene_header(world_->scene(), world_->models());
    header["steps"] = 0;
    header["chunk"] = exporter::kFramesPerChunk;
    header["contact_chunk"] = exporter::kContactFrames;
    header["tolerance"] = world_->options().solver.tolerance;
    header["accept"] = world_->options().solver.accept;
    header["settings"] = exporter::Json{{"outer", exact_ ? "exact" : "relaxed"}};
    const exporter::Json info{{"generation", generation_}, {"header", std::move(header)},
                              {"scenes", scenes_},         {"scene", name_},
                              {"values", values_},         {"solver", exact_ ? "exact" : "relaxed"},
                              {"playing", playing_},       {"speed", speed_},
                              {"trouble", trouble_}};
    auto text =
        std::make_shared<const std::string>(info.dump(-1, ' ', false, exporter::Json::error_handler_t::replace));
    {
      const std::lock_guard lock(owner_.mutex_);
      owner_.info_ = std::move(text);
    }
    publish();
  }

  struct Moment {
    Vec3 position;
    BodyState state;
    bool present;
  };
  LiveRun& owner_;
  exporter::Json scenes_;
  std::string name_, file_name_, trouble_;
  ParameterValues values_;
  std::optional<Scene> file_scene_;
  std::unique_ptr<World> world_;
  std::vector<Moment> before_;
  exporter::JointMoment joints_;  ///< of the same state
  double before_time_ = 0, size_ = 1, speed_ = 1, start_time_ = 0;
  StepReport report_;
  bool playing_, exact_ = true;
  int own_bodies_ = 0, thrown_ = 0;
  std::optional<Pull> pull_;
  Clock::time_point pull_until_, start_, last_published_;
  std::uint32_t generation_ = 0, revision_ = 0, sequence_ = 0;
};

LiveRun::LiveRun(LiveOptions options, std::function<void()> published)
    : options_(std::move(options)), published_(std::move(published)) {
  // The first world is made here, so that a bad scene is the caller's to hear of.
  auto simulation = std::make_shared<Simulation>(*this);
  thread_ = std::thread([this, simulation] {
    for (;;) {
      std::deque<Message> todo;
      {
        std::unique_lock lock(mutex_);
        const auto called = [this] { return stop_ || !messages_.empty(); };
        if (simulation->playing())
          wake_.wait_until(lock, simulation->due(), called);
        else
          wake_.wait(lock, called);
        if (stop_) return;
        todo.swap(messages_);
      }
      for (const Message& message : todo) std::visit(*simulation, message);
      if (simulation->playing() && Clock::now() >= simulation->due()) simulation->play();
    }
  });
}

LiveRun::~LiveRun() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool LiveRun::send(Message message) {
  {
    const std::lock_guard lock(mutex_);
    if (messages_.size() >= kMostMessages) return false;
    messages_.push_back(std::move(message));
  }
  wake_.notify_all();
  return true;
}

LiveRun::Newest LiveRun::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}
std::shared_ptr<const std::string> LiveRun::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}
long long LiveRun::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

}  // namespace repose::view
