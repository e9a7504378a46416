"""Write the parts of docs/ that are made from the code: plugins, commands, codes, columns, GPUs, kinds, metrics, tree.

python docs/generate.py          write them
python docs/generate.py --check  write nothing; exit 1 and name the pages that are stale

What stands outside the two marker lines of a page is written by hand and stays.
"""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan import placement
from bayplan.cli.app import build
from bayplan.cli.commands import COMMANDS, GLOBAL_FLAGS, Command
from bayplan.cluster.catalogue_table import CATALOGUE
from bayplan.cluster.columns import HELD, LEFT, STATIC
from bayplan.cluster.events import EVENTS
from bayplan.cluster.mig import GEOMETRIES
from bayplan.cluster.rejections import REJECTION_CODES
from bayplan.control.resources.kinds import KINDS as OBJECT_KINDS
from bayplan.framework.plugins import Depends
from bayplan.framework.registry import BUILT_IN, KINDS
from bayplan.library.registry import all_plugins
from bayplan.manifests.model_catalogue import all_models
from bayplan.placement.constraints.cost_sum import CostSum
from bayplan.placement.constraints.spot_share import SpotShare
from bayplan.placement.constraints.spread_over import DomainSpread
from bayplan.placement.constraints.within import Within
from bayplan.placement.scorers.domain_score import DomainScore
from bayplan.placement.scorers.fewest_cards import FewestCards
from bayplan.placement.scorers.model_preference import ModelPreference
from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cyclopts import Argument

    from bayplan.framework.config.shapes import Field
    from bayplan.framework.registry import PluginType

DOCS = Path(__file__).parent
BEGIN = "<!-- made by docs/generate.py: do not edit up to the next marker -->"
END = "<!-- end of what is made -->"
FOLDERS = ("plugins", "cli")
JUDGES = ("filter", "scorer", "producer")
OF_PLACEMENT = (ModelPreference, FewestCards, DomainScore, CostSum, SpotShare, Within, DomainSpread)
"""Plugins that placement adds by itself: answers name them, configurations cannot."""

DEPENDS = {
    None: "the columns it reads, and nothing else",
    Depends.CYCLE: "the cycle: time, chance, subject, earlier results, own state",
    Depends.TABLE: "other rows",
}


def main(arguments: Sequence[str]) -> int:
    """Write or check; the exit code."""
    if set(arguments) - {"--check"}:
        sys.stderr.write(f"error: docs/generate.py: unknown arguments {arguments}; use --check or none\n")
        return 1
    pages = made_pages()
    if "--check" not in arguments:
        for path, text in pages.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    problems = list(_problems(pages))
    for problem in problems:
        sys.stderr.write(f"error: {problem}\n")
    return 1 if problems else 0


def made_pages() -> dict[Path, str]:
    """Every page with a made part, as it should be."""
    plugins = [each for each in all_plugins() if each.origin == BUILT_IN]
    pages = {
        "architecture.md": ("Architecture", _tree(Path(placement.__path__[0]))),
        "rejections.md": ("Rejection codes", _rejections(plugins)),
        "columns.md": ("Columns of a snapshot", _snapshot_columns(plugins)),
        "gpus.md": ("GPUs", _gpus()),
        "models.md": ("Models by name", _models()),
        "kinds.md": ("Kinds of objects", _object_kinds()),
        "metrics.md": ("Metrics", _metrics()),
        "plugins/README.md": ("Plugins", _plugin_index(plugins)),
        "cli/README.md": ("Commands", _command_index()),
    }
    pages |= {f"plugins/{each.name}.md": (each.name, _plugin(each)) for each in plugins}
    pages |= {f"cli/{_file(each)}": (f"bayplan {' '.join(each.words)}", _command(each)) for each in COMMANDS}
    return {DOCS / name: _filled(DOCS / name, title, made) for name, (title, made) in pages.items()}


def _problems(pages: dict[Path, str]) -> Iterator[str]:
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield f"{path.relative_to(DOCS.parent)}: is stale; run make docs"
    for path in (page for folder in FOLDERS for page in sorted((DOCS / folder).glob("*.md"))):
        if path not in pages:
            yield f"{path.relative_to(DOCS.parent)}: is about something that is not there; remove it"


def _filled(path: Path, title: str, made: str) -> str:
    """The page with its made part renewed; a new page has a title and that part."""
    old = path.read_text(encoding="utf-8") if path.exists() else f"# {title}\n\n{BEGIN}\n{END}\n"
    head, _, rest = old.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{made.strip()}\n\n{END}{rest.partition(END)[2]}"


