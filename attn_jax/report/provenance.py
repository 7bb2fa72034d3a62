"""How a run was made, as rows of a list."""

import json
from typing import Any


def rows(config: dict[str, Any]) -> list[tuple[str, str]]:
    """(name, value) of all that the configuration says, nested names joined by dots."""
    made: list[tuple[str, str]] = []
    for name, value in sorted(config.items()):
        inner = sorted(value.items()) if isinstance(value, dict) else [("", value)]
        made += [(f"{name}.{key}" if key else name, _plain(child)) for key, child in inner]
    return made


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
