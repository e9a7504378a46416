"""What an object must pass before it is stored: its kind and name, known fields, and the readers of its dialect."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.api.metadata_checks import metadata_problems
from bayplan.api.passed_contents import Passed, PassedContents
from bayplan.api.patches.managed_fields import IGNORED
from bayplan.api.paths import Verb
from bayplan.api.query import FieldValidation
from bayplan.api.status import Cause, Refusal, invalid
from bayplan.control.resources.conversion import to_storage
from bayplan.control.resources.defaults import add_defaults
from bayplan.control.resources.field_checks import MOST_FOUND, check_fields, missing_fields
from bayplan.library.examination import examine

if TYPE_CHECKING:
    from bayplan.api.call import Call
    from bayplan.control.resources.resource_type import ResourceType
    from bayplan.control.store import Object
    from bayplan.library.examination import Examined
    from bayplan.manifests.finding import Finding, Ignored
    from bayplan.manifests.paths import Step


_LONGEST_NOTE = 4096
_MOST_WARNINGS = 20  # lines that a person reads
_NOT_ALL = f"the first {MOST_FOUND} are named, there may be more"
_APPLY = "application/apply-patch+yaml"


class Admission:
    """Checks objects that clients write; what is not used of them is told, never dropped in silence."""

    def __init__(self) -> None:
        self._passed = PassedContents()

    def admit(self, call: Call, document: Object) -> Object:
        """The object as it is to be stored; Refusal with every problem at once."""
        _check_kind(call, document)
        metadata = _metadata(call, document)
        causes = metadata_problems(metadata, short_names=_is_short(call.resource))
        content = None if causes else self._passed.key(call, document)
        passed = self._passed.get(content, new=_tells_all(call))
        if passed is not None:
            _note_ignored(metadata, [])
            call.passed = passed
            return passed.stored(metadata)
        ignored = self._checked(call, document, metadata, causes)
        _note_ignored(metadata, ignored)
        stored = to_storage(call.resource, document)
        if not call.path.subresource:
            add_defaults(call.resource, stored)
        if content is not None and not ignored and not call.warnings:
            call.passed = Passed(call, stored, told=_tells_all(call))
            self._passed.add(content, call.passed)
        return stored

    def _checked(self, call: Call, document: Object, metadata: dict[str, Any], causes: list[Cause]) -> list[str]:
        """Check the whole object; the paths of the fields that have no effect."""
        report = check_fields(call.resource, document, call.api)
        self._tell_unknown(call, report.unknown)
        if report.full and not report.causes:
            call.warnings.append(f"unknown fields: {_NOT_ALL}")
        causes += [Cause(each.path, each.message, each.reason) for each in report.causes]
        ignored: list[str] = []
        if not causes and call.path.subresource != "status":
            missing = missing_fields(call.resource, document, call.api)
            causes += [Cause(each.path, each.message, each.reason) for each in missing]
            found = examine(_named(document, metadata))
            causes += [Cause(each.path, _advice(each)) for each in found.errors if not missing or each.path]
            left = _without_defaults(call.resource, document, found.ignored)
            ignored = _tell_ignored(call, found, [each for each in left if each.path not in report.unknown])
        if causes:
            name = metadata.get("name") or metadata.get("generateName") or ""
            raise invalid(call.resource.kind, str(name)[:253], call.api.group, causes)
        return [*report.unknown, *([_NOT_ALL] if report.full else []), *ignored]

    @staticmethod
    def _tell_unknown(call: Call, unknown: list[str]) -> None:
        match call.query.field_validation:
            case FieldValidation.STRICT if unknown:
                listed = ", ".join(f'unknown field "{each}"' for each in unknown)
                raise Refusal(400, f"strict decoding error: {listed}")
            case FieldValidation.WARN:
                call.warnings += [told for each in unknown if (told := f'unknown field "{each}"') not in call.warnings]


def _is_short(resource: ResourceType) -> bool:
    """Names that become one part of a DNS name."""
    return not resource.group and resource.plural in ("namespaces", "services")


def _named(document: Object, metadata: dict[str, Any]) -> Object:
    """The object with a name: a server gives it one where the client gives a beginning only."""
    if metadata.get("name") or not metadata.get("generateName"):
        return document
    return {**document, "metadata": {**metadata, "name": f"{metadata['generateName']}x"}}


def _advice(problem: Finding) -> str:
    return f"{problem.message}; {problem.next}" if problem.next else problem.message


def _without_defaults(resource: ResourceType, document: Object, ignored: tuple[Ignored, ...]) -> list[Ignored]:
    """The fields whose values somebody chose: a value that the server itself fills in is not worth a warning."""
    if not ignored:
        return []
    bare = orjson.loads(orjson.dumps(document))  # a copy; many times faster than deepcopy
    for each in ignored:
        holder = _value(bare, each.steps[:-1])
        if isinstance(holder, dict):
            holder.pop(each.steps[-1], None)
    filled = add_defaults(resource, to_storage(resource, bare))
    return [each for each in ignored if _value(filled, each.steps) != _value(document, each.steps)]


def _value(document: Any, steps: tuple[Step, ...]) -> Any:
    """What stands at a path; None where nothing does."""
    for step in steps:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _tell_ignored(call: Call, found: Examined, left: list[Ignored]) -> list[str]:
    """Warn about fields without an effect, and about assumptions where an object is new; the fields' paths."""
    told = [str(each) for each in left]
    if _tells_all(call):
        told += map(str, found.notes)
    call.warnings += [each for each in told[:_MOST_WARNINGS] if each not in call.warnings]
    if len(told) > _MOST_WARNINGS:
        call.warnings.append(f"{len(told) - _MOST_WARNINGS} more; the annotation {IGNORED} names ignored fields")
    return [each.path for each in left]


