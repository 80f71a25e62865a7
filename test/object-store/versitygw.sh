#!/usr/bin/env bash
# usage: versitygw.sh FOLDER : builds VersityGW (Apache-2.0), a server of S3's protocol, into FOLDER by the Go toolchain; pinned, so that go's
# checksum database knows it. Says why where it cannot, and ends with 3.
set -euo pipefail
version=v1.8.0
folder=$1
[[ -x $folder/versitygw ]] && exit 0
command -v go >/dev/null || { echo "there is no go to build VersityGW with"; exit 3; }
mkdir -p "$folder"
GOFLAGS=-mod=mod GOBIN=$folder go install "github.com/versity/versitygw/cmd/versitygw@$version" >"$folder/build.log" 2>&1 ||
  { tail -n 5 "$folder/build.log"; exit 3; }
