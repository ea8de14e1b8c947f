// SPDX-License-Identifier: Apache-2.0
// MuJoCo's conventions: z up, w x y z, half sizes, density 1000, friction 1, the larger friction of a pair counts,
// a body without a joint is part of its parent.
#include "repose/scene/mjcf.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_readers_internal.h"
#include "repose/scene/mjcf_model_internal.h"
#include "repose/scene/scene_scales_internal.h"

namespace repose {
namespace {

namespace fs = std::filesystem;

constexpr int kMostCopies = 10000;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// The current place in the body tree.
struct Scope {
  int body = 0;       ///< index into MjcfModel::bodies
  Pose frame;         ///< of the element in that body
  std::string style;  ///< default class
};

/// Elements that are joints of the body around them.
bool is_joint(const XmlElement& e) { return e.name == "joint" || e.name == "freejoint"; }

/// Adds a suffix to the names of an element and what is in it.
void rename(XmlElement& e, const std::string& suffix) {
  for (auto& [key, value] : e.attributes)
    if (key == "name") value += suffix;
  for (XmlElement& child : e.children) rename(child, suffix);
}

class Reader {
 public:
  Reader(const std::string& file, const LoadOptions& options) : model_(file, options) { model_.out.format = "mjcf"; }

  LoadedScene read() {
    root_ = read_xml(model_.file);
    if (root_.name != "mujoco") root_.refuse("", "this root element", "<mujoco> (URDF files end in .urdf)");
    model_.defaults.check_attributes(root_);
    scene_.name = root_.find("model") ? *root_.find("model") : fs::path(model_.file).stem().string();
    scene_.dt = 0.002;
    scene_.combine = Combine::kMaximum;
    scene_.materials.clear();
    for (const XmlElement& e : root_.children)
      if (e.name == "compiler") read_mjcf_compiler(model_, e);
    for (const XmlElement& e : root_.children)
      if (e.name == "default") model_.defaults.add(e);
    for (const XmlElement& e : root_.children)
      if (e.name == "contact") find_paired(e);
    for (const XmlElement& e : root_.children)
      if (e.name == "actuator" || e.name == "sensor" || e.name == "equality") find_named_tendons(e);
    for (const auto& [name, read] : kSections)
      for (const XmlElement& e : root_.children)
        if (e.name == name) (this->*read)(e);
    for (const XmlElement& e : root_.children) check_section(e);
    finish();
    return std::move(model_.out);
  }

 private:
  using Section = void (Reader::*)(const XmlElement&);

  void check_section(const XmlElement& e) {
    if (e.name == "compiler" || e.name == "default") return;
    if (std::any_of(std::begin(kSections), std::end(kSections), [&](const auto& s) { return e.name == s.first; }))
      return;
    if (skip(e)) return;
    std::vector<std::string> known{"compiler", "default"};
    for (const auto& section : kSections) known.emplace_back(section.first);
    e.refuse("", "an element that is not supported" + meant(e.name, known), "those of docs/scenes/mjcf.md");
  }

  /// True when the element has no meaning here.
  bool skip(const XmlElement& e) {
    if (!mjcf_ignored_elements().contains(e.name)) return false;
    model_.defaults.ignore(e.name);
    return true;
  }

  void find_paired(const XmlElement& section) {
    for (const XmlElement& e : section.children)
      for (const char* geom : {"geom1", "geom2"})
        if (e.find(geom) != nullptr) model_.paired.insert(*e.find(geom));
  }

  void find_named_tendons(const XmlElement& section) {
    for (const XmlElement& e : section.children)
      for (const char* tendon : {"tendon", "tendon1", "tendon2"})
        if (e.find(tendon) != nullptr) model_.named_tendons.insert(*e.find(tendon));
  }

  void read_option(const XmlElement& e) { read_mjcf_option(model_, e); }
  void read_assets(const XmlElement& e) { checked(e), read_mjcf_assets(model_, e); }
  void read_world(const XmlElement& e) {
    checked(e), check_frame(e), read_children(e, {0, {}, "main"});
    model_.scale_masses();
  }
  void read_tendons(const XmlElement& e) { checked(e), read_mjcf_tendons(model_, e); }
  void read_equality(const XmlElement& e) { checked(e, "equality section"), read_mjcf_equality(model_, e); }
  void read_tendon_equality(const XmlElement& e) { read_mjcf_tendon_equality(model_, e); }
  void read_actuators(const XmlElement& e) { checked(e), read_mjcf_actuators(model_, e); }
  void read_sensors(const XmlElement& e) { checked(e), read_mjcf_sensors(model_, e); }
  void read_keys(const XmlElement& e) { checked(e), read_mjcf_keys(model_, e); }
  void checked(const XmlElement& e, const char* kind = nullptr) { model_.defaults.check_attributes(e, kind); }