def _tells_all(call: Call) -> bool:
    """Whether assumptions are told too: an object is created, or its whole configuration is given."""
    return call.verb is Verb.CREATE or call.content_type == _APPLY


def _note_ignored(metadata: dict[str, Any], paths: list[str]) -> None:
    """Keep the paths with the object, so that they can be read later; `metadata` is changed in place."""
    annotations = metadata.get("annotations") or {}
    if paths:
        metadata["annotations"] = {**annotations, IGNORED: _listed(list(dict.fromkeys(paths)))}
    elif IGNORED in annotations:
        metadata["annotations"] = {key: value for key, value in annotations.items() if key != IGNORED}


def _listed(paths: list[str]) -> str:
    """The paths as one text; the last words say how many found no room in it."""
    ends = accumulate(len(each) + 2 for each in paths)
    fitting = sum(end <= _LONGEST_NOTE for end in ends)
    more = len(paths) - fitting
    return ", ".join([*paths[:fitting], *([f"and {more} more"] if more else [])])


def _check_kind(call: Call, document: Object) -> None:
    """The document must say what the path says; both may be left out, as our own clients do not."""
    for field, expected in (("apiVersion", str(call.api)), ("kind", call.resource.kind)):
        given = document.setdefault(field, expected)
        if given != expected:
            message = f"{field}: the object says {str(given)[:80]!r} and the URL {expected!r}; make them equal"
            raise Refusal(400, message)


def _metadata(call: Call, document: Object) -> dict[str, Any]:
    metadata = document.setdefault("metadata", {})
    if not isinstance(metadata, dict):
        raise Refusal(400, "metadata: must be an object")
    if not call.resource.namespaced:
        _leave_out_namespace(call, metadata)
    wanted = call.path.namespace if call.resource.namespaced else ""
    given = metadata.get("namespace") or ""
    if given and given != wanted:
        message = f"metadata.namespace: the object says {str(given)[:80]!r} and the URL {wanted!r}; make them equal"
        raise Refusal(400, message)
    if wanted:
        metadata["namespace"] = wanted
    if call.path.name and not call.path.subresource:
        _check_name(call, metadata)
    return metadata


def _leave_out_namespace(call: Call, metadata: dict[str, Any]) -> None:
    """Forget the namespace of an object that is in none, as Kubernetes does; manifests in the wild have one."""
    if metadata.pop("namespace", None):
        call.warnings.append(f"metadata.namespace: a {call.resource.kind} is in no namespace, so it is left out")


def _check_name(call: Call, metadata: dict[str, Any]) -> None:
    given = metadata.setdefault("name", call.path.name)
    if given != call.path.name:
        message = f"metadata.name: the object says {str(given)[:80]!r} and the URL {call.path.name!r}; make them equal"
        raise Refusal(400, message)
