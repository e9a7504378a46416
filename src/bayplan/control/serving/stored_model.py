"""A Model as it is stored: the noun, and which version of it is meant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.control.controllers.wish import digest_of, plain
from bayplan.control.serving.booking import Claim
from bayplan.library.status.documents import part
from bayplan.manifests.fields import read_whole
from bayplan.manifests.reader import Document
from bayplan.manifests.serving.seldon_model import collect_seldon_model
from bayplan.serving.served_model import IN_PLACE

if TYPE_CHECKING:
    from bayplan.control.store import Object
    from bayplan.serving.served_model import ServedModel


def read_model(document: Object, booked: int = 0) -> ServedModel:
    """The model in its version; InputError where it cannot be read.

    The claim knows the last version, and by its hash whether this is it; `booked` is the highest that has bookings.
    """
    metadata = document["metadata"]
    place = f"Model {metadata['namespace']}/{metadata['name']}"
    model, _ = read_whole(collect_seldon_model, Document(document, place), document)
    claim = Claim.of(document)
    if claim.version is None or claim.version_hash is None:
        return model
    same = claim.version_hash == version_hash(document)
    return replace(model, version=claim.version if same else 1 + max(claim.version, booked))


def version_hash(document: Object) -> str:
    """A hash of what makes a version of the model: its spec without what only scales it."""
    spec = part(document, "spec")
    return digest_of(plain({key: value for key, value in spec.items() if key not in IN_PLACE}))
