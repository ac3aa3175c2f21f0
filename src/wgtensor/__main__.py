"""``python -m wgtensor`` is the ``wgtensor`` command."""

import sys

from wgtensor.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
