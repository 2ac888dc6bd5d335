"""``python -m mopsim``."""

from ._command_line import main

main()
