#!/bin/bash -eu
# Builds the fuzz targets for ClusterFuzzLite, in the same way as for OSS-Fuzz.
exec "$SRC/torchproof/fuzz/oss-fuzz/build.sh"