  void read_children(const XmlElement& parent, const Scope& scope) {
    bool given = false;
    for (const XmlElement& xml : parent.children) {
      if (xml.name != "inertial") continue;
      read_mjcf_inertial(model_, model_.defaults.resolve(xml, scope.style), scope.body);
      given = model_.compiler.inertia_from_geom != "true";
    }
    for (const XmlElement& xml : parent.children) {
      if (skip(xml) || xml.name == "inertial" || is_joint(xml)) continue;
      if (xml.name == "geom")
        read_mjcf_geom(model_, xml, scope.style, scope.body, scope.frame, given);
      else if (xml.name == "body")
        read_body(xml, scope);
      else if (xml.name == "frame")
        read_frame(xml, scope);
      else if (xml.name == "site")
        read_site(xml, scope);
      else if (xml.name == "replicate")
        replicate(xml, scope);
      else
        xml.refuse("", "an element that is not supported here",
                   "geom, body, frame, replicate, site, inertial, freejoint and joint");
    }
  }

  [[nodiscard]] std::string child_class(const MjcfElement& e, const std::string& outer) const {
    const std::string* name = e.find("childclass");
    if (name != nullptr) model_.defaults.check_class(e.xml(), "childclass", *name);
    return name == nullptr ? outer : *name;
  }

  static void check_frame(const XmlElement& xml) {
    for (const XmlElement& child : xml.children)
      if (child.name == "inertial" || is_joint(child)) child.refuse("", "it in a <" + xml.name + ">", "it in a <body>");
  }

  void read_frame(const XmlElement& xml, Scope scope) {
    const MjcfElement e = model_.defaults.resolve(xml, scope.style);
    scope.style = child_class(e, scope.style);
    scope.frame = scope.frame * e.pose(model_.compiler);
    check_frame(xml);
    read_children(xml, scope);
  }

  /// Copies of the content, each in a frame moved on from that of the copy before.
  void replicate(const XmlElement& xml, Scope scope) {
    const MjcfElement e = model_.defaults.resolve(xml, scope.style);
    const int count = e.whole("count", 0);
    if (count < 1 || count > kMostCopies) e.refuse("count", "1 to " + std::to_string(kMostCopies));
    // In all: copies of copies would multiply.
    if (copies_.size() + static_cast<std::size_t>(count) > kMostCopies)
      e.refuse("count", "at most " + std::to_string(kMostCopies) + " copies in the whole file");
    check_frame(xml);
    const std::string separator = e.text("sep", "");
    const std::size_t digits = std::to_string(count - 1).size();
    const Pose step{e.vec3("offset", {}), e.orientation(model_.compiler)};
    for (int k = 0; k < count; ++k) {
      std::string number = std::to_string(k);
      number.insert(0, digits - number.size(), '0');
      copies_.push_back(std::make_unique<XmlElement>(xml));  // geoms and bodies keep pointers to their elements
      for (XmlElement& child : copies_.back()->children) rename(child, separator + number);
      read_children(*copies_.back(), scope);
      scope.frame = scope.frame * step;
    }
  }

  void read_site(const XmlElement& xml, const Scope& scope) {
    const MjcfElement e = model_.defaults.resolve(xml, scope.style);
    const std::string name = e.text("name", "");
    const Pose pose = scope.frame * e.pose(model_.compiler);
    if (!name.empty() && !model_.sites.emplace(name, MjcfSite{scope.body, pose, mjcf_site_volume(e)}).second)
      xml.refuse("name", in_quotes(name) + " again", "each name once");
  }

