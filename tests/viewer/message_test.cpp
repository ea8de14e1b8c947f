// SPDX-License-Identifier: Apache-2.0
// Messages of pages: what is meant is understood, everything else is refused with one line.
#include "apps/viewer_server/message.h"

#include <gtest/gtest.h>

#include <random>

#include "repose/base/error.h"

namespace repose::view {
namespace {

TEST(Message, Understood) {
  EXPECT_TRUE(std::holds_alternative<RunOn>(parse_message(R"({"do":"run"})")));
  EXPECT_TRUE(std::holds_alternative<StepOnce>(parse_message(R"({"do":"step"})")));
  EXPECT_EQ(std::get<SetSpeed>(parse_message(R"({"do":"speed","value":0.5})")).value, 0.5);
  EXPECT_FALSE(std::get<SetSolver>(parse_message(R"({"do":"solver","value":"relaxed"})")).exact);
  const auto scene = std::get<SetScene>(parse_message(R"({"do":"scene","name":"incline","values":{"mu":"0.2"}})"));
  EXPECT_EQ(scene.name, "incline");
  EXPECT_EQ(scene.values.at("mu"), "0.2");
  const auto pull = std::get<Pull>(parse_message(R"({"do":"pull","body":3,"at":[0,0,1],"to":[1,2,3]})"));
  EXPECT_EQ(pull.body, 3);
  EXPECT_EQ(pull.to.z, 3);
  const auto control = std::get<SetControl>(parse_message(R"({"do":"control","actuator":2,"value":-0.5})"));
  EXPECT_EQ(control.actuator, 2);
  EXPECT_EQ(control.value, -0.5);
  EXPECT_EQ(std::get<Throw>(parse_message(R"({"do":"throw","from":[0,0,1],"towards":[1,0,0]})")).towards.x, 1);
}

TEST(Message, Refused) {
  for (const char* text : {"",
                           "run",
                           "[]",
                           "null",
                           "{}",
                           R"({"do":1})",
                           R"({"do":"fly"})",
                           R"({"do":"run","extra":1})",
                           R"({"do":"speed"})",
                           R"({"do":"speed","value":"1"})",
                           R"({"do":"speed","value":0})",
                           R"({"do":"speed","value":1e9})",
                           R"({"do":"solver","value":"fast"})",
                           R"({"do":"scene","name":"x"})",
                           R"({"do":"scene","name":"x","values":{"a":1}})",
                           R"({"do":"pull","body":-1,"at":[0,0,0],"to":[0,0,0]})",
                           R"({"do":"pull","body":1.5,"at":[0,0,0],"to":[0,0,0]})",
                           R"({"do":"pull","body":1,"at":[0,0],"to":[0,0,0]})",
                           R"({"do":"throw","from":[0,0,0],"towards":[0,0,0]})",
                           R"({"do":"control","actuator":0})",
                           R"({"do":"control","actuator":-1,"value":0})",
                           R"({"do":"control","actuator":0,"value":1e300})",
                           R"({"do":"control","actuator":0.5,"value":0})",
                           R"({"do":"control","actuator":0,"value":1,"joint":2})",
                           R"({"do":"throw","from":[1e300,0,0],"towards":[1,0,0]})",
                           R"({"do":"run"} trailing)"})
    EXPECT_THROW((void)parse_message(text), InputError) << text;
  EXPECT_THROW((void)parse_message(std::string(20000, ' ') + R"({"do":"run"})"), InputError);
  EXPECT_THROW((void)parse_message(std::string(8000, '[')), InputError);
}

/// Thousands of broken messages: each is understood or refused, none does anything else.
TEST(Message, SurvivesNoise) {
  const std::vector<std::string> seeds{R"({"do":"pull","body":3,"at":[0,0,1],"to":[1,2,3]})",
                                       R"({"do":"scene","name":"incline","values":{"mu":"0.2"}})",
                                       R"({"do":"throw","from":[0,0,1e5],"towards":[1,0,0]})"};
  constexpr std::string_view kParts = "{}[]\",:.0123456789eE+-nulltrufas\\u\x00\xff\xc3 do";
  std::mt19937 random(5);
  int refused = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text = seeds[random() % seeds.size()];
    for (unsigned i = 0; i <= random() % 6; ++i) {
      const std::size_t at = random() % text.size();
      const char letter = kParts[random() % kParts.size()];
      switch (random() % 3) {
        case 0: text[at] = letter; break;
        case 1: text.insert(at, 1 + random() % 3, letter); break;
        default: text.erase(at, 1 + random() % 3);
      }
      if (text.empty()) text.push_back('{');
    }
    try {
      (void)parse_message(text);
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace repose::view
