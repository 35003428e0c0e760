"""Reads and writes containers of the Blosc family with the packages that they come from.

  peer.py ours FOLDER             every container in it must hold what the files beside it say
  peer.py changes FOLDER TREVNI   some of them are changed here, and the command must read them as they are then
  peer.py theirs FOLDER TREVNI    containers are made there, which the command must read
  peer.py appends FOLDER TREVNI N N random sequences of appends to each kind, by both, must be read alike by both
  peer.py blpk FOLDER TREVNI      bloscpack's command and ours must make the same files of the same bytes
"""

import collections
import collections.abc
import sys
import warnings

# bloscpack 0.16 wants a name that Python 3.10 moved.
collections.MutableMapping = collections.abc.MutableMapping
warnings.simplefilter("ignore")

import appends
import blpk
import changes
import ours
import theirs

if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    faults = {"appends": appends, "ours": ours, "changes": changes, "theirs": theirs, "blpk": blpk}[command].run(*arguments)
    for fault in faults[:40]:
        print("FAULT", fault)
    if faults:
        sys.exit(f"{command}: {len(faults)} faults")
