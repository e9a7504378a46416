"""A config.json: the part that describes the text model, its kind, and its numbers under all the names in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.sizing import families
from bayplan.sizing.field_names import HEAD_DIM, HEADS, HIDDEN, KV_HEADS, LAYERS, TEXT_PARTS
from bayplan.sizing.kind_defaults import KIND_DEFAULTS, TEXT_KINDS, ties_words
from bayplan.sizing.section import Section

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_LAYERS = 10_000  # published models have at most some hundred; lists with one entry per layer are bounded by it
_MOST_NAMES = 100  # config.json names one architecture, or a few


@dataclass(frozen=True, slots=True)
class Config:
    """A field is looked up in the text model, then at the root, then among the defaults of its kind."""

    root: Section
    text: Section
    kind: str
    defaults: Mapping[str, int]

    @classmethod
    def of(cls, data: object) -> Config:
        root = Section(data)
        text = _text_part(root)
        kind = _kind(root, text)
        return cls(root, text, kind, KIND_DEFAULTS.get(TEXT_KINDS.get(kind, kind), {}))

    @property
    def is_known(self) -> bool:
        return self.kind in families.KNOWN

    @property
    def layers(self) -> int | None:
        return self.count(LAYERS, most=MOST_LAYERS)

    @property
    def hidden(self) -> int | None:
        return self.count(HIDDEN)

    @property
    def heads(self) -> int | None:
        return self.least(HEADS)

    @property
    def kv_heads(self) -> int | None:
        """The number of KV heads: as stated; 1 for multi-query attention; as many as heads where nothing is stated."""
        if self.text.flag("multi_query_attention") and (groups := self.count(("multi_query_group_num",))):
            return groups
        told = self.least(KV_HEADS)
        if self.text.flag("multi_query") and not self.text.flag("new_decoder_architecture"):
            return 1 if told is None or self.kind == "falcon" else told  # Falcon writes its heads there
        return told or self.heads

    @property
    def head_dim(self) -> int | None:
        """The size of a head: as stated, else the hidden size divided by the heads."""
        heads, hidden = self.heads, self.hidden
        return self.least(HEAD_DIM) or (hidden // heads if hidden and heads else None) or None

    @property
    def ties_words(self) -> bool:
        by_text = self.text.flag("tie_word_embeddings", absent=ties_words(self.kind))
        return self.root.flag("tie_word_embeddings", absent=by_text)

    def has(self, name: str) -> bool:
        """Whether the field stands there with a value that says something."""
        return name in self.text or name in self.root

    def says_none(self, name: str) -> bool:
        """Whether the field is present as null. That is not the same as absent: no default of the kind applies."""
        return self.text.says_none(name) or (name not in self.text and self.root.says_none(name))

    def count(self, names: tuple[str, ...], *, most: int = 2**31 - 1) -> int | None:
        """One number; of a list with one entry per layer the largest."""
        return max(self._numbers(names, most), default=None)

    def least(self, names: tuple[str, ...]) -> int | None:
        """One number; of a list the smallest above 0, because every layer must be cut."""
        return min(self._numbers(names, 2**31 - 1), default=None)

    def _numbers(self, names: tuple[str, ...], most: int) -> list[int]:
        for part in (self.text, self.root):
            if found := [number for number in part.numbers(*names, most=most, most_entries=MOST_LAYERS) if number]:
                return found
        default = next((self.defaults[name] for name in names if name in self.defaults), None)
        return [] if default is None or self.says_none(names[0]) else [default]

    def each_layer(self, names: tuple[str, ...], layers: int, absent: int | None) -> tuple[int, ...] | None:
        """One number per layer; None where the field is absent, or is a list that is too short."""
        for part in (self.text, self.root):
            listed = part.listed(*names, most_entries=MOST_LAYERS)
            if listed is not None:
                return tuple(listed[:layers]) if len(listed) >= layers else None
        one = self.count(names) or absent
        return None if one is None else (one,) * layers


def _text_part(root: Section) -> Section:
    """`llm_config`, `text_config`, `language_config`, else the root if it names heads or layers, else the thinker's."""
    for name in TEXT_PARTS:
        if (part := root.inner(name)) is not None:
            return part
    thinker = root.inner("thinker_config")
    inside = thinker.inner("text_config") if thinker is not None else None
    named = any(name in root for name in (*HEADS, *LAYERS))
    return root if named or inside is None else inside


def _kind(root: Section, text: Section) -> str:
    """The first `model_type` that is known, that of the text model first; else the unknown one as it is written."""
    named = [name for name in (text.text("model_type"), root.text("model_type")) if name] or [
        name for name in root.words("architectures", most_entries=_MOST_NAMES) or () if name
    ]
    return next((name for name in named if name in families.KNOWN), named[0] if named else "")
