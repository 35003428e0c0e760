#!/usr/bin/env bash
# Compiles the reference implementation, Avro's Java Trevni, from the source that Debian keeps of its release 1.8.2, and
# its tool that prints rows.
#
#   build.sh FOLDER [JAVA...]      classes go to the folder, those of these files of ours too; prints the class path
#
# Ends with 75 where Debian's archive is out of reach.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
classes=$1
shift
out_of_reach() { echo "out of reach: $*" >&2; exit 75; }
install() { { apt-get update -q && apt-get install -qy --no-install-recommends "$@"; } >&2 || out_of_reach "$@"; }
command -v javac >/dev/null || install default-jdk-headless
command -v curl >/dev/null || install curl ca-certificates
command -v xz >/dev/null || install xz-utils
jars=(/usr/share/java/{snappy-java,commons-compress,jackson-core-asl}.jar)
ls "${jars[@]}" >/dev/null 2>&1 || install libsnappy-java libcommons-compress-java libjackson-json-java

source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
curl --silent --show-error --fail --retry 3 --output "$source/avro.tar.xz" \
  http://deb.debian.org/debian/pool/main/a/avro-java/avro-java_1.8.2.orig.tar.xz || out_of_reach "the source"
echo "3049dc17a742b2e791990d69e7840f568ec7ef5f3b5587ad9718846a08668d4c  $source/avro.tar.xz" | sha256sum --check --quiet >&2
tar -xJf "$source/avro.tar.xz" -C "$source" --strip-components 3 \
  avro-release-1.8.2/lang/java/trevni/core avro-release-1.8.2/lang/java/tools
tools=$source/tools/src/main/java/org/apache/avro/tool

path=$(IFS=:; echo "${jars[*]}")
mkdir -p "$classes"
find "$source/trevni/core/src/main/java" -name '*.java' >"$source/list"
# Its own buffer's method has the name of one that Java 11 brought; hence the older release.
javac --release 8 -nowarn -d "$classes" -cp "$path" @"$source/list" \
  "$tools/Tool.java" "$tools/TrevniToJsonTool.java" "$here/ToJson.java" "$@" 2>"$source/said" ||
  { cat "$source/said" >&2; exit 1; }
echo "$classes:$path"
