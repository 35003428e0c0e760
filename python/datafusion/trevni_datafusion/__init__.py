"""Trevni files and data sets as tables of ``datafusion``.

>>> import datafusion, trevni_datafusion
>>> context = datafusion.SessionContext()
>>> context.register_table("quakes", trevni_datafusion.Table("quakes.trv"))
>>> context.sql("SELECT count(*) AS n FROM quakes WHERE magnitude > 5").to_pydict()
{'n': [4]}
"""

from ._trevni_datafusion import Table, __version__

__all__ = ["Table", "__version__"]
