"""Everything a user can name has a page, made pages are fresh, and links lead somewhere."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bayplan
from bayplan.cli.app import build
from bayplan.cli.commands import COMMANDS, GLOBAL_FLAGS
from bayplan.cluster.rejections import REJECTION_CODES
from bayplan.framework.errors import BayplanError
from bayplan.framework.registry import BUILT_IN
from bayplan.library.registry import all_plugins
from bayplan.placement.answers.changes import kinds

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("**/*.md")])
PAGE_IDS = [str(page.relative_to(ROOT)) for page in PAGES]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def text_of(*parts):
    return DOCS.joinpath(*parts).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_made_pages_are_fresh(generator):
    stale = [path.name for path, text in generator.made_pages().items() if path.read_text(encoding="utf-8") != text]

    assert not stale, "run make docs"


def test_the_check_passes_and_says_nothing():
    done = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_check_names_what_is_stale_and_what_is_about_nothing(generator, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(generator, "DOCS", tmp_path)
    assert generator.main([]) == 0
    (tmp_path / "rejections.md").write_text("# Rejection codes\n", encoding="utf-8")
    (tmp_path / "plugins" / "gone.md").write_text("# gone\n", encoding="utf-8")
    capsys.readouterr()

    assert generator.main(["--check"]) == 1
    told = capsys.readouterr().err
    assert "rejections.md: is stale" in told
    assert "gone.md: is about something that is not there" in told
    assert told.count("error:") == 2


def test_what_is_written_by_hand_stays(generator, tmp_path, monkeypatch):
    monkeypatch.setattr(generator, "DOCS", tmp_path)
    generator.main([])
    page = tmp_path / "rejections.md"
    page.write_text("# Ours\n\nabove\n" + page.read_text(encoding="utf-8").split("\n", 1)[1] + "below\n", "utf-8")
    generator.main([])

    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Ours\n\nabove\n")
    assert text.endswith("below\n")
    assert text.count("`gpu-count-short`") == 1


BUILT_INS = [each for each in all_plugins() if each.origin == BUILT_IN]


@pytest.mark.parametrize("plugin", BUILT_INS, ids=lambda plugin: plugin.name)
def test_every_plugin_has_a_page_with_its_parameters_and_columns(plugin):
    page = text_of("plugins", f"{plugin.name}.md")

    assert page.startswith(f"# {plugin.name}\n")
    assert " ".join(plugin.description.split()) in " ".join(page.split())
    for name in (*plugin.aliases, *(plugin.reads or ()), *(plugin.produces or ())):
        assert f"`{name}`" in page
    for field in plugin.parameters.fields:
        assert f"| `{field.key}` |" in page
        assert field.text, f"{plugin.name}: its docstring says nothing of {field.name!r}"


@pytest.mark.parametrize("plugin", BUILT_INS, ids=lambda plugin: plugin.name)
def test_every_plugin_stands_in_the_index(plugin):
    assert f"[`{plugin.name}`]({plugin.name}.md)" in text_of("plugins", "README.md")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.words))
def test_every_command_has_a_page_with_all_its_flags(command):
    page = text_of("cli", f"{'-'.join(command.words)}.md")
    app = build()
    for word in command.words:
        app = app[word]

    assert page.startswith(f"# bayplan {' '.join(command.words)}\n")
    assert f"$ bayplan {' '.join(command.words)}" in page, "a page shows at least one example"
    for argument in (each for each in app.assemble_argument_collection() if not each.children and each.show):
        for name in argument.names:
            assert f"`{name}`" in page
        assert argument.parameter.help, f"{argument.names} says nothing of itself"


@pytest.mark.parametrize("flag", [flag for flag, _ in GLOBAL_FLAGS])
def test_every_global_flag_is_described(flag):
    assert f"| `{flag}` |" in text_of("cli", "README.md")


@pytest.mark.parametrize("rejection", REJECTION_CODES, ids=lambda rejection: rejection.code)
def test_every_rejection_code_is_described(rejection):
    (row,) = [line for line in text_of("rejections.md").splitlines() if f"</a>`{rejection.code}` |" in line]

    for said in (rejection.meaning, "yes" if rejection.curable else "no", rejection.next):
        assert f"| {said} |" in row


CHANGES = sorted(
    value
    for module in pkgutil.iter_modules(kinds.__path__, f"{kinds.__name__}.")
    for name, value in vars(importlib.import_module(module.name)).items()
    if name.isupper() and isinstance(value, str)
)


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_listed(change):
    assert f"`{change}`" in text_of("placement.md").split("## Changes")[1].split("\n## ")[0]


def error_codes(kind=BayplanError):
    return {kind.code}.union(*(error_codes(each) for each in kind.__subclasses__()))


for module in pkgutil.walk_packages(bayplan.__path__, "bayplan."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)  # an error that nobody imported would be forgotten below


@pytest.mark.parametrize("code", sorted(error_codes()))
def test_every_error_code_is_described(code):
    assert f"| `{code}` |" in text_of("cli", "README.md")


@pytest.mark.parametrize("page", PAGES, ids=PAGE_IDS)
def test_links_lead_somewhere(page):
    for target in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{target} leads nowhere"
        if anchor:
            assert anchor in anchors_of(linked), f"{target} leads to no heading"


def anchors_of(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    made = re.findall(r'<a id="([^"]+)">', text)
    return {*made, *(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)}


@pytest.mark.parametrize("page", PAGES, ids=PAGE_IDS)
def test_a_page_has_one_title(page):
    titles = re.findall(r"^# .+$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)

    assert len(titles) == 1


def test_every_page_can_be_reached_from_the_readme():
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        if page.suffix == ".md":
            targets = LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
            paths = [target.partition("#")[0] for target in targets if "://" not in target]
            waiting += [(page.parent / path).resolve() for path in paths if path]

    assert set(PAGES) <= seen


DECISIONS = sorted(DOCS.glob("decisions/[0-9]*.md"))


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_context_choice_and_the_road_not_taken(page):
    text = page.read_text(encoding="utf-8")

    assert text.startswith(f"# {page.stem[:4]}. ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) in (
        ["Context", "Choice", "Roads not taken"],
        ["Context", "Choice", "Road not taken"],
    )


def test_decisions_are_numbered_without_gaps():
    assert [int(page.stem[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))


CLUSTER = {
    "workers": [
        {"name": "oslo", "count": 2, "gpus": {"count": 2, "model": "L40S", "memory": "48Gi"}, "links": "pcie"},
        {"name": "bergen", "status": "cordoned", "gpus": {"count": 1, "model": "L40S", "memory": "48Gi"}},
    ],
    "bookings": [
        {"workload": "other", "worker": "oslo-0", "gpus": [{"index": 0, "memory": "8Gi"}]},
        *({"workload": "many", "replica": number, "worker": "oslo-1"} for number in range(2)),
    ],
}
CUT = {
    "workers": [
        {
            "name": "tromso",
            "gpus": [
                {
                    "model": "A100-SXM4-40GB",
                    "memory": "40Gi",
                    "mig": {"reconfigurable": True, "slices": [{"profile": "7g.40gb", "start": 0}]},
                },
                {"index": 1, "model": "A100-SXM4-40GB", "memory": "40Gi"},
            ],
        }
    ],
    "bookings": [{"workload": "idler", "worker": "tromso", "gpus": [{"index": 1}], "gang": "idlers"}],
}


def workload(name, **spec):
    return {"metadata": {"name": name}, "spec": spec}


ANSWERS = {
    "Plan": lambda: [
        bayplan.plan(workload("share", replicas=9, gpus={"memory": "30Gi"}), CLUSTER),
        bayplan.plan(workload("many"), CLUSTER),
        bayplan.plan(workload("slice", gpus={"mig": "1g.5gb"}), CUT),
        bayplan.plan(workload("urgent", gpus={"count": 1}, priority=1, preemption="lower-priority"), CUT),
    ],
    "Why": lambda: [
        bayplan.why(workload("share", replicas=9, gpus={"memory": "30Gi"}), CLUSTER),
        bayplan.why(workload("whole", gpus={"count": 1, "models": ["H100"], "cardMemory": "80Gi"}), CLUSTER),
    ],
    "Estimate": lambda: [bayplan.estimate(weights="14Gi", kvCache="2Gi")],
    "Gpus": lambda: [bayplan.gpus(CLUSTER), bayplan.gpus(CUT)],
}


def test_answers_have_what_only_some_plans_have():
    slices, urgent = ANSWERS["Plan"]()[2:]

    assert slices["reconfigurations"][0]["create"]
    assert urgent["victims"]
    assert ANSWERS["Gpus"]()[1]["mig"]


def keys_of(document, named=("sources", "workers_with", "largest", "mig_slices", "not_enough", "from", "to")):
    """Every key of an answer; below `named` keys are names of something else, or told in a sentence."""
    if isinstance(document, list):
        return {key for each in document for key in keys_of(each)}
    if not isinstance(document, dict):
        return set()
    return set(document).union(*(keys_of(value) for key, value in document.items() if key not in named))


@pytest.mark.parametrize("kind", ANSWERS)
def test_every_field_of_an_answer_is_described(kind):
    section = re.split(rf"^### {kind}$", text_of("documents.md"), flags=re.MULTILINE)[1].split("\n### ")[0]
    described = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", section))))

    assert keys_of(ANSWERS[kind]()) <= described
