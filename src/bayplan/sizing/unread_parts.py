"""Parts of a config.json that could hold weights and are not understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.sizing.field_names import EXPERT_FIELDS, EXPERT_WORDS, PART_SIZES, READ_PARTS, WEIGHTLESS_PARTS

if TYPE_CHECKING:
    from bayplan.sizing.config_json import Config
    from bayplan.sizing.section import Section


def unread_part(config: Config) -> str | None:
    """The name of the first such part; None where everything that has sizes is understood."""
    parts = [config.root] if config.text is config.root else [config.root, config.text]
    thinker = config.root.inner("thinker_config")
    for part in [*parts, *([thinker] if thinker is not None else [])]:
        for name, value in part.items():
            if _is_unread_dict(part, name, value) or _is_unread_number(name, value):
                return part.place(name)
    return None


def _is_unread_dict(part: Section, name: str, value: object) -> bool:
    if not isinstance(value, dict) or name in READ_PARTS or name in WEIGHTLESS_PARTS:
        return False
    inside = part.inner(name)
    return inside is not None and any(size in inside for size in PART_SIZES)


def _is_unread_number(name: str, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 1:
        return False
    return any(word in name for word in EXPERT_WORDS) and name not in EXPERT_FIELDS
