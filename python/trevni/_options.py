"""The options of writers, by name and type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

Codec = Literal["null", "none", "snappy", "deflate", "bzip2", "xz", "zstd", "lz4", "pack", "pack+zstd"]

Layout = Literal["split", "avro"]


class OtherOptions(TypedDict, total=False):
    """The keywords of :class:`trevni.Writer`, which describes them, but for the codec."""

    column_codecs: Mapping[str, Codec] | None
    level: int | None
    block_size: int | None
    block_rows: int | None
    checksum: bool | None
    statistics: bool | Sequence[str]
    bloom_filters: bool | Sequence[str]
    sorting: Sequence[str] | None
    metadata: Mapping[str, str | bytes] | None
    layout: Layout | None
    threads: int | None


class WriteOptions(OtherOptions, total=False):
    """The keywords of :class:`trevni.Writer`."""

    codec: Codec | None


KNOWN = frozenset(WriteOptions.__annotations__)


def native(options: WriteOptions) -> dict[str, Any]:
    """Returns the options as the native module takes them. An unknown one is a ``TypeError``."""
    unknown = sorted(set(options) - KNOWN)
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}: there are {', '.join(sorted(KNOWN))}")
    metadata = {
        key: value.encode() if isinstance(value, str) else bytes(value)
        for key, value in (options.get("metadata") or {}).items()
    }
    codecs, sorting = options.get("column_codecs"), options.get("sorting")
    return {
        "codec": options.get("codec"),
        "column_codecs": None if codecs is None else dict(codecs),
        "level": options.get("level"),
        "block_size": options.get("block_size"),
        "block_rows": options.get("block_rows"),
        "checksum": options.get("checksum"),
        "statistics": _columns(options.get("statistics", True)),
        "bloom_filters": _columns(options.get("bloom_filters", False)),
        "sorting": [sorting] if isinstance(sorting, str) else None if sorting is None else list(sorting),
        "metadata": metadata,
        "layout": options.get("layout"),
        "threads": options.get("threads"),
    }


def _columns(argument: bool | Sequence[str]) -> bool | list[str]:
    if isinstance(argument, str):
        return [argument]
    return argument if isinstance(argument, bool) else list(argument)
