"""Every reason for which a server or a server replica can be refused, as data; codes are added and never renamed."""

from __future__ import annotations

from bayplan.cluster.rejections import RejectionCode

SERVER_CODES: tuple[RejectionCode, ...] = (
    RejectionCode(
        "no-replicas",
        "No replica of the server is connected.",
        curable=False,
        next="start the server, or wait until a replica connects",
    ),
    RejectionCode(
        "not-shared",
        "The server takes only models that name it.",
        curable=False,
        next="name the server in the model, or use a shared one",
    ),
    RejectionCode(
        "pinned-elsewhere",
        "The model names another server.",
        curable=False,
        next="name this server in the model, or name none",
    ),
    RejectionCode(
        "server-deleted",
        "The server is being deleted.",
        curable=False,
        next="use another server",
    ),
    RejectionCode(
        "dedicated",
        "Another model holds memory on the server, and one of the two is dedicated.",
        curable=True,
        next="unload the other models, or give the dedicated model a server of its own",
    ),
    RejectionCode(
        "replicas-short",
        "Fewer replicas of the server fit than the model wants.",
        curable=True,
        next="add replicas to the server, or lower the model's replicas or minReplicas",
    ),
)
"""Codes of a whole server."""

REPLICA_CODES: tuple[RejectionCode, ...] = (
    RejectionCode(
        "capability-missing",
        "The replica does not offer what the model requires.",
        curable=False,
        next="add the capability to the server, or correct the model's requirements",
    ),
    RejectionCode(
        "explainer-missing",
        "The model is an explainer, and the replica does not offer alibi-explain.",
        curable=False,
        next="add alibi-explain to the server, or use another one",
    ),
    RejectionCode(
        "memory-short",
        "The replica has less free memory than one replica of the model needs.",
        curable=True,
        next="unload other models, give the server more memory, or lower the model's memory",
    ),
    RejectionCode(
        "unknown-capacity",
        "The memory of the replica is not known, and the model needs some.",
        curable=False,
        next="give the server's memory",
    ),
    RejectionCode(
        "preloaded",
        "The server loads the model by itself, and has not loaded it here.",
        curable=False,
        next="wait for the server, or drop preloaded",
    ),
    RejectionCode(
        "draining",
        "The replica is draining: its models move away.",
        curable=False,
        next="use another replica",
    ),
    RejectionCode(
        "load-failed",
        "Loading this version of the model has failed here.",
        curable=True,
        next="see the log of the server; it is tried again after a while",
    ),
    RejectionCode(
        "leaving",
        "This version of the model is still being unloaded here.",
        curable=True,
        next="wait until it is unloaded",
    ),
)
"""Codes of one server replica."""

SERVING_REJECTIONS: dict[str, RejectionCode] = {each.code: each for each in (*SERVER_CODES, *REPLICA_CODES)}
"""All of them, by code."""
