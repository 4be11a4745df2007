# torchproof_add_conformance_test(TARGET <target> [NAME <name>] [ONCE] [KNOWN <file>] [OPTIONS <option>...])
#
# Adds tests to CTest: NAME, by default <target>-conformance, runs the target on the torchproof corpus, and NAME-selftest
# checks the adapter. The target is a shared library with the functions of torchproof.h, a worker program of protocol 1 or,
# with ONCE, a program that CTest runs once for each case. KNOWN is the list of known failures, and OPTIONS are options of
# `torchproof run`.
#
# This needs the program torchproof; set TORCHPROOF_EXECUTABLE if it is not on the PATH.

cmake_minimum_required(VERSION 3.16)

function(torchproof_add_conformance_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "ONCE" "TARGET;NAME;KNOWN" "OPTIONS")
  if(NOT TARGET "${arg_TARGET}")
    message(FATAL_ERROR "torchproof_add_conformance_test: found the target `${arg_TARGET}`, expected a library or a program")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "torchproof_add_conformance_test: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  find_program(TORCHPROOF_EXECUTABLE torchproof)
  if(NOT TORCHPROOF_EXECUTABLE)
    message(FATAL_ERROR "found no torchproof on the PATH; install it, or set TORCHPROOF_EXECUTABLE")
  endif()
  if(NOT arg_NAME)
    set(arg_NAME "${arg_TARGET}-conformance")
  endif()

  get_target_property(type "${arg_TARGET}" TYPE)
  if(type MATCHES "^(SHARED|MODULE)_LIBRARY$")
    set(reader "lib:$<TARGET_FILE:${arg_TARGET}>")
  elseif(NOT type STREQUAL "EXECUTABLE")
    message(FATAL_ERROR "found the ${type} ${arg_TARGET}, expected a shared library, a module or a program")
  elseif(arg_ONCE)
    set(reader "once:'$<TARGET_FILE:${arg_TARGET}>'")
  else()
    set(reader "exec:'$<TARGET_FILE:${arg_TARGET}>'")
  endif()
  set(reader "${arg_TARGET}=${reader}")

  if(NOT arg_ONCE)
    add_test(NAME "${arg_NAME}-selftest" COMMAND "${TORCHPROOF_EXECUTABLE}" run --selftest=only --reader "${reader}")
  endif()
  set(options --results "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.jsonl")
  if(arg_KNOWN)
    get_filename_component(known "${arg_KNOWN}" ABSOLUTE)
    list(APPEND options --known-failures "${known}")
  endif()
  add_test(NAME "${arg_NAME}" COMMAND "${TORCHPROOF_EXECUTABLE}" run --reader "${reader}" ${options} ${arg_OPTIONS})
endfunction()
