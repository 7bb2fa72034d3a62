"""One exception for everything that is the input's fault, shown as one sentence without a traceback."""


class UserError(Exception):
    """Says what is wrong, where (file and line if there is one) and what to do about it."""
