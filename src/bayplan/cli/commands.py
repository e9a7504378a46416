"""The list of commands: their words, their help, and where their code is.

It imports no command, so that `bayplan --help` is fast. A test compares it with the code.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """One command: its words, its one line of help, and `module:function`, imported when it is called."""

    words: tuple[str, ...]
    help: str
    target: str


class Group(NamedTuple):
    """A word that comes before other commands and does nothing itself, such as `config`."""

    word: str
    help: str


PURPOSE = "Decides where AI work runs, and says why."

GROUPS = (
    Group("config", "Check, show and describe scheduler configurations."),
    Group("import", "Take over what another system knows."),
    Group("gateway", "Pass requests on to engines."),
    Group("token", "Say who may talk to a server."),
    Group("inventory", "Turn what a cluster says about itself into a Cluster file."),
)

COMMANDS = (
    Command(("up",), "Run a server on this machine, which kubectl can talk to.", "bayplan.cli.up:up"),
    Command(("worker",), "Run the Pods that are bound to this machine.", "bayplan.cli.worker:worker"),
    Command(("apply",), "Create or change objects so that they are as files say.", "bayplan.cli.objects.apply:apply"),
    Command(("get",), "Show objects of a server.", "bayplan.cli.objects.get:get"),
    Command(("describe",), "Show everything about objects, and their events.", "bayplan.cli.objects.describe:describe"),
    Command(("edit",), "Change an object in an editor.", "bayplan.cli.objects.edit:edit"),
    Command(("delete",), "Delete objects of a server.", "bayplan.cli.objects.delete:delete"),
    Command(("events",), "Show what happened to objects.", "bayplan.cli.objects.events:events"),
    Command(("logs",), "Print what a container wrote.", "bayplan.cli.objects.logs:logs"),
    Command(("queue",), "Show what waits for a place.", "bayplan.cli.queue:queue"),
    Command(("records",), "Show what was decided, and what became of it.", "bayplan.cli.records:records"),
    Command(("replay",), "Make a recorded decision again, and compare.", "bayplan.cli.replay:replay"),
    Command(("snapshot",), "Write the cluster of a server into a file.", "bayplan.cli.snapshot:snapshot"),
    Command(("token", "create"), "Make a token for a person or a program.", "bayplan.cli.token:create"),
    Command(("token", "list"), "List the tokens of a server.", "bayplan.cli.token:list_tokens"),
    Command(("token", "revoke"), "Refuse a token from now on.", "bayplan.cli.token:revoke"),
    Command(("backup",), "Write everything that a server keeps into one file.", "bayplan.cli.backup:backup"),
    Command(("restore",), "Make a data folder from a backup.", "bayplan.cli.backup:restore"),
    Command(("doctor",), "Check the store and what must always hold.", "bayplan.cli.doctor:doctor"),
    Command(("engine",), "Run a simulated model server.", "bayplan.cli.engine:engine"),
    Command(("model-server",), "Run a simulated server of many models.", "bayplan.cli.model_server:model_server"),
    Command(("gateway", "relay"), "Pass each request to the engine that suits it.", "bayplan.cli.gateway.relay:relay"),
    Command(
        ("gateway", "envoy"), "Run Envoy in front of the engines, and its picker.", "bayplan.cli.gateway.envoy:envoy"
    ),
    Command(("gateway", "ext-proc"), "Pick endpoints for a gateway.", "bayplan.cli.gateway.ext_proc:ext_proc"),
    Command(("top",), "Show the endpoints of a relay and their load, live.", "bayplan.cli.top:top"),
    Command(("estimate",), "Say what a model needs, from its files or numbers.", "bayplan.cli.estimate:estimate"),
    Command(("plan",), "Say where workloads would go, or what blocks them.", "bayplan.cli.plan:plan"),
    Command(("why",), "Explain every worker: which checks fail there, and what would help.", "bayplan.cli.why:why"),
    Command(("status",), "Say how far PodGroups, Models and Servers are, from files.", "bayplan.cli.status:status"),
    Command(("scale",), "Say how many replicas models and servers should have, from files.", "bayplan.cli.scale:scale"),
    Command(("rehearse",), "Say what events do to models on servers, step by step.", "bayplan.cli.rehearse:rehearse"),
    Command(("route",), "Say which endpoint answers a request, and why.", "bayplan.cli.route:route"),
    Command(("compare",), "Replay a trace of requests with several policies.", "bayplan.cli.compare:compare"),
    Command(("scrape",), "Say what routing reads from an engine's metrics.", "bayplan.cli.scrape:scrape"),
    Command(("gpus",), "Show free cards as sets that can be used.", "bayplan.cli.gpus:gpus"),
    Command(("config", "check"), "Find every problem of a configuration.", "bayplan.cli.config.check:check"),
    Command(("config", "show"), "Print a configuration with its defaults filled in.", "bayplan.cli.config.show:show"),
    Command(("config", "schema"), "Print the JSON Schema of configurations.", "bayplan.cli.config.schema:schema"),
    Command(("convert",), "Show what manifests become, and what is ignored.", "bayplan.cli.convert:convert"),
    Command(("import", "gpustack"), "Turn what GPUStack knows into native documents.", "bayplan.cli.convert:gpustack"),
    Command(
        ("inventory", "kubernetes"), "Turn Kubernetes Nodes into a Cluster file.", "bayplan.cli.inventory:kubernetes"
    ),
    Command(
        ("inventory", "alnair"), "Turn Nodes that Alnair profiled into a Cluster file.", "bayplan.cli.inventory:alnair"
    ),
    Command(("inventory", "gpustack"), "Turn GPUStack workers into a Cluster file.", "bayplan.cli.inventory:gpustack"),
    Command(("inventory", "local"), "Turn this machine into a Cluster file.", "bayplan.cli.inventory:local"),
    Command(("plugins",), "List the plugins, or describe one.", "bayplan.cli.plugins:plugins"),
    Command(("completion",), "Print completions for a shell.", "bayplan.cli.completion:completion"),
    Command(("help",), "Show help about all commands, or about one.", "bayplan.cli.help_command:show_help"),
    Command(
        ("demo",), "Run everything for a minute, with a failure and its repair.", "bayplan.cli.demo.guided_tour:demo"
    ),
    Command(("tour",), "Take a short tour of what works without a server.", "bayplan.cli.tour:tour"),
)

GLOBAL_FLAGS = (
    ("--help, -h", "Show help; also after any command."),
    ("--version", "Show the version."),
    ("--no-color", "Never use colours; the variable NO_COLOR does the same."),
    ("--debug", "Show the traceback of an error."),
)
