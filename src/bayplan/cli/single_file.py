"""A flag that names one file with one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cli.errors import USAGE
from bayplan.cli.files import documents_in
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from bayplan.manifests.reader import Document


def read_single(file: str, flag: str) -> Document:
    """The document of the file; InputError where there is none, or more than one."""
    documents = list(documents_in([file], None, lambda _: None))
    if len(documents) != 1:
        message = f"{file} has {len(documents)} documents where one is expected"
        raise InputError(message, place=flag, next="name a file with one document", code=USAGE)
    return documents[0]
