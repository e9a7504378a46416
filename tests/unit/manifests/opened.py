"""Fields of plain data, and how their findings read."""

from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.reader import Document, read_text


def opened(data, source="doc"):
    return Fields(data, Findings(Document(data, source)))


def opened_text(text, source="f.yaml"):
    (document,) = read_text(text, source)
    return Fields(document.data, Findings(document))


def places(fields):
    """Where the problems are, without the source."""
    return [error.place.partition(": ")[2] for error in fields.findings.errors]


def problems(fields):
    return [str(error) for error in fields.findings.errors]
