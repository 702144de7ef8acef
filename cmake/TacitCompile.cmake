# tacit_compile(TARGET library|program|test)
#
# Gives TARGET the options of its kind. With TACIT_PCH its sources start from headers that are parsed
# once a build folder, not once a source; they still include what they use, so that without TACIT_PCH
# only the time differs. The presets do so with Clang: each run of GCC writes another precompiled
# header, after which nothing in ccache fits.
option(TACIT_PCH "Precompile the headers that most sources include" OFF)

# The sources of these kinds are compiled in batches, as one that includes them all: half of the time
# went into the same headers. What ships is compiled a source at a time by the presets that optimize
# it, so that a source that lacks an include fails there.
set(TACIT_BATCHED "" CACHE STRING "The kinds of sources to compile in batches: library, program, test")
set(tacit_batch_size 10)

set(tacit_library_headers
  <algorithm> <array> <cmath> <cstdint> <expected> <functional> <limits> <memory> <optional> <span>
  <string> <string_view> <utility> <variant> <vector> <fmt/format.h> <gmpxx.h>)
set(tacit_program_headers ${tacit_library_headers} <CLI/App.hpp> <nlohmann/json.hpp>)
set(tacit_test_headers ${tacit_library_headers} <gmock/gmock.h> <gtest/gtest.h>)
set(tacit_library_packages GMP::gmpxx fmt::fmt)
set(tacit_program_packages ${tacit_library_packages} CLI11::CLI11 nlohmann_json::nlohmann_json)
set(tacit_test_packages ${tacit_library_packages} GTest::gtest GTest::gmock)

# Options of one kind of source. Fuzzers watch which branches of the libraries they reach. What is
# tested is optimized as it is shipped; the tests themselves gain nothing past -O1.
set(tacit_library_options $<$<BOOL:${TACIT_FUZZ}>:-fsanitize=fuzzer-no-link>)
# Under a sanitizer they watch memory and arithmetic, and not every pointer that they follow: that
# would be a quarter of the time to compile them, and where one is null they stop anyway.
set(tacit_test_options $<$<CONFIG:Release>:-O1>
  $<$<BOOL:${TACIT_FUZZ}>:-fno-sanitize=alignment,null,object-size,vptr>)

# Clang also instantiates the templates of the headers once; GCC must name the header to ccache.
add_library(tacit_precompiled INTERFACE)
target_compile_options(tacit_precompiled INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-fpch-instantiate-templates;SHELL:-Xclang -fno-pch-timestamp>
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)

# An empty target that owns the precompiled headers of one kind of source. It is compiled as its users
# are: a library with -fPIC, a program with -fPIE. A precompiled header holds the paths of its build
# folder, so ccache must not carry it into another.
function(tacit_headers kind)
  set(source ${PROJECT_BINARY_DIR}/precompiled.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
  if(kind STREQUAL "library")
    add_library(tacit_${kind}_headers STATIC ${source})
  else()
    add_executable(tacit_${kind}_headers ${source})
  endif()
  target_link_libraries(tacit_${kind}_headers PRIVATE
    tacit_precompiled tacit_warnings ${tacit_${kind}_packages})
  target_compile_options(tacit_${kind}_headers PRIVATE ${tacit_${kind}_options})
  set_target_properties(tacit_${kind}_headers PROPERTIES
    CXX_COMPILER_LAUNCHER "" EXCLUDE_FROM_ALL ON)
  target_precompile_headers(tacit_${kind}_headers PRIVATE ${tacit_${kind}_headers})
endfunction()

function(tacit_batch target)
  find_program(PYTHON3 python3 REQUIRED)
  # Paths are compared as they are: one may hold what a regular expression makes something of.
  get_target_property(named ${target} SOURCES)
  set(sources "")
  foreach(source ${named})
    string(FIND "${source}" "${PROJECT_SOURCE_DIR}/" at)
    if(at EQUAL 0)
      file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
      list(APPEND sources ${source})
    endif()
  endforeach()
  set(script ${PROJECT_SOURCE_DIR}/scripts/batches.py)
  execute_process(COMMAND ${PYTHON3} -B ${script} ${tacit_batch_size} ${sources}
    OUTPUT_VARIABLE batches OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  # Each line is a list; as an element of the list of lines it must not be one.
  string(REPLACE ";" "|" batches "${batches}")
  string(REPLACE "\n" ";" batches "${batches}")
  set(number 0)
  foreach(batch ${batches})
    string(REPLACE "|" ";" batch "${batch}")
    list(TRANSFORM batch PREPEND ${PROJECT_SOURCE_DIR}/)
    set_source_files_properties(${batch} TARGET_DIRECTORY ${target} PROPERTIES
      UNITY_GROUP ${target}_${number})
    math(EXPR number "${number} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
endfunction()

function(tacit_compile target kind)
  target_compile_options(${target} PRIVATE ${tacit_${kind}_options})
  if(kind IN_LIST TACIT_BATCHED)
    tacit_batch(${target})
  endif()
  if(NOT TACIT_PCH)
    return()
  endif()
  if(NOT TARGET tacit_${kind}_headers)
    tacit_headers(${kind})
  endif()
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tacit_precompiled>)
  target_precompile_headers(${target} REUSE_FROM tacit_${kind}_headers)
endfunction()
