"""The native module."""

import os
from collections.abc import Mapping

__version__: str

class Table:
    """A file, the files of a folder, or a data set, for ``SessionContext.register_table``.

    Args:
        source: A path or a URL; that of a folder ends with a slash.
        storage_options: The region, endpoint, keys and other options of an object store, as ``aws_region``.
    """

    def __init__(self, source: str | os.PathLike[str], *, storage_options: Mapping[str, str] | None = None) -> None: ...
    def __datafusion_table_provider__(self, session: object) -> object: ...
