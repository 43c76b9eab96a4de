"""`python -m mtrain_env` is `mtrain`."""

import sys

from mtrain_env.cli import main

sys.exit(main())
