// SPDX-License-Identifier: Apache-2.0
// Loaded in front of the C++ library (LD_PRELOAD): allocation REPOSE_FAIL_ALLOCATION of the program, counted from 0
// where main() begins, fails. REPOSE_ALLOCATIONS names a file for the number of all of them.
#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

using Main = int (*)(int, char**, char**);
using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

std::atomic<bool> begun{false};
std::atomic<long> done{0};
long failing = -1;
Main program = nullptr;

void* allocated(std::size_t size, std::size_t alignment) {
  if (begun && done++ == failing) return nullptr;
  const std::size_t whole = size > 0 ? (size + alignment - 1) / alignment * alignment : alignment;
  return alignment <= alignof(std::max_align_t) ? std::malloc(whole) : std::aligned_alloc(alignment, whole);
}

int counted_main(int argc, char** argv, char** environment) {
  if (const char* number = std::getenv("REPOSE_FAIL_ALLOCATION")) failing = std::atol(number);
  begun = true;
  const int status = program(argc, argv, environment);
  begun = false;
  if (const char* name = std::getenv("REPOSE_ALLOCATIONS"))
    if (std::FILE* file = std::fopen(name, "w")) std::fprintf(file, "%ld", done.load()), std::fclose(file);
  return status;
}

}  // namespace

/// What the C library calls main() through.
extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader)(),
                                 void* stack) {
  program = main;
  return reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"))(counted_main, argc, argv, init, fini, loader,
                                                                          stack);
}

void* operator new(std::size_t size) {
  if (void* memory = allocated(size, 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (void* memory = allocated(size, static_cast<std::size_t>(alignment))) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocated(size, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
