# tacit_module(NAME [DEPENDS module...] [LIBRARIES target...] [PRIVATE_LIBRARIES target...])
#
# One folder of tacit/ becomes one library. By the ending of their names its sources go to:
#   *_test.cc   one GoogleTest program a folder      *_bench.cc  one Google Benchmark program a folder
#   *_fuzz.cc   one libFuzzer program a file         the rest    the library

add_library(tacit_warnings INTERFACE)
target_compile_options(tacit_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Wno-missing-field-initializers -Werror)
# GCC 12 reports these where the optimizer, not the code, is at fault (std::variant, std::expected).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tacit_warnings INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()

include(TacitCompile)

# A fused multiply-add would make a rounded result depend on the machine.
add_compile_options(-ffp-contract=off)

set(TACIT_TEST_FILES "_test\\.cc$" CACHE STRING "The test files to build, as a regular expression")
if(TACIT_TESTS)
  find_package(GTest REQUIRED)
  find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
  find_library(MPFR_LIBRARY mpfr REQUIRED)
endif()
if(TACIT_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
if(TACIT_TESTS OR TACIT_BENCHMARKS)
  add_library(tacit_folders STATIC ${PROJECT_SOURCE_DIR}/tests/folders.cc)
  target_include_directories(tacit_folders PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_definitions(tacit_folders PRIVATE TACIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(tacit_folders PRIVATE tacit_warnings)
endif()

# A program of tests, run in eight parts: a process a test would load DuckDB or libtorch, and under a
# sanitizer map its shadow, two thousand times. The tests' own output names those that fail.
set(tacit_test_parts 8)
function(tacit_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tacit_warnings tacit_folders GTest::gtest GTest::gmock GTest::gtest_main
                                        ${RAPIDCHECK_LIBRARY} ${MPFR_LIBRARY})
  tacit_compile(${name} test)
  math(EXPR last "${tacit_test_parts} - 1")
  foreach(part RANGE ${last})
    add_test(NAME ${name}.${part} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name}.${part} PROPERTIES TIMEOUT 1800
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${tacit_test_parts};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

function(tacit_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/tacit/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  set(tests ${sources})
  set(benchmarks ${sources})
  set(fuzzers ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  list(FILTER tests INCLUDE REGEX "${TACIT_TEST_FILES}")
  list(FILTER benchmarks INCLUDE REGEX "_bench\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(TRANSFORM ARG_DEPENDS PREPEND tacit_)

  set(library tacit_${name})
  if(sources)
    add_library(${library} STATIC ${sources})
    set(visibility PUBLIC)
    target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:tacit_warnings> ${ARG_PRIVATE_LIBRARIES})
    tacit_compile(${library} library)
  else()
    add_library(${library} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_compile_features(${library} ${visibility} cxx_std_23)
  target_include_directories(${library} ${visibility}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${library} ${visibility} ${ARG_DEPENDS} ${ARG_LIBRARIES})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  set(TACIT_MODULES ${TACIT_MODULES} ${library} PARENT_SCOPE)

  if(TACIT_TESTS AND tests)
    tacit_test(${library}_test ${tests})
    target_link_libraries(${library}_test PRIVATE ${library} ${ARG_PRIVATE_LIBRARIES})
  endif()
  if(TACIT_BENCHMARKS AND benchmarks)
    add_executable(${library}_bench ${benchmarks})
    target_link_libraries(${library}_bench PRIVATE
      tacit_warnings tacit_folders ${library} ${ARG_PRIVATE_LIBRARIES} benchmark::benchmark_main)
  endif()
  if(TACIT_FUZZ)
    foreach(source ${fuzzers})
      get_filename_component(fuzzer ${source} NAME_WE)
      add_executable(${fuzzer} ${source})
      target_link_libraries(${fuzzer} PRIVATE tacit_warnings ${library} ${ARG_PRIVATE_LIBRARIES})
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()