def _tree(folder: Path) -> str:
    """Every module of a folder with the first sentence of its docstring; folders with that of their `__init__`."""
    lines = [f"{folder.name}/", *_branches(folder, "  ")]
    return "\n".join(("```text", *lines, "```"))


def _branches(folder: Path, indent: str) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.stem != "__init__":
            yield f"{indent + path.name:<34} {_sentence(path)}"
        elif (path / "__init__.py").exists():
            yield f"{indent + path.name + '/':<34} {_sentence(path / '__init__.py')}"
            yield from _branches(path, indent + "  ")


def _sentence(path: Path) -> str:
    """The first line of a file's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].removesuffix(".")


def _rejections(plugins: Sequence[PluginType]) -> str:
    rows = [
        (f'<a id="{each.code}"></a>`{each.code}`', each.meaning, "yes" if each.curable else "no", each.next)
        for each in REJECTION_CODES
    ]
    filters = [each.about for each in plugins] + list(OF_PLACEMENT)
    events = [
        (f"`{event.name}`", event.meaning, ", ".join(f"`{each.name}`" for each in filters if _cures(event.name, each)))
        for event in EVENTS
    ]
    return "\n\n".join(
        (
            _table(("code", "means", "curable", "what helps"), rows),
            "## Events",
            "A filter names the events that could cure its refusals: the moments at which to try waiting work again.",
            _table(("event", "happens when", "could cure refusals of"), events),
        )
    )


def _cures(event: str, about: Any) -> bool:
    named = getattr(about, "cured_by", None)
    return isinstance(named, tuple) and event in named


def _snapshot_columns(plugins: Sequence[PluginType]) -> str:
    groups = {"Static": STATIC, "State that is counted": HELD, "State that follows from it": LEFT}
    header = ("column", "per", "stored as", "means")
    parts = []
    for title, specs in groups.items():
        rows = [(f"`{each.name}`", each.per, f"`{each.dtype}`", each.meaning) for each in specs]
        parts += [f"## {title}", _table(header, rows)]
    parts += ["## Made for an ask", _table(("column", "made by", "read by"), _produced(plugins))]
    return "\n\n".join(parts)


def _produced(plugins: Sequence[PluginType]) -> Iterator[tuple[str, ...]]:
    for producer in plugins:
        for column in producer.produces or ():
            readers = [_linked(each, "plugins/") for each in plugins if column in (each.reads or ())]
            yield f"`{column}`", _linked(producer, "plugins/"), ", ".join(readers)


def _gpus() -> str:
    header = ("name", "runtime", "GiB", "CUDA", "NVLink GB/s", "PCIe", "MIG")
    rows = [
        (
            f"`{each.name}`",
            each.runtime,
            _known(each.memory_mib and each.memory_mib // 1024),
            "" if each.compute_capability is None else str(each.compute_capability),
            _known(each.nvlink_gb_per_s),
            _known(each.pcie_gen),
            _known(each.mig_geometry),
        )
        for each in CATALOGUE
    ]
    return "\n\n".join(
        ("## Names", _table(header, rows), "## MIG", _table(("card", "profile", "slices", "starts"), _mig()))
    )


def _mig() -> Iterator[tuple[str, ...]]:
    for geometry in GEOMETRIES.values():
        for each in geometry.profiles:
            yield geometry.name, f"`{each.name}`", str(each.size), ", ".join(map(str, each.starts))


def _object_kinds() -> str:
    header = ("kind", "API", "short names", "subresources", "support", "what is done with it")
    rows = [
        (
            f"`{each.kind}`",
            ", ".join(f"`{api}`" for api in each.apis),
            ", ".join(f"`{name}`" for name in each.short_names),
            ", ".join(f"`{part.name}`" for part in each.subresources),
            str(each.support),
            each.reason,
        )
        for each in OBJECT_KINDS
    ]
    return _table(header, rows)


def _metrics() -> str:
    parts = []
    for title, group in catalogue.GROUPS.items():
        rows = [(f"`{each.name}`", each.kind.value, _code(each.labels), each.help) for each in group]
        parts += [f"## {title}", _table(("metric", "type", "labels", "means"), rows)]
    labels = [(f"`{name}`", meaning) for name, meaning in sorted(catalogue.LABELS.items())]
    return "\n\n".join((*parts, "## Labels", _table(("label", "says"), labels)))


def _models() -> str:
    rows = [
        (f"`{each.name}`", str(each.config["model_type"]), "packed" if each.billion is None else f"{each.billion:g}")
        for each in all_models()
    ]
    return _table(("name", "kind", "billion weights"), rows)


def _known(figure: float | str | None) -> str:
    return "" if figure is None else f"{figure:g}" if isinstance(figure, float | int) else figure


def _plugin_index(plugins: Iterable[PluginType]) -> str:
    rows = [(_linked(each), ", ".join(each.kinds), _scheduler(each.about), each.summary) for each in plugins]
    own = [(f"`{each.name}`", _kind(each), (inspect.getdoc(each) or "").partition("\n")[0]) for each in OF_PLACEMENT]
    return "\n\n".join(
        (
            _table(("plugin", "kind", "for", "what it does"), rows),
            "## What placement adds by itself",
            "Answers name them; a configuration cannot.",
            _table(("plugin", "kind", "what it does"), own),
        )
    )


def _linked(plugin: PluginType, folder: str = "") -> str:
    return f"[`{plugin.name}`]({folder}{plugin.name}.md)"


def _scheduler(plugin: Any) -> str:
    """The scheduler in whose ring it lives; what lives in the framework fits candidates of any kind."""
    ring = plugin.__module__.split(".")[1]
    return "any" if ring == "framework" else ring


def _kind(plugin: type) -> str:
    return next(kind for kind, method in KINDS.items() if hasattr(plugin, method))


def _plugin(plugin: PluginType) -> str:
    parts = [f"*{', '.join(plugin.kinds).capitalize()}.* {plugin.description}"]
    if plugin.aliases:
        parts.append(f"Also known as {_code(plugin.aliases)}.")
    fields = plugin.parameters.fields
    if fields:
        rows = [(f"`{each.key}`", each.shape.words, _default(each), each.text) for each in fields]
        parts += ["## Parameters", _table(("parameter", "type", "default", "what it says"), rows)]
    else:
        parts.append("It has no parameters.")
    if set(plugin.kinds) & set(JUDGES):
        facts = [
            ("reads", _columns(plugin.reads)),
            ("produces", _columns(plugin.produces)),
            ("its answer depends on", DEPENDS[plugin.depends]),
        ]
        parts += ["## Columns", _table(("", ""), facts)]
    return "\n\n".join(parts)


def _columns(names: tuple[str, ...] | None) -> str:
    return "what its parameters say" if names is None else _code(names) or "none"


def _default(field: Field) -> str:
    return "required" if field.required else f"`{field.shape.show(field.default)}`"


def _command_index() -> str:
    rows = [(f"[`bayplan {' '.join(each.words)}`]({_file(each)})", each.help) for each in COMMANDS]
    flags = [(f"`{flag}`", text) for flag, text in GLOBAL_FLAGS]
    return "\n\n".join((_table(("command", "does"), rows), "## For every command", _table(("flag", "says"), flags)))


def _command(command: Command) -> str:
    app: Any = build()
    for word in command.words:
        app = app[word]
    known = app.assemble_argument_collection()
    arguments = [each for each in known if not each.children and each.show]  # groups are no flags
    usage = " ".join(("bayplan", *command.words, *map(_usage, arguments)))
    parts = [inspect.getdoc(app.default_command) or command.help, f"```text\n{usage}\n```"]
    if arguments:
        rows = [(_label(each), each.parameter.help or "", _notes(each)) for each in arguments]
        parts.append(_table(("argument", "says", ""), rows))
    parts.append("[Flags of every command](README.md#for-every-command)")
    return "\n\n".join(parts)


def _positional(argument: Argument) -> bool:
    return argument.field_info.kind is not inspect.Parameter.KEYWORD_ONLY


def _label(argument: Argument) -> str:
    """Its flags; what may stand without one comes first."""
    bare = [argument.field_info.name.upper()] if _positional(argument) else []
    return _code(dict.fromkeys((*bare, *argument.names)))


def _usage(argument: Argument) -> str:
    name = argument.field_info.name.upper()
    text = name if _positional(argument) else f"{argument.names[0]} {name}"
    return text if argument.required else f"[{text}]"


def _notes(argument: Argument) -> str:
    notes = ["required"] if argument.required else []
    if choices := argument.get_choices():
        notes.append(f"one of {_code(choices)}")
    default = argument.field_info.default
    if not argument.required and default not in (None, inspect.Parameter.empty):
        notes.append(f"default `{default}`")
    return "; ".join(notes)


def _file(command: Command) -> str:
    return f"{'-'.join(command.words)}.md"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
