"""A request by the name of a resource: one ask for each kind of device that workers offer under it."""

import pytest

from bayplan.cluster.device_offer import DeviceKind, DeviceOffer, MigStrategy, Sharing
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.workload import GpuRequest
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.device_asks import device_asks
from unit.placement.builders import ask, gpu, worker

GPU, SHARED = "nvidia.com/gpu", "nvidia.com/gpu.shared"


def cut(name, profile):
    state = MigState(enabled=True, slices=(MigInstance(profile, 0),))
    return worker(name, cards=[gpu(0, mig=state)], mig_strategy=MigStrategy.SINGLE)


WHOLE = worker("whole", cards=2)
PLACES = worker("places", cards=[gpu(0, places=4)], sharing=Sharing.TIME_SLICING)
RENAMED = worker("renamed", cards=[gpu(0, places=4)], sharing=Sharing.MPS, gpu_resource=SHARED)
SMALL, LARGE = cut("small", "1g.5gb"), cut("large", "3g.20gb")


def asks(*workers, resource=GPU, **request):
    gpus = GpuRequest(resource=resource, **request)
    return list(device_asks(ask(), gpus, resource, Snapshot.load(workers, ()).pools))


def kinds(found):
    return [(each.taking, each.devices and (each.devices.kind, each.devices.profile)) for each in found]


CARD, PLACE, SLICE = DeviceKind
KINDS = {
    "whole cards alone need no kind": ([WHOLE], GPU, [(Taking.WHOLE, None)]),
    "whole cards first, places last": (
        [PLACES, LARGE, SMALL, WHOLE], GPU,
        [(Taking.WHOLE, (CARD, "")), (Taking.SLICES, (SLICE, "1g.5gb")), (Taking.SLICES, (SLICE, "3g.20gb")),
         (Taking.PLACES, (PLACE, ""))],
    ),
    "each kind once": ([PLACES, worker("more", cards=[gpu(0, places=9)], sharing=Sharing.MPS)], GPU,
                       [(Taking.PLACES, (PLACE, ""))]),
    "a name of its own": ([WHOLE, RENAMED], SHARED, [(Taking.PLACES, (PLACE, ""))]),
    "a name that no worker has": ([WHOLE], SHARED, [(Taking.WHOLE, (CARD, ""))]),
    "no workers": ([], GPU, [(Taking.WHOLE, None)]),
}  # fmt: skip


@pytest.mark.parametrize(("workers", "resource", "wanted"), KINDS.values(), ids=KINDS)
def test_kinds_of_devices(workers, resource, wanted):
    assert kinds(asks(*workers, resource=resource)) == wanted


def test_how_many_devices_and_how_many_for_one_container():
    (places,) = asks(PLACES, count=3, per_container=2)

    assert (places.shapes[0].cards, places.per_container) == (3, 2)
    assert places.devices == DeviceOffer(GPU, PLACE)


def test_slices_name_their_profile():
    assert [each.mig for each in asks(SMALL, LARGE)] == ["1g.5gb", "3g.20gb"]


def test_no_number_is_one_and_none_at_all_takes_nothing():
    assert [each.shapes[0].cards for each in asks(WHOLE)] == [1]
    assert [(each.taking, each.shapes) for each in asks(WHOLE, PLACES, count=0)] == [(Taking.NOTHING, ())]
