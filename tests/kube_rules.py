"""Merge rules of a part of the kinds of Kubernetes, written by hand for the tests of patches."""

from bayplan.api.patches.field_rules import FieldRules, ListType

SCALAR = FieldRules()
MAP = FieldRules(values=SCALAR)
ATOMIC_MAP = FieldRules(values=SCALAR, atomic=True)
LIST = FieldRules()


def struct(*scalars, atomic=False, **fields):
    return FieldRules(fields=dict.fromkeys(scalars, SCALAR) | fields, atomic=atomic)


def scalars(*, merged=True):
    return FieldRules(list_type=ListType.SET, items=SCALAR, merged=merged)


def keyed(keys, item, merge_key="", **defaults):
    names = tuple(sorted(keys.split()))
    return FieldRules(
        list_type=ListType.MAP,
        keys=names,
        items=item,
        merge_key=merge_key or names[0],
        merged=True,
        defaults=defaults,
    )


METADATA = struct(
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    labels=MAP,
    annotations=MAP,
    finalizers=scalars(),
    ownerReferences=keyed("uid", struct("apiVersion", "kind", "name", "uid", "controller", atomic=True)),
)
SELECTOR = struct(matchLabels=MAP, matchExpressions=LIST, atomic=True)
CONTAINER = struct(
    "name",
    "image",
    "imagePullPolicy",
    "workingDir",
    "tty",
    command=LIST,
    args=LIST,
    env=keyed("name", struct("name", "value", valueFrom=struct(fieldRef=struct("fieldPath", atomic=True)))),
    ports=keyed(
        "containerPort protocol",
        struct("name", "hostPort", "containerPort", "protocol"),
        "containerPort",
        protocol="TCP",
    ),
    volumeMounts=keyed("mountPath", struct("name", "mountPath", "readOnly")),
    resources=struct(limits=MAP, requests=MAP),
)
POD_SPEC = struct(
    "nodeName",
    "schedulerName",
    "hostname",
    "priority",
    "restartPolicy",
    "terminationGracePeriodSeconds",
    nodeSelector=ATOMIC_MAP,
    containers=keyed("name", CONTAINER),
    initContainers=keyed("name", CONTAINER),
    volumes=keyed("name", struct("name", emptyDir=struct("medium"), configMap=struct("name", "optional", items=LIST))),
    tolerations=LIST,
    imagePullSecrets=keyed("name", struct("name", atomic=True), name=""),
    topologySpreadConstraints=keyed(
        "topologyKey whenUnsatisfiable",
        struct("topologyKey", "whenUnsatisfiable", "maxSkew", labelSelector=SELECTOR),
        "topologyKey",
    ),
)
CONDITIONS = keyed("type", struct("type", "status", "reason", "message"))
POD = struct(
    "apiVersion", "kind", metadata=METADATA, spec=POD_SPEC, status=struct("phase", "podIP", conditions=CONDITIONS)
)
DEPLOYMENT = struct(
    "apiVersion",
    "kind",
    metadata=METADATA,
    spec=struct(
        *["replicas", "paused", "minReadySeconds"],
        selector=SELECTOR,
        strategy=struct("type", rollingUpdate=struct("maxSurge", "maxUnavailable")),
        template=struct(metadata=METADATA, spec=POD_SPEC),
    ),
    status=struct("replicas", "readyReplicas", conditions=CONDITIONS),
)
SERVICE = struct(
    "apiVersion",
    "kind",
    metadata=METADATA,
    spec=struct(
        *["type", "clusterIP"],
        selector=ATOMIC_MAP,
        ports=keyed("port protocol", struct("name", "port", "protocol", "targetPort"), "port", protocol="TCP"),
    ),
)
CONFIG_MAP = struct("apiVersion", "kind", "immutable", metadata=METADATA, data=MAP)
