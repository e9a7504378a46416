"""A simulated engine written plainly, one step and one block at a time: the yardstick of the fast one."""

from bayplan.sim.engine.batching.simulated_engine import Limits
from bayplan.sim.engine.batching.timing import Timing


class PlainRequest:
    """Its fields mean the same as those of a Sequence."""

    def __init__(self, prompt_tokens, output_tokens, blocks, adapter):
        self.prompt_tokens, self.output_tokens, self.blocks, self.adapter = (
            prompt_tokens,
            output_tokens,
            blocks,
            adapter,
        )
        self.generated = self.computed = 0
        self.decodes = False
        self.table = []  # names of its blocks: a hash, or a number where it is private
        self.admitted_s = self.first_token_s = self.finished_s = None
        self.cached_tokens = 0


class PlainEngine:
    """Blocks are entries of a list from least to most recently used; every step is a loop over all requests."""

    def __init__(self, limits: Limits, timing: Timing):
        self.limits, self.timing = limits, timing
        self.kept, self.users, self.numbers = [], {}, 0
        self.waiting, self.running, self.loaded = [], [], []
        self.now_s = 0.0
        self.end_s = None
        self.step_prefills = []
        self.step_decodes = []

    def submit(self, request, now_s):
        if self.end_s is None and not self.running and not self.waiting:
            self.now_s = max(self.now_s, now_s)
        self.waiting.append(request)

    def run_until(self, now_s):
        while True:
            if self.end_s is None:
                if not (self.running or self.waiting) or self.now_s >= now_s:
                    return
                self.begin()
            if self.end_s > now_s:
                return
            self.finish_step()

    def abort(self, request):
        if request in self.waiting:
            self.waiting.remove(request)
        elif request in self.running:
            self.withdraw(request)
            self.step_prefills = [each for each in self.step_prefills if each is not request]
            self.step_decodes = [each for each in self.step_decodes if each is not request]

    # blocks

    def available(self):
        return self.limits.blocks - len(self.users)

    def take(self, request):
        if len(self.users) + len(self.kept) == self.limits.blocks:
            self.kept.pop(0)
        self.numbers += 1
        self.users[self.numbers] = 1
        request.table.append(self.numbers)

    def pin(self, block):
        if block in self.kept:
            self.kept.remove(block)
        self.users[block] = self.users.get(block, 0) + 1

    def withdraw(self, request):
        for block in reversed(request.table):
            self.users[block] -= 1
            if not self.users[block]:
                del self.users[block]
                if not isinstance(block, int):
                    self.kept.append(block)
        request.table = []
        request.computed = 0
        request.decodes = False
        self.running.remove(request)

    # steps

    def begin(self):
        size = self.limits.block_tokens
        decodes = [each for each in self.running if each.decodes]
        preempted = False

        def growing():
            return [each for each in decodes if each.computed == len(each.table) * size]

        while len(growing()) > self.available():
            victim = self.running[-1]
            self.withdraw(victim)
            self.waiting.insert(0, victim)
            decodes = [each for each in decodes if each is not victim]
            preempted = True
        for each in growing():
            self.take(each)
        seconds = self.timing.base_s
        for each in decodes:
            seconds += self.timing.context_s * (each.prompt_tokens + each.generated)
        budget = self.limits.step_tokens - len(decodes)
        self.step_decodes, self.step_prefills = decodes, []
        for each in self.running:
            if each not in decodes:
                used, spent = self.prefill(each, budget)
                budget, seconds = budget - used, seconds + spent
        for each in [] if preempted else list(self.waiting):
            if not budget or len(self.running) >= self.limits.sequences:
                break
            if each.adapter and not self.has_slot(each.adapter):
                continue
            if not self.admit(each):
                break
            self.waiting.remove(each)
            if each.adapter and self.load(each.adapter):
                seconds += self.timing.adapter_load_s
            self.running.append(each)
            used, spent = self.prefill(each, budget)
            budget, seconds = budget - used, seconds + spent
        self.end_s = self.now_s + seconds

    def has_slot(self, adapter):
        in_use = {each.adapter for each in self.running}
        return adapter in self.loaded or len(set(self.loaded) & in_use) < self.limits.adapters

    def load(self, adapter):
        in_use = {each.adapter for each in self.running}
        is_new = adapter not in self.loaded
        if is_new and len(self.loaded) == self.limits.adapters:
            self.loaded.remove(next(each for each in self.loaded if each not in in_use))
        self.loaded = [each for each in self.loaded if each != adapter] + [adapter]
        return is_new

    def admit(self, request):
        size, tokens = self.limits.block_tokens, request.prompt_tokens + request.generated
        hits = 0
        for block in request.blocks[: (tokens - 1) // size]:
            if block not in self.users and block not in self.kept:
                break
            hits += 1
        found = request.blocks[:hits]
        missing = -(-tokens // size) - hits
        if self.available() - sum(block in self.kept for block in found) < missing:
            return False
        for block in found:
            self.pin(block)
            request.table.append(block)
        for _ in range(missing):
            self.take(request)
        request.computed = hits * size
        if request.admitted_s is None:
            request.admitted_s, request.cached_tokens = self.now_s, hits * size
        return True

    def prefill(self, request, budget):
        size = self.limits.block_tokens
        chunk = min(budget, request.prompt_tokens + request.generated - request.computed)
        seconds = 0.0
        for position in range(request.computed, request.computed + chunk):
            seconds += self.timing.prefill_s + self.timing.position_s * position
        request.computed += chunk
        full = min(request.computed, request.prompt_tokens) // size
        for index, block in enumerate(request.blocks[:full]):
            if isinstance(request.table[index], int):
                del self.users[request.table[index]]
                self.pin(block)
                request.table[index] = block
        self.step_prefills.append(request)
        return chunk, seconds

    def finish_step(self):
        self.now_s, self.end_s = self.end_s, None
        for each in self.step_decodes:
            each.computed += 1
            each.generated += 1
        for each in self.step_prefills:
            if each.computed == each.prompt_tokens + each.generated:
                each.generated += 1
                each.decodes = True
                if each.first_token_s is None:
                    each.first_token_s = self.now_s
        for each in [*self.step_decodes, *self.step_prefills]:
            if each.generated == each.output_tokens:
                each.finished_s = self.now_s
                self.withdraw(each)
        self.step_decodes, self.step_prefills = [], []
