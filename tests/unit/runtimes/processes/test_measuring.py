"""What a worker measures."""

from bayplan.manifests.inventory.local import DriverError
from bayplan.runtimes.processes.measuring import CardUse, MachineUse

STAT = "cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2 3\n"
DISKS = " 8 0 sda 1 0 {sectors} 0 1 0 {sectors} 0 0 0 0\n 8 1 sda1 1 0 999999 0 1 0 999999 0 0 0 0\n"
DISKS += " 259 0 nvme0n1p1 1 0 999999 0 1 0 999999 0 0 0 0\n 7 0 loop0 1 0 999999 0 1 0 999999 0 0 0 0\n"
NETWORK = "h\nh\n  lo: 9999 0 0 0 0 0 0 0 9999 0\neth0: {bytes} 0 0 0 0 0 0 0 {bytes} 0\n"
MEMORY = "MemTotal: 1000 kB\nMemAvailable: 250 kB\n"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def write(proc, *, busy, idle, sectors, sent):
    (proc / "net").mkdir(exist_ok=True)
    (proc / "stat").write_text(STAT.format(busy=busy, idle=idle))
    (proc / "diskstats").write_text(DISKS.format(sectors=sectors))
    (proc / "net" / "dev").write_text(NETWORK.format(bytes=sent))
    (proc / "meminfo").write_text(MEMORY)


def test_rates_are_those_between_two_looks(tmp_path):
    clock = Clock()
    write(tmp_path, busy=100, idle=100, sectors=0, sent=0)
    use = MachineUse(tmp_path, clock)
    clock.now += 2
    write(tmp_path, busy=130, idle=170, sectors=2000, sent=3_000_000)

    assert use.read() == {"cpuPercent": 30.0, "diskMbPerS": 1.02, "networkMbPerS": 3.0, "ramPercent": 75.0}


def test_what_the_machine_does_not_tell_is_left_out(tmp_path):
    assert MachineUse(tmp_path).read() == {}


def test_this_machine_can_be_read():
    assert {"ramPercent"} <= MachineUse().read().keys()


class Recording:
    """Answers of a driver; a question that is not recorded has none."""

    def __init__(self, **answers):
        self.answers = answers

    def ask(self, question, *cards):
        if question not in self.answers:
            raise DriverError(question)
        return self.answers[question]


def test_cards_are_sampled_between_heartbeats():
    driver = Recording(
        DeviceGetCount=1,
        DeviceGetUtilizationRates={"gpu": 40, "memory": 10},
        DeviceGetMemoryInfo={"used": 5 * 2**20 + 1},
        DeviceGetComputeRunningProcesses=[{}, {}],
    )
    use = CardUse(driver)
    use.sample()
    driver.answers["DeviceGetUtilizationRates"] = {"gpu": 60, "memory": 20}
    use.sample()

    assert use.read() == [
        {
            "runtime": "cuda",
            "index": 0,
            "gpuPercents": [40.0, 60.0],
            "gpuPercent": 60.0,
            "memoryBandwidthPercent": 20.0,
            "memoryUsed": 6,
            "processes": 2,
        }
    ]
    assert "gpuPercents" not in use.read()[0]


def test_a_driver_without_answers_measures_nothing():
    assert CardUse(Recording()).read() == []
    assert CardUse(Recording(DeviceGetCount=1)).read() == [{"runtime": "cuda", "index": 0}]
