// SPDX-License-Identifier: Apache-2.0
#include "apps/terminal/program.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#include "apps/terminal/interrupt.h"
#include "repose/base/error.h"

namespace repose::cli {
namespace {

constexpr const char* kNoMemory = "more memory needed than this machine has";

/// Memory that runs out in a destructor, as those of JSON values, which allocate, cannot be caught: the same line and
/// status all the same.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    std::fputs("repose: ", stderr), std::fputs(kNoMemory, stderr), std::fputs("\n", stderr);
    std::_Exit(static_cast<int>(Exit::kBadInput));
  } catch (...) {
  }
  std::abort();
}

/// One line, whatever the library said.
Exit complain(std::string text, Exit status) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  fmt::print(stderr, "repose: {}\n", text);
  return status;
}

}  // namespace

Exit guarded(const CLI::App& program, const std::function<Exit()>& body, const std::function<std::string()>& place) {
  try {
    return body();
  } catch (const CLI::Success& asked_for_help) {
    return static_cast<Exit>(program.exit(asked_for_help));
  } catch (const CLI::ParseError& error) {
    return complain(error.what() + place(), Exit::kUsage);
  } catch (const UsageError& error) {
    return complain(error.what(), Exit::kUsage);
  } catch (const InputError& error) {
    return complain(error.what(), Exit::kBadInput);
  } catch (const std::bad_alloc&) {
    return complain(kNoMemory, Exit::kBadInput);
  } catch (const std::exception& error) {
    return complain(error.what(), Exit::kBadInput);
  }
}

int run_main(const std::function<Exit()>& body) {
  std::set_terminate(end_without_memory);
  try {
    catch_interrupts();
    const Exit status = body();
    std::cout.flush();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return static_cast<int>(status);
    constexpr const char* kLost = "standard output: expected a place that can be written, got an error while writing";
    return static_cast<int>(status == Exit::kDone ? complain(kLost, Exit::kBadInput) : status);
  } catch (...) {
    std::fputs("repose: standard error cannot be written, or a fault of the program\n", stderr);
    return 1;
  }
}

}  // namespace repose::cli
