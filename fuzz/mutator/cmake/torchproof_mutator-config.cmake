# Defines the targets of libtorchproof_mutator for `find_package(torchproof_mutator)`:
#
#   torchproof_mutator::fuzzer   the static library, linked so that libFuzzer finds the mutator
#   torchproof_mutator::static   the static library, for programs that call the C functions
#   torchproof_mutator::shared   the shared library, for AFL_CUSTOM_MUTATOR_LIBRARY and for programs
#
# The variable torchproof_mutator_LIBRARY is the path of the shared library.

get_filename_component(torchproof_mutator_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(torchproof_mutator_LIBRARY "${torchproof_mutator_PREFIX}/lib/libtorchproof_mutator.so")

if(NOT TARGET torchproof_mutator::static)
  add_library(torchproof_mutator::static STATIC IMPORTED)
  set_target_properties(torchproof_mutator::static PROPERTIES
    IMPORTED_LOCATION "${torchproof_mutator_PREFIX}/lib/libtorchproof_mutator.a"
    INTERFACE_INCLUDE_DIRECTORIES "${torchproof_mutator_PREFIX}/include"
    INTERFACE_LINK_LIBRARIES "gcc_s;util;rt;pthread;m;dl")

  add_library(torchproof_mutator::shared SHARED IMPORTED)
  set_target_properties(torchproof_mutator::shared PROPERTIES
    IMPORTED_LOCATION "${torchproof_mutator_LIBRARY}"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${torchproof_mutator_PREFIX}/include")

  # libFuzzer refers to the mutator weakly, and a weak reference alone links nothing from a static library.
  add_library(torchproof_mutator::fuzzer INTERFACE IMPORTED)
  set_target_properties(torchproof_mutator::fuzzer PROPERTIES
    INTERFACE_LINK_LIBRARIES torchproof_mutator::static
    INTERFACE_LINK_OPTIONS "LINKER:-u,LLVMFuzzerCustomMutator,-u,LLVMFuzzerCustomCrossOver")
endif()