  void read_body(const XmlElement& xml, const Scope& outer) {
    const MjcfElement e = model_.defaults.resolve(xml, outer.style);
    const bool mocap = e.text("mocap", "false") == "true";
    if (!mocap && e.text("mocap", "false") != "false") e.refuse("mocap", "true or false");
    const int index = static_cast<int>(model_.bodies.size());
    MjcfBody body{.name = e.text("name", "body-" + std::to_string(++unnamed_)), .parent = outer.body};
    if (!model_.body_names.emplace(body.name, index).second)
      xml.refuse("name", in_quotes(body.name) + " again", "each name once");
    const MjcfBody& parent = model_.bodies[at(outer.body)];
    body.in_parent = outer.frame * e.pose(model_.compiler);
    body.start = parent.start * body.in_parent;
    body.scene = parent.scene, body.moves = parent.moves, body.guided = parent.guided || mocap,
    body.in_scene = parent.in_scene * body.in_parent;
    const bool joined = std::any_of(xml.children.begin(), xml.children.end(), is_joint);
    if (mocap && (joined || outer.body != 0)) e.refuse("mocap", "false on a body with joints or inside another one");
    if (joined || mocap ||
        (!parent.moves && !parent.guided)) {  // a body of its own; otherwise a part of the moving body above
      SceneBody made{.name = body.name, .kind = joined ? BodyKind::kDynamic : BodyKind::kStatic};
      if (mocap) made.kind = BodyKind::kKinematic;
      made.pose = {body.start.position, normalized(body.start.rotation)};
      made.gravity_scale = 1 - e.number("gravcomp", 0);
      body.scene = model_.add_body(made);
      body.moves = joined, body.guided = mocap, body.in_scene = {};
      if (joined) places_.emplace_back(body.scene, &xml);
    }
    model_.bodies.push_back(body);
    const Scope scope{index, {}, child_class(e, outer.style)};
    for (const XmlElement& child : xml.children)
      if (is_joint(child)) read_mjcf_joint(model_, child, scope.style, index);
    if (joined) join_mjcf_body(model_, index);
    read_children(xml, scope);
  }

  void read_contacts(const XmlElement& section) {
    checked(section);
    for (const XmlElement& xml : section.children) {
      const MjcfElement e = model_.defaults.resolve(xml, "main");
      if (xml.name == "exclude")
        read_exclude(e);
      else if (xml.name == "pair")
        model_.geoms.read_pair(e);
      else
        xml.refuse("", "it in <contact>", "<pair> and <exclude>");
    }
  }

  void read_exclude(const MjcfElement& e) {
    const int a = model_.find_body(e, "body1"), b = model_.find_body(e, "body2");
    model_.geoms.excluded.emplace_back(a, b);
    const int x = model_.bodies[at(a)].scene, y = model_.bodies[at(b)].scene;
    if (x != y && std::min(x, y) >= 0 && model_.geoms.is_alone(a) && model_.geoms.is_alone(b))
      scene_.excluded.emplace_back(x, y);
  }

  /// Links of robots face each other with narrow gaps that never close. Contacts are looked for as far as a step's
  /// travel in any case, so the margin need not exceed what a large acceleration adds to that.
  void keep_margin_short() {
    constexpr double kLargeAcceleration = 30;  // of that of gravity
    const double g = norm(scene_.gravity);
    if (g > 0) scene_.margin = std::min(scene_.margin, kLargeAcceleration * g * scene_.dt * scene_.dt);
  }

  void finish() {
    if (scene_.materials.empty()) (void)model_.geoms.material(scene_, {});
    for (const auto& [body, xml] : places_) {
      if (!model_.masses[at(body)]) xml->refuse("", "no mass", "an <inertial> or a geom with mass or density");
      if (model_.explicit_masses.contains(body)) scene_.bodies[at(body)].mass = model_.masses[at(body)];
    }
    model_.geoms.set_filters(scene_);
    set_scales(scene_);
    keep_margin_short();
    validate_file(model_.file, scene_);
    const auto& ignored = model_.defaults.ignored();
    model_.out.ignored.assign(ignored.begin(), ignored.end());
    model_.out.simplified.assign(model_.simplified.begin(), model_.simplified.end());
  }

  static constexpr std::pair<const char*, Section> kSections[] = {{"option", &Reader::read_option},
                                                                  {"asset", &Reader::read_assets},
                                                                  {"worldbody", &Reader::read_world},
                                                                  {"contact", &Reader::read_contacts},
                                                                  {"equality", &Reader::read_equality},
                                                                  {"tendon", &Reader::read_tendons},
                                                                  {"equality", &Reader::read_tendon_equality},
                                                                  {"actuator", &Reader::read_actuators},
                                                                  {"sensor", &Reader::read_sensors},
                                                                  {"keyframe", &Reader::read_keys}};

  XmlElement root_;
  MjcfModel model_;
  Scene& scene_ = model_.scene;
  std::vector<std::pair<int, const XmlElement*>> places_;  // elements of the moving bodies of the scene
  std::vector<std::unique_ptr<XmlElement>> copies_;
  int unnamed_ = 0;
};

}  // namespace

LoadedScene read_mjcf_scene(const std::string& path, const LoadOptions& options) {
  return Reader(path, options).read();
}

}  // namespace repose
