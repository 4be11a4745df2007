# The target for Buck in ExecuTorch's own tree: call define_common_targets() in this folder's BUCK file.
load("@fbsource//xplat/executorch/build:runtime_wrapper.bzl", "runtime")

def define_common_targets():
    runtime.cxx_test(
        name = "loader_vectors_test",
        srcs = ["loader_vectors_test.cpp"],
        headers = [
            "exceptions.h",
            "vectors.h",
        ],
        deps = [
            "//executorch/extension/data_loader:buffer_data_loader",
            "//executorch/extension/flat_tensor:flat_tensor_data_map",
            "//executorch/runtime/backend:interface",
            "//executorch/runtime/executor:program",
            "//executorch/runtime/kernel:operator_registry",
            "//executorch/runtime/platform:platform",
        ],
    )
